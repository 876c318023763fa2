import { startOf } from "../../format/bounded-text.ts";
import { summarizeCall } from "../../format/edits.ts";
import { toJson } from "../../format/json-text.ts";
import type { CallPart } from "../../format/parts.ts";
import { oneLine } from "../../format/safe.ts";
import type { Look } from "./look.ts";
import { diffLines, outputLines } from "./output-lines.ts";
import { columnsOf, cutTo } from "./rows.ts";

type Fields = Record<string, unknown>;

/** A tool call: on one line, and when unfolded with the change it makes, or else with its arguments. */
export function callLines(call: CallPart, look: Look): string[] {
  const { name, about, edit } = summarizeCall(call.name, call.arguments);
  if (!edit) {
    const line = callHeading(look.unfolded ? name : `${name} ${about}`, "", look);
    return look.unfolded ? [line, ...argumentLines(call.arguments, new Set(), look)] : [line];
  }
  const line = callHeading(`${name} ${about}`, counts(edit, look), look);
  if (!look.unfolded) return [line];
  return [line, ...argumentLines(call.arguments, edit.told, look), ...diffLines(edit.lines.join("\n"), look)];
}

function callHeading(words: string, counted: string, { theme, width }: Look): string {
  const room = counted === "" ? width : width - columnsOf(counted) - 2;
  if (room < 12 && counted !== "") return theme.style("yellow", cutTo(`→ ${words}`, width));
  const line = theme.style("yellow", cutTo(`→ ${words}`.trimEnd(), room));
  return counted === "" ? line : `${line}  ${counted}`;
}

/** How many lines come and go: `+3 -1`. */
function counts({ added, removed }: { added: number; removed: number }, { theme }: Look): string {
  const parts = [
    added > 0 ? theme.style("green", `+${added}`) : "",
    removed > 0 ? theme.style("red", `-${removed}`) : "",
  ];
  return parts.filter(Boolean).join(" ");
}

/** Arguments are shown so deep; what is deeper stands as JSON. */
const MOST_LEVELS = 6;
/** So many values are shown. */
const MOST_VALUES = 2000;

function argumentLines(args: Fields, told: ReadonlySet<string>, look: Look): string[] {
  const lines: string[] = [];
  for (const line of fieldLines(
    Object.entries(args).filter(([key]) => !told.has(key)),
    "  ",
    1,
  )) {
    lines.push(line);
    if (lines.length >= MOST_VALUES) {
      lines.push("  …");
      break;
    }
  }
  return outputLines(lines.join("\n"), look);
}

/** Names and values as a person writes them down: what is in a value stands below it, and texts as they are. */
function* fieldLines(fields: Iterable<[string, unknown]>, indent: string, level: number): Generator<string> {
  for (const [name, value] of fields) {
    const key = `${indent}${oneLine(name.slice(0, 200))}`;
    if (typeof value === "string") yield* stringLines(key, value, indent);
    else if (typeof value !== "object" || value === null || isEmpty(value) || level === MOST_LEVELS)
      yield `${key}: ${toJson(value)}`;
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
  const { start, more } = startOf(value);
  if (!start.includes("\n")) yield `${key}: ${start}${more}`;
  else {
    yield `${key}:`;
    for (const line of start.split("\n")) yield `${indent}  ${line}`;
    if (more !== "") yield `${indent}  ${more}`;
  }
}
