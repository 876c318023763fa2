/** Draws the list of sessions. */
import { stripVTControlCharacters } from "node:util";
import { getHitSource, toSegments } from "../../format/hits.ts";
import { formatCents } from "../../format/numbers.ts";
import { formatCount, formatInteger, toOneLine } from "../../format/safe.ts";
import { getMarks, getProjectName } from "../../format/sessions.ts";
import { showFirstMatch } from "../../format/snippets.ts";
import { measureWidth, pad, truncate, truncateStart } from "../../format/text.ts";
import { formatAge } from "../../format/times.ts";
import { getSessionTitle } from "../../format/titles.ts";
import { findsHits, sortsByColumn } from "../../format/typed-query.ts";
import type { State } from "../model/state.ts";
import type { Row, ShownHit } from "../model/view.ts";
import { drawEmptyList, drawFailure } from "./empty-list.ts";
import { drawLine, fillRows, GAP_COLUMNS, type Pane, type StyledSpan } from "./line.ts";
import { shortenPath } from "./paths.ts";
import { drawThumb } from "./scrollbar.ts";

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
export function scrollToSelected(
  {
    results: { rows },
    selected,
    top,
  }: Pick<State, "selected" | "top"> & { results: { rows: readonly Row[] } },
  height: number,
): number {
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
  const { results, selected, top, failure } = state;
  const hasFailed = failure !== undefined;
  const lines = drawFailure(state, pane);
  const columns = chooseColumns(state, pane.columns);
  for (let n = top; n < results.rows.length && lines.length < pane.rows; n++) {
    const row = results.rows[n] as Row;
    const isSelected = n === selected && !hasFailed;
    const drawn = [
      sessionLine(row, columns, { isSelected, marked: state.marked }, pane),
      ...row.hits.slice(0, MAX_HITS).map((hit) => hitLine(hit, pane)),
    ];
    const shown =
      hasFailed || state.isStale
        ? drawn.map((line) => pane.theme.style("dim", stripVTControlCharacters(line)))
        : drawn;
    lines.push(...(isSelected ? shown.map((line) => pane.theme.select(line)) : shown));
  }
  if (results.rows.length === 0 && !hasFailed) lines.push(...drawEmptyList(state, pane, wider));
  return fillRows(lines, pane);
}

/** Draws a column with a thumb that shows which part of the list is visible, without one if all of it is. */
export function drawScrollbar(
  { results, top }: State,
  { rows: height, theme }: Pane,
  track: string,
): string[] {
  const count = results.rows.length;
  const visible = findEnd(results.rows, top, height) - top;
  if (visible >= count || height < 2)
    return Array.from({ length: height }, () => (track === " " ? track : theme.style("dim", track)));
  // Sessions that are not loaded yet count too: the thumb must not jump when they are.
  const total = Math.max(count, results.total);
  return drawThumb({ top, visible, total, rows: height }, theme, track);
}

/** Index after the last row that is at least partly visible. */
export function findEnd(rows: readonly Row[], top: number, height: number): number {
  let end = top;
  for (let used = 0; end < rows.length && used < height; end++) used += getRowHeight(rows[end] as Row);
  return end;
}

/** A column right of the titles. */
interface Column {
  width: number;
  align: "left" | "right";
  format: StyledSpan["format"];
  text: (row: Row, width: number) => string;
}

const PROJECT: Column = {
  width: 12,
  align: "left",
  format: "cyan",
  text: ({ session }) => getProjectName(session),
};
const HITS: Column = {
  width: 8,
  align: "right",
  format: "dim",
  text: ({ hitCount }) =>
    hitCount < 1000 ? (hitCount > 0 ? formatCount(hitCount, "hit") : "") : `${shorten(hitCount, 1000)} hits`,
};
const MESSAGES: Column = {
  width: 5,
  align: "right",
  format: "dim",
  text: ({ session: { messageCount } }) => shorten(messageCount, 10_000),
};
const COST: Column = {
  width: 6,
  align: "right",
  format: "dim",
  text: ({ session: { costUsd } }) => (costUsd ? formatCost(costUsd) : ""),
};
const AGE: Column = {
  width: 4,
  align: "right",
  format: "dim",
  text: ({ session }) => formatAge(new Date(session.modified)),
};
const PATH: Column = {
  width: 0, // half of the line
  align: "right",
  format: "cyan",
  text: ({ session }, width) => truncateStart(shortenPath(session.path), width),
};

