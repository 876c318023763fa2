/** Draws the whole screen from the state. */
import { formatCount, formatInteger, toOneLine } from "../../format/safe.ts";
import { measureWidth, truncate } from "../../format/text.ts";
import { applyLook } from "../../format/themes.ts";
import { getSessionTitle } from "../../format/titles.ts";
import { findsHits, sortsByColumn } from "../../format/typed-query.ts";
import { getSelectedRow, type State } from "../model/state.ts";
import type { ShownSession } from "../model/view.ts";
import { drawFacets } from "./facets-frame.ts";
import { drawFooter, drawLongNotice, RULE_COLUMNS, wrapLongNotice } from "./footer.ts";
import type { KeyHint } from "./hints.ts";
import { computeLayout, countBodyRows, type PreviewPosition } from "./layout.ts";
import { drawLine, fillRows, type Pane, type StyledSpan } from "./line.ts";
import { drawList, drawScrollbar } from "./list-frame.ts";
import { drawPalette } from "./palette-frame.ts";
import { shortenPath } from "./paths.ts";
import { drawPreviewHeading, drawSessionFacts } from "./preview-frame.ts";
import { drawTree } from "./tree-frame.ts";

/** The previewed session; while other results are loading, it may not be the selected one. */
export interface FramePreview {
  /** The current hit and what is shown, most important first. */
  facts: readonly string[];
  session?: ShownSession | undefined;
  drawLines: (columns: number, rows: number) => string[];
}

/** Parts of a frame that other modules draw. */
export interface FrameParts {
  /** The query line. */
  input: (columns: number) => string;
  /** The last line while a prompt is open. */
  prompt?: ((columns: number) => string) | undefined;
  preview?: FramePreview | undefined;
  /** Key hints, most useful first. */
  hints: readonly KeyHint[];
  /** The hint that is shown at every width, after the others. */
  lastHint?: KeyHint | undefined;
  /** Key hints to widen a search without results. */
  widerHints?: readonly string[] | undefined;
  /** The lines of the help. */
  help?: readonly string[] | undefined;
}

/** Draws a frame: as many lines as the screen has rows, none wider than its columns. */
export function drawFrame(state: State, screen: Pane, place: PreviewPosition, parts: FrameParts): string[] {
  const drawn = body(state, screen, place, parts); // first, because it settles where the reader is
  const read = getReadSession(state, parts);
  const lines = [
    heading(state, screen),
    // Where keys are commands, there is no query to type.
    read ? drawSessionFacts(read, screen) : parts.input(screen.columns),
    rule(state, screen, parts),
    ...drawn,
    ...drawLongNotice(state, screen),
  ];
  const footer = drawFooter(state, screen, parts);
  lines.splice(Math.max(0, screen.rows - footer.length));
  lines.push(...footer);
  return lines.map((line) => applyLook(line, state.look));
}

function body(state: State, screen: Pane, place: PreviewPosition, parts: FrameParts): string[] {
  const { theme } = screen;
  const pane = { ...screen, rows: countBodyRows(screen) };
  const whole = wholeBody(state, pane, parts);
  if (whole) return fillRows(whole, pane);
  const { list, preview } = computeLayout(screen, place, wrapLongNotice(state, screen).length);
  const isRight = preview?.place === "right";
  // Beside a preview, the border is the scrollbar.
  const hasBar = isRight || list.columns >= MIN_SCROLLBAR_COLUMNS;
  const columns = hasBar && !isRight ? list.columns - 1 : list.columns;
  const bar = hasBar ? drawScrollbar(state, { ...list, theme }, isRight ? "│" : " ") : [];
  const rows = drawList(state, { rows: list.rows, columns, theme }, parts.widerHints).map(
    (row, n) => row + (bar[n] ?? ""),
  );
  if (!preview) return rows;
  const read = fillRows(drawPreview(state, { ...preview, theme }, parts.preview), preview);
  if (preview.place === "below")
    return [...rows, titledRule(parts.preview?.facts.join(SEPARATOR) ?? "", screen), ...read];
  return rows.map((row, n) => `${row} ${read[n] ?? ""}`);
}

/** The selected session: what is known of it at once, and its conversation as soon as that is loaded. */
function drawPreview(state: State, pane: Pane, preview: FramePreview | undefined): string[] {
  const session = getSelectedRow(state)?.session;
  if (!session) return [];
  const heading = drawPreviewHeading(session, pane);
  const rows = pane.rows - heading.length;
  const text = preview?.session?.path === session.path ? preview.drawLines(pane.columns, rows) : [];
  return [...heading, ...text];
}

/** Narrower lists have no scrollbar. */
const MIN_SCROLLBAR_COLUMNS = 20;

/** The lines of a view that replaces the list. */
function wholeBody(state: State, pane: Pane, { help, preview }: FrameParts): string[] | undefined {
  if (state.help && help) return help.slice(state.help.top);
  if (state.mode === "tree" && state.tree) return drawTree(state.tree, pane);
  if (state.mode === "facets" && state.facets) return drawFacets(state.facets, pane);
  if (state.mode === "palette" && state.palette) return drawPalette(state.palette, pane);
  return state.mode === "preview" ? (preview?.drawLines(pane.columns, pane.rows) ?? []) : undefined;
}

/** The session that fills the screen: its conversation or its tree. */
function getReadSession({ mode, tree, help }: State, { preview }: FrameParts): ShownSession | undefined {
  if (help) return undefined;
  return mode === "tree" ? tree?.session : mode === "preview" ? preview?.session : undefined;
}

