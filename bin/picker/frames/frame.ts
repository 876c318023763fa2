/** Draws the whole screen from the state. */
import { bytes } from "../../format/bytes.ts";
import { grouped, oneLine } from "../../format/safe.ts";
import { cut, width } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import { titleOf } from "../../format/titles.ts";
import { type State, selectedRow } from "../model/state.ts";
import type { ShownSession } from "../model/view.ts";
import { facetsFrame } from "./facets-frame.ts";
import { bodyRows, layoutOf, type PreviewPlace, type Size } from "./layout.ts";
import { line, plain, type Span } from "./line.ts";
import { listLines, shortened } from "./list-frame.ts";
import { treeFrame } from "./tree-frame.ts";

/** Parts of a frame that other modules draw. */
export interface Parts {
  /** The query line. */
  input: (columns: number) => string;
  /** The last line while a prompt is open. */
  prompt?: ((columns: number) => string) | undefined;
  preview?:
    | {
        title: string;
        /** The previewed session; while other results are loading, it may not be the selected one. */
        session?: ShownSession | undefined;
        lines: (columns: number, rows: number) => string[];
      }
    | undefined;
  /** Key hints, most useful first. */
  hints: readonly string[];
  /** Key hints to widen a search without results. */
  wider?: readonly string[] | undefined;
  /** The lines of the help. */
  help?: readonly string[] | undefined;
}

/** Draws a frame: as many lines as the screen has rows, none wider than its columns. */
export function frame(state: State, size: Size, theme: Theme, place: PreviewPlace, parts: Parts): string[] {
  const { columns, rows } = size;
  const lines = [
    heading(state, columns, theme),
    parts.input(columns),
    rule(state, columns, theme, parts),
    ...body(state, size, theme, place, parts),
  ].slice(0, Math.max(0, rows - 1));
  lines.push(footing(state, columns, theme, parts));
  return lines;
}

function body(state: State, size: Size, theme: Theme, place: PreviewPlace, parts: Parts): string[] {
  const { columns } = size;
  const height = bodyRows(size);
  if (state.help && parts.help) {
    const shown = parts.help.slice(state.help.top, state.help.top + height);
    return filled(shown, columns, height);
  }
  if (state.mode === "tree" && state.tree) return treeFrame(state.tree, columns, height, theme);
  if (state.mode === "facets" && state.facets) return facetsFrame(state.facets, columns, height, theme);
  if (state.mode === "preview") return filled(parts.preview?.lines(columns, height) ?? [], columns, height);
  const { list, preview } = layoutOf(size, place);
  const rows = listLines(state, list.columns, list.rows, theme, parts.wider);
  if (!preview) return rows;
  const beside = parts.preview?.lines(preview.columns, preview.rows) ?? [];
  const read = filled(beside, preview.columns, preview.rows);
  if (preview.place === "below")
    return [...rows, titledRule(parts.preview?.title ?? "", columns, theme), ...read];
  const bar = theme.style("dim", "│");
  return rows.map((row, n) => `${row}${bar} ${read[n] ?? ""}`);
}

/** Cuts or pads lines to `rows` lines. */
function filled(lines: readonly string[], columns: number, rows: number): string[] {
  const shown = lines.slice(0, rows);
  while (shown.length < rows) shown.push(plain(columns, ""));
  return shown;
}

/** The first line: scope, order, filters, and the number of results. */
function heading(state: State, columns: number, theme: Theme): string {
  const { view, results, indexing } = state;
  const isNarrow = columns < 60;
  const scope = view.cwd === undefined ? (isNarrow ? "all" : "all folders") : shortened(view.cwd);
  const flags = [view.named && "named", view.archived && "+archived", view.subagents && "+subagents"];
  const left: Span[] = [
    { text: isNarrow ? "" : "pidex  ", format: "bold" },
    { text: cut(scope, Math.floor(columns / 2)), format: "cyan" },
    { text: `  ${effectiveSort(state)}`, format: "dim" },
    { text: flags.flatMap((flag) => (flag ? [`  ${flag}`] : [])).join(""), format: "yellow" },
  ];
  const total = `${grouped(results.total)}${results.more ? "+" : ""}`;
  const count = results.rows.length === 0 ? total : `${grouped(state.selected + 1)}/${total}`;
  const right: Span[] = [
    { text: indexing ? `${formatProgress(indexing, isNarrow)}  ` : "", format: "yellow" },
    { text: state.isBehind ? `… ${count}` : count, format: "dim" },
  ];
  return line(
    theme,
    columns,
    left,
    right.filter(({ text }) => text !== ""),
  );
}

/** The order of the list: search results are never threaded. */
function effectiveSort({ view }: State): string {
  return view.sort === "threaded" && view.query.trim() !== "" ? "best" : view.sort;
}

function formatProgress(
  { filesDone, filesTotal, bytesDone, bytesTotal }: NonNullable<State["indexing"]>,
  isNarrow: boolean,
): string {
  const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal);
  const percent = `${Math.floor(100 * Math.min(1, share))}%`;
  return isNarrow ? percent : `indexing ${percent} of ${bytes(bytesTotal)}`;
}

/** The line below the query: completions, or a title, or a remark about the results. */
function rule(state: State, columns: number, theme: Theme, parts: Parts): string {
  if (state.help) return titledRule("keys", columns, theme);
  if (state.mode === "tree" && state.tree)
    return titledRule(`${state.tree.title}${state.tree.all ? " · all entries" : ""}`, columns, theme);
  if (state.mode === "facets") return titledRule("filter by", columns, theme);
  const { completions, results } = state;
  if (state.mode === "preview") {
    const session = parts.preview?.session ?? selectedRow(state)?.session;
    const title = session ? titleOf(session) : "";
    const about = parts.preview?.title ?? "";
    if (about === "") return titledRule(title, columns, theme);
    // A long title must not push out the number of the hit.
    return titledRule(`${cut(title, Math.max(1, columns - width(about) - 9))} · ${about}`, columns, theme);
  }
  if (completions.texts.length > 0) {
    const spans = completions.texts.flatMap((text, n): Span[] => [
      { text: "  " },
      { text: oneLine(text), format: n === completions.taken ? ["bold", "cyan"] : "dim" },
    ]);
    return line(theme, columns, spans);
  }
  if (results.remark && results.rows.length > 0) return titledRule(oneLine(results.remark), columns, theme);
  return titledRule("", columns, theme);
}

/** Narrower rules are drawn without a title. */
const MIN_TITLE_COLUMNS = 8;

function titledRule(title: string, columns: number, theme: Theme): string {
  if (title === "" || columns < MIN_TITLE_COLUMNS) return theme.style("dim", "─".repeat(columns));
  const shown = cut(title, Math.max(0, columns - 6));
  const rest = Math.max(0, columns - width(shown) - 4);
  return `${theme.style("dim", "──")} ${theme.style("bold", shown)} ${theme.style("dim", "─".repeat(rest))}`;
}

/** The last line: a prompt, a message, or key hints. */
function footing(state: State, columns: number, theme: Theme, { prompt, hints }: Parts): string {
  if (prompt) return prompt(columns);
  if (state.message) {
    const { text, isError } = state.message;
    return line(theme, columns, [{ text: oneLine(text), format: isError ? "red" : "green" }]);
  }
  let text = "";
  for (const hint of hints) {
    const longer = text === "" ? hint : `${text} · ${hint}`;
    if (width(longer) > columns) break;
    text = longer;
  }
  return line(theme, columns, [{ text, format: "dim" }]);
}
