/** The hits of a session in the results: the best, and the others once they are opened. */
import { useEffect, useState } from "preact/hooks";
import { withoutPunctuation } from "../../../format/closest.ts";
import {
  getHitSource,
  hitsWithNewWords,
  mostWordsFirst,
  type Segment,
  toSegments,
} from "../../../format/hits.ts";
import { toPlainSegments } from "../../../format/plain-markdown.ts";
import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import { getRestoredState, saveViewState } from "../shell/view-state.ts";
import { cutLead } from "./cut-lead.ts";
import { getRoleName } from "./role-names.ts";
import { HITS_PER_SESSION, type SessionResult } from "./use-search-results.ts";

/** Sources with a color. Others are text from the session, which must not become a class name. */
const COLORED: ReadonlySet<string> = new Set(["user", "call", "bash", "summary", "name"]);

/** Where a line is too short for the text before a match. */
const NARROW = matchMedia("(width < 48rem)");

type Hit = SessionResult["hits"][number];

/** Loads the first hits of a session. */
export type LoadHits = (path: string) => Promise<Hit[]>;

interface Props extends SessionResult {
  q: string;
  missing: readonly string[];
  onHits: LoadHits | undefined;
}

export function Hits({ session, hits, hitCount, q, missing, onHits }: Props) {
  /** Of these results only: others have other hits. Those of a scan grow while it runs. */
  const results = onHits ? hits : q;
  const [opened, setOpened] = useState<
    { of: typeof results; all?: typeof hits; error?: unknown } | undefined
  >(() => (getRestoredState(`hits of ${session.path}`) === q ? { of: results } : undefined));
  const { all, error } = opened?.of === results ? opened : {};
  const isOpen = opened?.of === results;
  const name = toUrlName(session);
  const isClosest = hits[0]?.missing !== undefined;
  const first = hits.slice(0, HITS_PER_SESSION);
  const best = isClosest ? hitsWithNewWords(mostWordsFirst(first)) : first;
  const shown = all ?? (isOpen ? hits : best);
  /** The hits that it shows once it is open; undefined until they are loaded. A scan has sent them. */
  const known = onHits ? all : hits;
  const canOpen = onHits !== undefined || hits.length > first.length;
  const more = hitCount - best.length;
  useEffect(() => {
    if (!isOpen || !onHits) return;
    onHits(session.path).then(
      (loaded) => setOpened((now) => (now?.of === hits ? { of: hits, all: loaded } : now)),
      (failure: unknown) => setOpened((now) => (now?.of === hits ? { of: hits, error: failure } : now)),
    );
  }, [isOpen, results]);
  const toggle = () => {
    setOpened(isOpen ? undefined : { of: results });
    // For the query, which may change without a new entry in the history.
    saveViewState(`hits of ${session.path}`, isOpen ? undefined : q);
  };
  return (
    <ul class="hits">
      {shown.map((hit) => (
        <li key={`${hit.line} ${hit.part}`}>
          <a class="hit" href={sessionUrl(name, { entry: hit.entryId ?? undefined, line: hit.line, q })}>
            <Source hit={hit} />
            <span class="hit-text" dir="auto">
              {toShownSegments(hit).map(({ text, isMatch }, n) =>
                isMatch ? <mark key={n}>{text}</mark> : text,
              )}
            </span>
          </a>
        </li>
      ))}
      {missing.length > 0 && (
        <li class="hit-missing">Missing: {missing.map(withoutPunctuation).map(toOneLine).join(", ")}</li>
      )}
      {error !== undefined && (
        <li>
          <ErrorMessage error={error} />
        </li>
      )}
      {more > 0 && (
        <li class="hit-more">
          {canOpen && (
            <button type="button" class="link hit-toggle" aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? "Fewer hits" : formatCount(more, "more hit")}
            </button>
          )}
          {(isOpen || !canOpen) && known && known.length < hitCount && (
            <a href={sessionUrl(name, { q })}>All {formatInteger(hitCount)} in the session →</a>
          )}
        </li>
      )}
    </ul>
  );
}

function Source({ hit }: { hit: Hit }) {
  const source = getHitSource(hit);
  const isByUser = hit.role === "bashExecution" || hit.role === "pythonExecution";
  return (
    <span class={COLORED.has(source) ? `hit-source hit-${source}` : "hit-source"}>
      {isByUser && hit.role ? getRoleName(hit.role) : source}
    </span>
  );
}

/** Messages are Markdown; calls, commands and their output are shown as they are. */
function toShownSegments(hit: Hit): readonly Segment[] {
  const segments = toSegments(hit);
  const plain = hit.part === "message" || hit.part === "thinking" ? toPlainSegments(segments) : segments;
  return NARROW.matches ? cutLead(plain) : plain;
}