/** The number of hits in lists without room for the word: beside a preview, and on narrow terminals. */
const SHORT_HITS: Column = {
  ...HITS,
  width: 4,
  text: ({ hitCount }) => (hitCount > 0 ? `${shorten(hitCount, 1000)}×` : ""),
};
/** Lists from this width on have the word. */
const MIN_COLUMNS_OF_HITS = 100;

/** Columns that a title has at least, and in narrow lists its share: other columns are omitted instead. */
const TITLE_COLUMNS = 46;
const TITLE_SHARE = 0.6;
/** Narrower lists show titles only. */
const MIN_COLUMNS = 28;

/** Columns that a query compares or the list is sorted by: they come before others if there is not enough room for all. */
const QUERIED: readonly [name: string, column: Column][] = [
  ["cost", COST],
  ["messages", MESSAGES],
];

/** The columns of the listed sessions, in the order in which they are shown. Whether there is room for one depends on the width and the query. */
function chooseColumns({ showsPaths, results: { view } }: State, columns: number): Column[] {
  if (columns < MIN_COLUMNS) return [];
  if (showsPaths) return [{ ...PATH, width: Math.max(1, Math.floor(columns / 2) - 8) }, AGE];
  const hits = columns < MIN_COLUMNS_OF_HITS ? SHORT_HITS : HITS;
  const queried = QUERIED.flatMap(([name, column]) =>
    view.query.includes(`${name}:`) || (view.sort === name && sortsByColumn(view.query)) ? [column] : [],
  );
  const shown = [
    ...(findsHits(view.query) ? [hits] : []),
    ...(view.cwd === undefined ? [PROJECT] : []),
    MESSAGES,
    COST,
    AGE,
  ];
  let room = columns - Math.min(TITLE_COLUMNS, Math.ceil(columns * TITLE_SHARE));
  const fitting = new Set<Column>();
  for (const column of new Set([AGE, ...queried, PROJECT, hits, COST, MESSAGES])) {
    if (!shown.includes(column)) continue;
    room -= column.width + GAP_COLUMNS;
    if (room < 0) break;
    fitting.add(column);
  }
  return shown.filter((column) => fitting.has(column));
}

function sessionLine(
  row: Row,
  columns: readonly Column[],
  { isSelected, marked }: { isSelected: boolean } & Pick<State, "marked">,
  pane: Pane,
): string {
  const { session, branchLines } = row;
  const width = columns.reduce((sum, column) => sum + column.width + GAP_COLUMNS, 1); // with a blank at the end
  const room = Math.max(1, pane.columns - width);
  // Branch lines show forks.
  const { parentSessionPath, tags } = session;
  const fork = branchLines === "" ? parentSessionPath : undefined;
  const marks = getMarks({ ...session, pinned: false, parentSessionPath: fork });
  const title: StyledSpan[] = [
    { text: isSelected ? "›" : " ", format: ["bold", "cyan"] },
    { text: marked.has(session.path) ? "✓" : " ", format: ["bold", "green"] },
    { text: marked.size > 0 ? " " : "" },
    { text: truncateStart(branchLines, Math.floor(room / 3)), format: "dim" },
    { text: session.pinned ? "★ " : "", format: "yellow" },
    ...titleSpans(row, titleFormat(row, isSelected)),
  ];
  const { theme } = pane;
  const cells = columns.map((column) => {
    const text = pad(
      truncate(column.text(row, column.width), column.width),
      column.width,
      column.align === "right" ? "left" : "right",
    );
    return " ".repeat(GAP_COLUMNS) + theme.style(column.format ?? [], text);
  });
  return (
    drawTitle(title, { marks, tags: tags.map(toOneLine) }, { theme, columns: room }) +
    cells.join("") +
    (room + width > pane.columns ? "" : " ")
  );
}

/** Columns that tags have beside a long title at most, their share, and the columns of both from which on they have them. */
const TAG_COLUMNS = 16;
const TAG_SHARE = 0.25;
const MIN_TAGGED_COLUMNS = 56;
/** Narrower titles have no marks if they need the room. */
const MIN_MARKED_COLUMNS = 24;

