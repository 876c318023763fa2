import { canSearchFiles, filePattern } from "../../../format/query-words.ts";
import { hub } from "../shell/source.ts";
import { UnmatchedValues } from "../shell/unmatched-values.tsx";
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
      <UnmatchedValues q={q} onChoose={({ query }) => onQuery(query)} />
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
