import type { SessionHits } from "../../library/index.ts";
import { type AnyHit, piecesOf, sourceOf } from "../format/hits.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { around } from "../format/snippets.ts";
import { cut, fill, width } from "../format/text.ts";
import { ago } from "../format/times.ts";
import type { Io } from "./io.ts";
import { sessionHeading } from "./session-heading.ts";

/** Columns of the word for where the hit is. */
const SOURCE_WIDTH = 8;
const MARGIN = "  ";
/** Snippets get at least this many columns. */
const MIN_SNIPPET_WIDTH = 10;

/** A session with its best hits, for a terminal. */
export function sessionBlock(io: Io, { session, hits, hitCount }: SessionHits): string {
  const lines = sessionHeading(io, session);
  const room = io.columns - MARGIN.length - SOURCE_WIDTH - 1;
  for (const hit of hits) {
    const source = fill(cut(sourceOf(hit), SOURCE_WIDTH), SOURCE_WIDTH);
    lines.push(
      `${MARGIN}${io.style("dim", source)} ${withRemark(io, hit, Math.max(MIN_SNIPPET_WIDTH, room))}`,
    );
  }
  if (hitCount > hits.length)
    lines.push(`${MARGIN}${io.style("dim", `… and ${hitCount - hits.length} more in this session`)}`);
  const missing = hits[0]?.missing ?? [];
  if (missing.length > 0) {
    const words = missing.map((word) => oneLine(word)).join(", ");
    lines.push(
      io.style(
        "dim",
        `${MARGIN}${fill("missing", SOURCE_WIDTH)} ${cut(words, Math.max(MIN_SNIPPET_WIDTH, room))}`,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Columns of a date or an age. */
const AGE_WIDTH = 10;
const ID_WIDTH = 8;

/** A hit on one line for a terminal: age, session, source, snippet. */
export function hitLine(io: Io, hit: AnyHit): string {
  const age = fill(hit.timestamp === undefined ? "" : ago(new Date(hit.timestamp)), AGE_WIDTH);
  const id = fill(cut(shortId(hit.sessionId), ID_WIDTH), ID_WIDTH);
  const source = fill(cut(sourceOf(hit), SOURCE_WIDTH), SOURCE_WIDTH);
  const before = `${cut(age, AGE_WIDTH)} ${id} ${source} `;
  return `${io.style("dim", before)}${withRemark(io, hit, Math.max(MIN_SNIPPET_WIDTH, io.columns - width(before)))}\n`;
}

/** One hit per line, tab-separated: path and line, entry, role, snippet. */
export function hitsForPipes(hits: readonly AnyHit[]): string {
  return hits
    .map(({ path, line, entryId, role, type, snippet }) => {
      const cells = [`${path}:${line}`, String(entryId ?? ""), role ?? type, snippet.text];
      return `${cells.map(field).join("\t")}\n`;
    })
    .join("");
}

/** The snippet, followed by remarks on the hit if there is room for both. */
function withRemark(io: Io, hit: AnyHit, columns: number): string {
  const remarks = [
    ...("together" in hit && hit.together ? ["partial match"] : []),
    ...(hit.onCurrentBranch ? [] : ["abandoned branch"]),
    ...(hit.alsoIn.length > 0 ? [counted(hit.alsoIn.length, "copy", "copies")] : []),
  ];
  const remark = remarks.length > 0 ? `  (${remarks.join(", ")})` : "";
  if (remark === "" || columns < 5 * width(remark)) return marked(io, hit, columns);
  return marked(io, hit, columns - width(remark)) + io.style("dim", remark);
}

/** The snippet with its matches highlighted, cut to the terminal. */
function marked(io: Io, hit: AnyHit, columns: number): string {
  const pieces = around(piecesOf(hit), columns);
  const whole = pieces.map(({ text }) => text).join("");
  const shown = cut(whole, columns);
  const end = shown === whole ? shown.length : shown.length - 1; // the ellipsis is not part of a match
  let line = "";
  let from = 0;
  for (const { text, found } of pieces) {
    const part = shown.slice(from, Math.min(end, from + text.length));
    line += found && part !== "" ? io.style(["bold", "yellow"], part) : part;
    from += text.length;
    if (from >= end) break;
  }
  return line + shown.slice(end);
}
