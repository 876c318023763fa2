/** Draws the list of sessions. */
import { homedir } from "node:os";
import { piecesOf, sourceOf } from "../../format/hits.ts";
import { counted, field, oneLine } from "../../format/safe.ts";
import { projectOf } from "../../format/sessions.ts";
import { around } from "../../format/snippets.ts";
import { cut, cutStart, fill, width } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import { age } from "../../format/times.ts";
import { titleOf } from "../../format/titles.ts";
import type { State } from "../model/state.ts";
import type { Row, ShownHit, ShownSession } from "../model/view.ts";
import { GAP, line, plain, roomBeside, type Span } from "./line.ts";

/** Maximum number of hits shown below a session. */
const MAX_HITS = 2;
/** Columns of the word that says where a hit was found. */
const SOURCE_WIDTH = 8;
const INDENT = 4;

/** Height of a row in lines. */
export function heightOf({ hits }: Row): number {
  return 1 + Math.min(hits.length, MAX_HITS);
}

/** The first row to show: scrolls as little as needed to make the selected row fully visible. */
export function topFor({ results: { rows }, selected, top }: State, height: number): number {
  if (selected <= top) return selected;
  let used = 0;
  for (let n = selected; n >= top; n--) {
    used += heightOf(rows[n] as Row);
    if (used > height) return Math.min(n + 1, selected);
  }
  return top;
}

/** Draws `height` lines of `columns` columns. */
export function listLines(
  state: State,
  columns: number,
  height: number,
  theme: Theme,
  wider: readonly string[] = [],
): string[] {
  const { results, selected, top } = state;
  const lines: string[] = [];
  for (let n = top; n < results.rows.length && lines.length < height; n++) {
    const row = results.rows[n] as Row;
    lines.push(sessionLine(row, n === selected, state, columns, theme));
    for (const hit of row.hits.slice(0, MAX_HITS)) lines.push(hitLine(hit, columns, theme));
  }
  if (results.rows.length === 0 && height > 0) lines.push(...emptyLines(state, columns, theme, wider));
  const shown = lines.slice(0, height);
  while (shown.length < height) shown.push(plain(columns, ""));
  return shown;
}

function sessionLine(row: Row, isSelected: boolean, state: State, columns: number, theme: Theme): string {
  const { session, stem } = row;
  const title = `${formatMarks(session)}${titleOf(session)}`;
  const left: Span[] = [
    { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
    { text: stem, format: "dim" },
    { text: title, format: titleFormat(isSelected, session.name !== undefined) },
  ];
  const count = `${fill(String(session.messageCount), 4, "left")} `;
  const when = fill(age(new Date(session.modified)), 4, "left");
  const more = row.hitCount > MAX_HITS ? `${counted(row.hitCount, "hit")}  ` : "";
  const tags = session.tags.length > 0 ? `${cut(oneLine(session.tags.join(" ")), 20)}  ` : "";
  const where = state.showsPaths
    ? cutStart(shortened(session.path), Math.max(1, roomBeside(left, columns) - width(`${count}${when}  `)))
    : state.view.cwd === undefined
      ? projectOf(session)
      : "";
  const right = [
    { text: tags, format: "green" as const },
    { text: more, format: "dim" as const },
    { text: where === "" ? "" : `${where}  `, format: "cyan" as const },
    { text: count, format: "dim" as const },
    { text: when, format: "dim" as const },
  ].filter(({ text }) => text !== "") satisfies Span[];
  return line(theme, columns, left, right);
}

function titleFormat(isSelected: boolean, isNamed: boolean): Span["format"] {
  if (isSelected) return isNamed ? ["bold", "yellow"] : "bold";
  return isNamed ? "yellow" : undefined;
}

function formatMarks(session: ShownSession): string {
  const { pinned, archived, subagent, labelCount, problemCount } = session;
  const marks = [
    pinned && "📌",
    archived && "archived",
    subagent && "subagent",
    labelCount > 0 && `★${labelCount}`,
    problemCount > 0 && "!",
  ].filter(Boolean);
  return marks.length > 0 ? `${marks.join(" ")} ` : "";
}

function hitLine(hit: ShownHit, columns: number, theme: Theme): string {
  const before = INDENT + SOURCE_WIDTH + 1;
  const remark = hit.onCurrentBranch ? "" : "(left branch)";
  const taken = remark === "" ? 0 : width(remark) + GAP;
  const pieces = around(piecesOf(hit), columns - before - taken);
  const left: Span[] = [
    { text: " ".repeat(INDENT) },
    { text: `${fill(cut(sourceOf(hit), SOURCE_WIDTH), SOURCE_WIDTH)} `, format: "dim" },
    ...pieces.map(({ text, found }) => ({ text, format: found ? FOUND : undefined })),
  ];
  return line(theme, columns, left, remark === "" ? [] : [{ text: remark, format: "dim" }]);
}

/** Style of matches: also bold and underlined, for terminals without colors. */
export const FOUND = ["bold", "underline", "yellow"] as const satisfies Span["format"];

/** Says why the list is empty, and which keys widen the search. */
function emptyLines(state: State, columns: number, theme: Theme, wider: readonly string[]): string[] {
  const { view, isSyncing, isBehind, results } = state;
  const texts = isSyncing
    ? [results.remark ?? "Reading your sessions …"]
    : isBehind
      ? [results.remark ?? "…"]
      : [
          view.query.trim() === "" ? "No sessions" : `No sessions match "${view.query.trim()}"`,
          ...(results.remark ? [results.remark] : []),
          ...(view.named ? ["Only named sessions are included"] : []),
          ...(view.cwd === undefined ? [] : [`Only sessions of ${shortened(view.cwd)} are included`]),
          ...wider,
        ];
  return texts.map((text) => line(theme, columns, [{ text: `  ${oneLine(text)}`, format: "dim" }]));
}

/** A path with `~` for the home folder, safe for terminals. */
export function shortened(path: string): string {
  const home = homedir();
  return field(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
