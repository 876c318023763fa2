import { truncateText } from "../../format/bounded-text.ts";
import { summarizeCall } from "../../format/edits.ts";
import { toSafeJson } from "../../format/json-text.ts";
import type { CallPart } from "../../format/parts.ts";
import { toOneLine } from "../../format/safe.ts";
import { truncateStart } from "../../format/text.ts";
import { type RenderOptions, renderDiff, renderOutput } from "./output-lines.ts";
import { cutToColumns, measureColumns } from "./rows.ts";

type Fields = Record<string, unknown>;

/** The lines of a tool call: one line, followed by its diff or its arguments if unfolded. */
export function renderCall(call: CallPart, look: RenderOptions): string[] {
  const { name, about, isPath, edit } = summarizeCall(call.name, call.arguments, look.folder);
  if (!edit) {
    const line = callHeading(name, look.isExpanded ? "" : about, "", isPath, look);
    return look.isExpanded ? [line, ...argumentLines(call.arguments, new Set(), look)] : [line];
  }
  const line = callHeading(name, about, formatCounts(edit, look), isPath, look);
  if (!look.isExpanded) return [line];
  return [
    line,
    ...argumentLines(call.arguments, edit.coveredArguments, look),
    ...renderDiff(edit.lines.join("\n"), look),
  ];
}

function callHeading(
  name: string,
  about: string,
  counts: string,
  isPath: boolean,
  { theme, width }: RenderOptions,
): string {
  const roomBesideCounts = counts === "" ? width : width - measureColumns(counts) - 2;
  const hasCounts = counts !== "" && roomBesideCounts >= 12;
  const room = hasCounts ? roomBesideCounts : width;
  const start = `→ ${name} `;
  const roomForPath = room - measureColumns(start);
  const shown = isPath && roomForPath >= 12 ? truncateStart(about, roomForPath) : about;
  const line = theme.style("yellow", cutToColumns(`${start}${shown}`.trimEnd(), room));
  return hasCounts ? `${line}  ${counts}` : line;
}

/** Numbers of added and removed lines: `+3 -1`. */
function formatCounts(
  { added, removed }: { added: number; removed: number },
  { theme }: RenderOptions,
): string {
  const parts = [
    added > 0 ? theme.style("green", `+${added}`) : "",
    removed > 0 ? theme.style("red", `-${removed}`) : "",
  ];
  return parts.filter(Boolean).join(" ");
}

/** Maximum depth of indented arguments; deeper values are shown as JSON. */
const MAX_LEVELS = 6;
/** Maximum number of lines of arguments. */
const MAX_ARGUMENT_LINES = 2000;

/** @param omitted names of arguments that are shown elsewhere */
function argumentLines(args: Fields, omitted: ReadonlySet<string>, look: RenderOptions): string[] {
  const shown = Object.entries(args).filter(([key]) => !omitted.has(key));
  const lines = [...fieldLines(shown, "  ", 1).take(MAX_ARGUMENT_LINES + 1)];
  if (lines.length > MAX_ARGUMENT_LINES) lines[MAX_ARGUMENT_LINES] = "  …";
  return renderOutput(lines.join("\n"), look);
}

/** Names and values, similar to YAML: nested values are indented, strings are verbatim. */
function* fieldLines(fields: Iterable<[string, unknown]>, indent: string, level: number): Generator<string> {
  for (const [name, value] of fields) {
    const key = `${indent}${toOneLine(name.slice(0, 200))}`;
    if (typeof value === "string") yield* stringLines(key, value, indent);
    else if (typeof value !== "object" || value === null || isEmpty(value) || level === MAX_LEVELS)
      yield `${key}: ${toSafeJson(value)}`;
    else {
      yield `${key}:`;
      yield* fieldLines(Object.entries(value), `${indent}  `, level + 1);
    }
  }
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function* stringLines(key: string, value: string, indent: string): Generator<string> {
  const { start, more } = truncateText(value);
  if (!start.includes("\n")) yield `${key}: ${start}${more}`;
  else {
    yield `${key}:`;
    for (const line of start.split("\n")) yield `${indent}  ${line}`;
    if (more !== "") yield `${indent}  ${more}`;
  }
}
