import { Fragment } from "preact";
import { canSearchFiles, filePattern } from "../../../format/query-words.ts";
import { toOneLine } from "../../../format/safe.ts";
import { useAnswer } from "../shell/api.ts";
import { hub } from "../shell/source.ts";
import { parseSearchState, type SearchState } from "./search-state.ts";
import { WiderQueries } from "./wider-queries.tsx";

interface Props {
  state: SearchState;
  /** A notice about words that are not in the index. */
  unknown: string | undefined;
  onChange: (changes: Partial<SearchState>) => void;
  onQuery: (q: string) => void;
}

/** The empty state, with what to try next. */
export function NothingFound({ state, unknown, onChange, onQuery }: Props) {
  const { q } = state;
  const isFiltered = Object.entries(state).some(
    ([name, value]) => name !== "q" && name !== "sort" && value !== "",
  );
  return (
    <div class="nothing-found">
      <p>
        {q.trim() === "" ? "No sessions" : `No sessions match “${q.trim()}”`}
        {isFiltered ? " with these filters." : "."}
      </p>
      {q.trim() === "" && !isFiltered && hub.value === undefined && (
        <p class="quiet">
          New sessions appear here automatically. <a href="/health">Health</a> shows which folders are
          searched.
        </p>
      )}
      {unknown && <p class="quiet">{unknown}</p>}
      <UnmatchedValues {...{ q, onQuery }} />
      <WiderQueries {...{ state, onQuery }} />
      {isFiltered && (
        <button type="button" class="button" onClick={() => onChange(parseSearchState({ q }))}>
          Clear filters
        </button>
      )}
      {canSearchFiles(q) && (
        <button type="button" class="button" onClick={() => onQuery(filePattern(q))}>
          Search the files themselves <kbd>Shift+Enter</kbd>
        </button>
      )}
    </div>
  );
}

/** Says which values no session has, such as a part of a project's name, with the query for each of the nearest. */
function UnmatchedValues({ q, onQuery }: { q: string } & Pick<Props, "onQuery">) {
  const { data } = useAnswer(q.includes(":") ? "unmatched" : undefined, { query: q });
  return data?.values.map(({ filter, value, instead }) => (
    <p key={`${filter}:${value}`} class="quiet">
      No session has the {filter} “<bdi>{toOneLine(value)}</bdi>”.
      {instead.length > 0 && " Did you mean "}
      {instead.map((near, n) => (
        <Fragment key={near.value}>
          {n > 0 && (n === instead.length - 1 ? " or " : ", ")}
          <button type="button" class="link" onClick={() => onQuery(near.query)}>
            <bdi>{toOneLine(near.value)}</bdi>
          </button>
        </Fragment>
      ))}
      {instead.length > 0 && "?"}
    </p>
  ));
}
