/** Draws the last lines: a prompt, a message or key hints, and above them a notice that is too long for the rule. */
import { toOneLine } from "../../format/safe.ts";
import { measureWidth, truncate, wrap } from "../../format/text.ts";
import type { State } from "../model/state.ts";
import type { KeyHint } from "./hints.ts";
import type { Size } from "./layout.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

/** Maximum number of lines of a message or a notice. */
const MAX_LINES = 3;
/** Terminals with fewer rows show one line. */
const MIN_ROWS = 10;
/** Columns around the title of a rule. */
export const RULE_COLUMNS = 6;

interface FooterParts {
  /** The last line while a prompt is open. */
  prompt?: ((columns: number) => string) | undefined;
  /** Key hints, most useful first. */
  hints: readonly KeyHint[];
  /** The hint that is shown at every width, after the others. */
  lastHint?: KeyHint | undefined;
}

export function drawFooter(state: State, screen: Pane, { prompt, hints, lastHint }: FooterParts): string[] {
  if (prompt) return [prompt(screen.columns)];
  if (state.message) return drawMessage(state.message, screen);
  const last = lastHint ? [lastHint] : [];
  const shown: KeyHint[] = [];
  for (const hint of hints) {
    if (measureHints([...shown, hint, ...last]) > screen.columns) break;
    shown.push(hint);
  }
  return [drawLine(screen, toSpans([...shown, ...last]))];
}

/** Keys stand out from what they do. */
function toSpans(hints: readonly KeyHint[]): StyledSpan[] {
  return hints.flatMap(({ key, word }, n) => [
    { text: `${n === 0 ? "" : HINT_GAP}${key}` },
    { text: ` ${word}`, format: "dim" },
  ]);
}

const HINT_GAP = "   ";

function measureHints(hints: readonly KeyHint[]): number {
  return toSpans(hints).reduce((sum, { text }) => sum + measureWidth(text), 0);
}

function drawMessage({ text, end, isError }: NonNullable<State["message"]>, screen: Pane): string[] {
  const format = isError ? ("red" as const) : ("green" as const);
  const line = toOneLine(text);
  if (end === undefined) return wrapLines(line, screen).map((text) => drawLine(screen, [{ text, format }]));
  const after = end === "" ? "" : ` · ${end}`;
  const before = truncate(line, Math.max(1, screen.columns - measureWidth(after)));
  return [drawLine(screen, [{ text: before + after, format }])];
}

/** The notice about the results, if it is too long for the rule. */
export function drawLongNotice(state: State, screen: Pane): string[] {
  return wrapLongNotice(state, screen).map((text) => drawLine(screen, [{ text, format: "dim" }]));
}

/** @returns no lines if the notice fits in the rule, or if there is none */
export function wrapLongNotice({ mode, help, failure, results }: State, size: Size): string[] {
  const notice = toOneLine(results.notice ?? "");
  const isShown = mode === "list" && !help && failure === undefined && results.rows.length > 0;
  const isLong = measureWidth(notice) > size.columns - RULE_COLUMNS;
  return isShown && isLong && size.rows >= MIN_ROWS ? wrapLines(notice, size) : [];
}

function wrapLines(text: string, { columns, rows }: Size): string[] {
  const lines = wrap(text, columns).map((line) => line.trim());
  const most = rows < MIN_ROWS ? 1 : MAX_LINES;
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), truncate(lines.slice(most - 1).join(" "), columns)];
}