/** Draws a title, and after it the session's marks and tags, which have some room even if the title is long. */
function drawTitle(
  title: readonly StyledSpan[],
  { marks, tags }: { marks: readonly string[]; tags: readonly string[] },
  { theme, columns }: Pick<Pane, "theme" | "columns">,
): string {
  const toText = (some: readonly string[]) => (some.length === 0 ? "" : `  ${some.join(" ")}`);
  const all: StyledSpan = { text: toText([...marks, ...tags]), format: "dim" };
  const titleColumns = title.reduce((sum, { text }) => sum + measureWidth(truncate(text, columns)), 0);
  const left = columns - titleColumns;
  const hasTags = columns >= MIN_TAGGED_COLUMNS && tags.length > 0;
  if (measureWidth(all.text) <= left || columns < MIN_MARKED_COLUMNS || (marks.length === 0 && !hasTags))
    return drawLine({ theme, columns }, [...title, all]);
  const marksText = toText(marks);
  const reserved = hasTags ? Math.min(TAG_COLUMNS, Math.floor(columns * TAG_SHARE)) : 0;
  const room = Math.max(reserved, left - measureWidth(marksText));
  const after = marksText + (hasTags ? fitTags(tags, room) : "");
  return (
    drawLine({ theme, columns: columns - measureWidth(after) }, title) +
    drawLine({ theme, columns: measureWidth(after) }, [{ text: after, format: "dim" }])
  );
}

/** As many tags as fit, and the number of the others: `  tax +2`. The first one is cut if necessary. */
function fitTags(tags: readonly string[], columns: number): string {
  for (let count = tags.length; count > 0; count--) {
    const others = count < tags.length ? [`+${tags.length - count}`] : [];
    const text = `  ${[...tags.slice(0, count), ...others].join(" ")}`;
    if (measureWidth(text) <= columns) return text;
  }
  return truncate(`  ${tags[0]}`, columns);
}

function titleFormat(
  { session, branchLines, hits, titlePositions }: Row,
  isSelected: boolean,
): StyledSpan["format"] {
  if (isSelected || hits.length > 0 || titlePositions !== undefined) return "bold";
  // The title of an unnamed fork is usually that of the session above it.
  return branchLines !== "" && session.name === undefined ? "dim" : undefined;
}

// Without Intl, which takes several milliseconds on first use.

/** The title, with the characters that match the query. */
function titleSpans({ session, titlePositions = [] }: Row, format: StyledSpan["format"]): StyledSpan[] {
  const title = getSessionTitle(session);
  const spans: StyledSpan[] = [];
  let from = 0;
  for (let n = 0; n < titlePositions.length; ) {
    const start = titlePositions[n] as number;
    let end = start;
    while (titlePositions[n] === end) {
      end++;
      n++;
    }
    spans.push(
      { text: title.slice(from, start), format },
      { text: title.slice(start, end), format: MATCH_STYLE },
    );
    from = end;
  }
  return [...spans, { text: title.slice(from), format }];
}

/** A cost in at most six columns up to 999,500 dollars: without cents from 100 dollars on. */
export function formatCost(dollars: number): string {
  return dollars < 99.995 ? formatCents(dollars) : `$${shorten(dollars, 9999.5)}`;
}

/** A number, in thousands from a limit on. */
function shorten(value: number, limit: number): string {
  return value < limit ? formatInteger(Math.round(value)) : `${formatInteger(Math.round(value / 1000))}k`;
}

function hitLine(hit: ShownHit, pane: Pane): string {
  const before = INDENT + SOURCE_WIDTH + 1;
  const remark = hit.onCurrentBranch ? "" : "(abandoned branch)";
  const taken = remark === "" ? 0 : measureWidth(remark) + GAP_COLUMNS;
  const pieces = showFirstMatch(toSegments(hit), pane.columns - before - taken);
  const left: StyledSpan[] = [
    { text: " ".repeat(INDENT) },
    { text: `${pad(truncate(getHitSource(hit), SOURCE_WIDTH), SOURCE_WIDTH)} `, format: "dim" },
    ...pieces.map(({ text, isMatch }) => ({ text, format: isMatch ? MATCH_STYLE : ("dim" as const) })),
  ];
  return drawLine(pane, left, remark === "" ? [] : [{ text: remark, format: "dim" }]);
}

/** Style of matches: also bold and underlined, for terminals without colors. */
const MATCH_STYLE = ["bold", "underline", "yellow"] as const satisfies StyledSpan["format"];