/** The first line: scope, order, filters, and the number of results. */
function heading(state: State, screen: Pane): string {
  const { view, results, indexing, marked, failure } = state;
  const isNarrow = screen.columns < 60;
  if (state.isOpening)
    return drawLine(screen, [{ text: "pidex", format: "bold" }], [{ text: "…", format: "dim" }]);
  const scope = view.cwd === undefined ? (isNarrow ? "all" : "all folders") : shortenPath(view.cwd);
  const flags = [view.named && "named", view.archived && "+archived", view.subagents && "+subagents"];
  const left: StyledSpan[] = [
    { text: isNarrow ? "" : "pidex  ", format: "bold" },
    { text: truncate(scope, Math.floor(screen.columns / 2)), format: "cyan" },
    { text: `  ${effectiveSort(state)}`, format: "dim" },
    { text: flags.flatMap((flag) => (flag ? [`  ${flag}`] : [])).join(""), format: "yellow" },
    { text: marked.size > 0 ? `  ${formatInteger(marked.size)} marked` : "", format: ["bold", "green"] },
  ];
  const total = `${formatInteger(results.total)}${results.hasMore ? "+" : ""}`;
  const count =
    failure !== undefined
      ? "0"
      : results.rows.length === 0
        ? total
        : `${formatInteger(state.selected + 1)} of ${total}`;
  // While sessions are indexed, their number is that of the progress.
  const right: StyledSpan[] = [
    indexing
      ? { text: formatProgress(indexing, isNarrow), format: "yellow" }
      : { text: state.isLoading ? `… ${count}` : count, format: "dim" },
  ];
  return drawLine(screen, left, right);
}

/** The order of the list. */
function effectiveSort({ view: { query, sort, newestHits } }: State): string {
  if (findsHits(query)) return newestHits ? "newest" : "relevance";
  if (sortsByColumn(query) && (sort === "cost" || sort === "messages")) return `by ${sort}`;
  return query.trim() === "" && sort === "threaded" ? "by thread" : "newest";
}

function formatProgress(
  { filesDone, filesTotal, bytesDone, bytesTotal, index }: NonNullable<State["indexing"]>,
  isNarrow: boolean,
): string {
  const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal);
  const percent = `indexing ${Math.floor(100 * Math.min(1, share))}%`;
  if (isNarrow || !index || index.indexed === 0) return percent;
  return `${percent} · ${formatInteger(index.indexed)} of ${formatCount(index.files, "session")} listed`;
}

/** The line below the query: completions, or a title, or a remark about the results. */
function rule(state: State, screen: Pane, parts: FrameParts): string {
  const { mode, help, completions } = state;
  if (help || mode !== "list" || completions.texts.length === 0)
    return titledRule(ruleTitle(state, screen, parts), screen);
  const { texts, taken = 0 } = completions;
  const words = texts.map((text) => `  ${toOneLine(text)}`);
  // The accepted one is visible: those before it are left out as far as needed.
  let from = 0;
  while (from < taken && measureWidth(words.slice(from, taken + 1).join("")) >= screen.columns) from++;
  const spans = words.map((text, n): StyledSpan => {
    return { text, format: n === completions.taken ? ["bold", "cyan"] : "dim" };
  });
  return drawLine(screen, spans.slice(from));
}

function ruleTitle(state: State, screen: Pane, { preview }: FrameParts): string {
  const { mode, help, tree, results } = state;
  if (help) return "keys, queries, columns and marks";
  if (mode === "tree" && tree) {
    const facts = tree.params.all ? [...tree.facts, "all entries"] : tree.facts;
    return joinFacts(getSessionTitle(tree.session), facts, screen);
  }
  if (mode === "facets") return "filter by";
  if (mode === "palette") return state.palette?.title ?? "";
  if (mode === "preview") {
    const session = preview?.session ?? getSelectedRow(state)?.session;
    const title = session ? getSessionTitle(session) : "";
    return joinFacts(title, preview?.facts ?? [], screen);
  }
  if (results.rows.length === 0 || state.failure !== undefined) return "";
  const above = Math.min(state.newAbove, state.top);
  const isFirstList = state.isElsewhere && state.view.cwd === undefined && state.view.query.trim() === "";
  const elsewhere = isFirstList && above === 0 ? "no sessions in this folder, so all are listed" : "";
  const notice = wrapLongNotice(state, screen).length > 0 ? "" : toOneLine(results.notice ?? elsewhere);
  return [above > 0 ? `↑ ${formatInteger(above)} new` : "", notice].filter(Boolean).join(" · ");
}

/** A title and as many facts about it as fit. A long title must not push out the number of the hit. */
function joinFacts(title: string, facts: readonly string[], { columns }: Pane): string {
  const room = columns - RULE_COLUMNS;
  const fitting = [...facts];
  while (fitting.length > 1 && measureWidth(fitting.join(SEPARATOR)) > room) fitting.pop();
  const about = fitting.join(SEPARATOR);
  const left = room - measureWidth(SEPARATOR + about);
  if (about === "" || left < MIN_TITLE_COLUMNS) return about || title;
  return truncate(title, left) + SEPARATOR + about;
}

/** Between the facts in a rule. */
const SEPARATOR = " · ";

/** Narrower rules are drawn without a title, and titles narrower than that are left out. */
const MIN_TITLE_COLUMNS = 8;

function titledRule(title: string, { columns, theme }: Pane): string {
  if (title === "" || columns < MIN_TITLE_COLUMNS) return theme.style("dim", "─".repeat(columns));
  const shown = truncate(title, Math.max(0, columns - RULE_COLUMNS));
  const rest = Math.max(0, columns - measureWidth(shown) - 4);
  return `${theme.style("dim", "──")} ${theme.style("bold", shown)} ${theme.style("dim", "─".repeat(rest))}`;
}
