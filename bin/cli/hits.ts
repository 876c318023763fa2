import type { SessionHits } from "../../library/index.ts";
import { type AnyHit, getHitSource, toSegments } from "../format/hits.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { showFirstMatch } from "../format/snippets.ts";
import { measureWidth, pad, truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import type { Io } from "./io.ts";
import { formatSessionHeading } from "./session-heading.ts";
import { formatRow } from "./table.ts";

/** Columns of the word for where the hit is. */
const SOURCE_WIDTH = 9;
const MARGIN = "  ";
/** Snippets get at least this many columns. */
const MIN_SNIPPET_WIDTH = 10;

/**
 * A session with its best hits, for a terminal.
 *
 * @param isPartial whether further hits were not ranked and counted
 */
export function formatSessionHits(
  io: Io,
  { session, hits, hitCount }: SessionHits,
  isPartial: boolean,
): string {
  const lines = formatSessionHeading(io, session);
  const room = io.columns - MARGIN.length - SOURCE_WIDTH - 1;
  for (const hit of hits) {
    const source = pad(truncate(getHitSource(hit), SOURCE_WIDTH), SOURCE_WIDTH);
    lines.push(
      `${MARGIN}${io.style("dim", source)} ${withRemark(io, hit, Math.max(MIN_SNIPPET_WIDTH, room))}`,
    );
  }
  if (hitCount > hits.length) {
    const rest = `${formatInteger(hitCount - hits.length)}${isPartial ? "+" : ""}`;
    lines.push(`${MARGIN}${io.style("dim", `… and ${rest} more in this session`)}`);
  }
  const missing = hits[0]?.missing ?? [];
  if (missing.length > 0) {
    const words = missing.map((word) => toOneLine(word)).join(", ");
    lines.push(
      io.style(
        "dim",
        `${MARGIN}${pad("missing", SOURCE_WIDTH)} ${truncate(words, Math.max(MIN_SNIPPET_WIDTH, room))}`,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Columns of a date or an age. */
const AGE_WIDTH = 10;
const ID_WIDTH = 8;

/** A hit on one line for a terminal: age, session, source, snippet. */
export function formatHit(io: Io, hit: AnyHit): string {
  const age = pad(hit.timestamp === undefined ? "" : formatRelativeTime(new Date(hit.timestamp)), AGE_WIDTH);
  const id = pad(truncate(shortId(hit.sessionId), ID_WIDTH), ID_WIDTH);
  const source = pad(truncate(getHitSource(hit), SOURCE_WIDTH), SOURCE_WIDTH);
  const before = `${truncate(age, AGE_WIDTH)} ${id} ${source} `;
  return `${io.style("dim", before)}${withRemark(io, hit, Math.max(MIN_SNIPPET_WIDTH, io.columns - measureWidth(before)))}\n`;
}

/** One hit per line, tab-separated: path and line, entry, role, snippet. */
export function formatHitsForScripts(hits: readonly AnyHit[]): string {
  return hits
    .map(({ path, line, entryId, role, type, snippet }) =>
      formatRow([`${path}:${line}`, entryId, role ?? type, snippet.text]),
    )
    .join("");
}

/** The snippet, followed by remarks on the hit if there is room for both. */
function withRemark(io: Io, hit: AnyHit, columns: number): string {
  const remarks = [
    ...("crossEntry" in hit && hit.crossEntry ? ["across entries"] : []),
    ...(hit.onCurrentBranch ? [] : ["abandoned branch"]),
    ...(hit.alsoIn.length > 0 ? [formatCount(hit.alsoIn.length, "copy", "copies")] : []),
  ];
  const remark = remarks.length > 0 ? `  (${remarks.join(", ")})` : "";
  if (remark === "" || columns < 5 * measureWidth(remark)) return marked(io, hit, columns);
  return marked(io, hit, columns - measureWidth(remark)) + io.style("dim", remark);
}

/** The snippet with its matches highlighted, cut to the terminal. */
function marked(io: Io, hit: AnyHit, columns: number): string {
  const pieces = showFirstMatch(toSegments(hit), columns);
  const whole = pieces.map(({ text }) => text).join("");
  const shown = truncate(whole, columns);
  const end = shown === whole ? shown.length : shown.length - 1; // the ellipsis is not part of a match
  let line = "";
  let from = 0;
  for (const { text, isMatch } of pieces) {
    const part = shown.slice(from, Math.min(end, from + text.length));
    line += isMatch && part !== "" ? io.style(["bold", "yellow"], part) : part;
    from += text.length;
    if (from >= end) break;
  }
  return line + shown.slice(end);
}
