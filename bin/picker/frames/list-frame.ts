/** Draws the list of sessions. */
import { homedir } from "node:os";
import { getHitSource, toSegments } from "../../format/hits.ts";
import { formatCount, toField, toOneLine } from "../../format/safe.ts";
import { getMarks, getProjectName } from "../../format/sessions.ts";
import { showFirstMatch } from "../../format/snippets.ts";
import { measureWidth, pad, truncate, truncateStart } from "../../format/text.ts";
import { formatAge } from "../../format/times.ts";
import { getSessionTitle } from "../../format/titles.ts";
import type { State } from "../model/state.ts";
import type { Row, ShownHit } from "../model/view.ts";
import { computeRightColumns, drawLine, fillRows, GAP_COLUMNS, type Pane, type StyledSpan } from "./line.ts";

/** Maximum number of hits shown below a session. */
const MAX_HITS = 2;
/** Columns of the word that says where a hit was found. */
const SOURCE_WIDTH = 9;
const INDENT = 4;

/** Height of a row in lines. */
export function getRowHeight({ hits }: Row): number {
  return 1 + Math.min(hits.length, MAX_HITS);
}

/** The first row to show: scrolls as little as needed to make the selected row fully visible. */
export function scrollToSelected({ results: { rows }, selected, top }: State, height: number): number {
  if (selected <= top) return selected;
  let used = 0;
  for (let n = selected; n >= top; n--) {
    used += getRowHeight(rows[n] as Row);
    if (used > height) return Math.min(n + 1, selected);
  }
  return top;
}

/** Draws as many lines as the pane has rows. */
export function drawList(state: State, pane: Pane, wider: readonly string[] = []): string[] {
  const { results, selected, top } = state;
  const lines: string[] = [];
  for (let n = top; n < results.rows.length && lines.length < pane.rows; n++) {
    const row = results.rows[n] as Row;
    lines.push(sessionLine(row, n === selected, state, pane));
    for (const hit of row.hits.slice(0, MAX_HITS)) lines.push(hitLine(hit, pane));
  }
  if (results.rows.length === 0 && pane.rows > 0) lines.push(...emptyLines(state, pane, wider));
  return fillRows(lines, pane);
}

function sessionLine(row: Row, isSelected: boolean, state: State, pane: Pane): string {
  const { session, branchLines } = row;
  // Branch lines show forks.
  const marks = getMarks({ ...session, parentSessionPath: undefined });
  const title = [...marks, getSessionTitle(session)].join(" ");
  const left: StyledSpan[] = [
    { text: isSelected ? "›" : " ", format: ["bold", "cyan"] },
    { text: state.marked.has(session.path) ? "✓" : " ", format: ["bold", "green"] },
    { text: branchLines, format: "dim" },
    { text: title, format: titleFormat(isSelected, session.name !== undefined) },
  ];
  const count = `${pad(String(session.messageCount), 4, "left")} `;
  const when = pad(formatAge(new Date(session.modified)), 4, "left");
  const more = row.hitCount > MAX_HITS ? `${formatCount(row.hitCount, "hit")}  ` : "";
  const tags = session.tags.length > 0 ? `${truncate(toOneLine(session.tags.join(" ")), 20)}  ` : "";
  const where = state.showsPaths
    ? truncateStart(
        shortenPath(session.path),
        Math.max(1, computeRightColumns(left, pane.columns) - measureWidth(`${count}${when}  `)),
      )
    : state.view.cwd === undefined
      ? getProjectName(session)
      : "";
  const right = [
    { text: tags, format: "green" as const },
    { text: more, format: "dim" as const },
    { text: where === "" ? "" : `${where}  `, format: "cyan" as const },
    { text: count, format: "dim" as const },
    { text: when, format: "dim" as const },
  ].filter(({ text }) => text !== "") satisfies StyledSpan[];
  return drawLine(pane, left, right);
}

function titleFormat(isSelected: boolean, isNamed: boolean): StyledSpan["format"] {
  if (isSelected) return isNamed ? ["bold", "yellow"] : "bold";
  return isNamed ? "yellow" : undefined;
}

function hitLine(hit: ShownHit, pane: Pane): string {
  const before = INDENT + SOURCE_WIDTH + 1;
  const remark = hit.onCurrentBranch ? "" : "(abandoned branch)";
  const taken = remark === "" ? 0 : measureWidth(remark) + GAP_COLUMNS;
  const pieces = showFirstMatch(toSegments(hit), pane.columns - before - taken);
  const left: StyledSpan[] = [
    { text: " ".repeat(INDENT) },
    { text: `${pad(truncate(getHitSource(hit), SOURCE_WIDTH), SOURCE_WIDTH)} `, format: "dim" },
    ...pieces.map(({ text, isMatch }) => ({ text, format: isMatch ? MATCH_STYLE : undefined })),
  ];
  return drawLine(pane, left, remark === "" ? [] : [{ text: remark, format: "dim" }]);
}

/** Style of matches: also bold and underlined, for terminals without colors. */
const MATCH_STYLE = ["bold", "underline", "yellow"] as const satisfies StyledSpan["format"];

/** Says why the list is empty, and which keys widen the search. */
function emptyLines(state: State, pane: Pane, wider: readonly string[]): string[] {
  const { view, isSyncing, isLoading, results } = state;
  const texts = isSyncing
    ? [results.notice ?? "Reading your sessions …"]
    : isLoading
      ? [results.notice ?? "…"]
      : [
          view.query.trim() === "" ? "No sessions" : `No sessions match "${view.query.trim()}"`,
          ...(results.notice ? [results.notice] : []),
          ...(view.named ? ["Only named sessions are included"] : []),
          ...(view.cwd === undefined ? [] : [`Only sessions of ${shortenPath(view.cwd)} are included`]),
          ...wider,
        ];
  return texts.map((text) => drawLine(pane, [{ text: `  ${toOneLine(text)}`, format: "dim" }]));
}

/** A path with `~` for the home folder, safe for terminals. */
export function shortenPath(path: string): string {
  const home = homedir();
  return toField(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
