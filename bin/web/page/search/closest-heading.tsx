import type { NoticePart } from "../../../format/closest.ts";
import { exactQuery } from "../../../format/query-words.ts";
import { toOneLine } from "../../../format/safe.ts";

interface Props {
  parts: readonly NoticePart[];
  /** The query with its corrections. */
  corrected: string | undefined;
  /** The query with any of its words in place of all. */
  anyWord: string | undefined;
  onQuery: (q: string) => void;
}

/** The line above the closest matches. Its words are links to a search for exactly that word. */
export function ClosestHeading({ parts, corrected, anyWord, onQuery }: Props) {
  return (
    <li class="closest">
      {parts.map((part, n) =>
        typeof part === "string" ? (
          part
        ) : (
          <SearchLink key={n} q={exactQuery(part.word)} onQuery={onQuery}>
            {toOneLine(part.word)}
          </SearchLink>
        ),
      )}
      {corrected !== undefined && (
        <>
          {". "}
          <SearchLink q={corrected} onQuery={onQuery}>
            {`Search for “${corrected}”`}
          </SearchLink>
        </>
      )}
      {anyWord !== undefined && (
        <>
          {corrected === undefined ? ". " : " or "}
          <SearchLink q={anyWord} onQuery={onQuery}>
            {corrected === undefined ? "Search for any of these words" : "any of these words"}
          </SearchLink>
        </>
      )}
    </li>
  );
}

function SearchLink({ q, onQuery, children }: Pick<Props, "onQuery"> & { q: string; children: string }) {
  return (
    <button type="button" class="link" title={`Search for ${toOneLine(q)}`} onClick={() => onQuery(q)}>
      <bdi>{children}</bdi>
    </button>
  );
}
