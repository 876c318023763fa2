/** The whole screen at a moment, drawn from the state. */
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

/** What is drawn elsewhere, and stands in the frame. */
export interface Parts {
  /** The line that is typed into, or what stands in it before anybody can type. */
  input: (columns: number) => string;
  /** The last line while something is asked there. */
  prompt?: ((columns: number) => string) | undefined;
  preview?:
    | {
        title: string;
        /** Whose it is: while something else is looked for, not always the one that is chosen. */
        session?: ShownSession | undefined;
        lines: (columns: number, rows: number) => string[];
      }
    | undefined;
  /** What can be pressed, the most useful first. */
  hints: readonly string[];
  /** What can be pressed to look further where nothing was found. */
  wider?: readonly string[] | undefined;
  /** The table of keys, line by line. */
  help?: readonly string[] | undefined;
}

/** The screen: as many lines as it has, none wider than it is. */
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

/** Lines that are drawn already, made as many as there is room for. */
function filled(lines: readonly string[], columns: number, rows: number): string[] {
  const shown = lines.slice(0, rows);
  while (shown.length < rows) shown.push(plain(columns, ""));
  return shown;
}

/** Which sessions are shown, how, and how many there are. */
function heading(state: State, columns: number, theme: Theme): string {
  const { view, results, indexing } = state;
  const isNarrow = columns < 60;
  const scope = view.cwd === undefined ? (isNarrow ? "all" : "all folders") : shortened(view.cwd);
  const flags = [view.named && "named", view.archived && "archived too", view.subagents && "subagents too"];
  const left: Span[] = [
    { text: isNarrow ? "" : "pidex  ", format: "bold" },
    { text: cut(scope, Math.floor(columns / 2)), format: "cyan" },
    { text: `  ${sortOf(state)}`, format: "dim" },
    { text: flags.flatMap((flag) => (flag ? [`  ${flag}`] : [])).join(""), format: "yellow" },
  ];
  const total = grouped(results.total);
  const many = results.more ? `${total}+` : total;
  const count = results.rows.length === 0 ? many : `${grouped(state.selected + 1)}/${many}`;
  const right: Span[] = [
    { text: indexing ? `${progressOf(indexing, isNarrow)}  ` : "", format: "yellow" },
    { text: state.isBehind ? `… ${count}` : count, format: "dim" },
  ];
  return line(
    theme,
    columns,
    left,
    right.filter(({ text }) => text !== ""),
  );
}

/** How the list is sorted. Threads are of sessions: what is found stands by itself, best first. */
function sortOf({ view }: State): string {
  return view.sort === "threaded" && view.query.trim() !== "" ? "best" : view.sort;
}

function progressOf(
  { filesDone, filesTotal, bytesDone, bytesTotal }: NonNullable<State["indexing"]>,
  isNarrow: boolean,
): string {
  const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal);
  const percent = `${Math.floor(100 * Math.min(1, share))}%`;
  return isNarrow ? percent : `indexing ${percent} of ${bytes(bytesTotal)}`;
}

/** The line below the query: completions where there are any, else what is read, or what should be known. */
function rule(state: State, columns: number, theme: Theme, parts: Parts): string {
  if (state.help) return titledRule("keys", columns, theme);
  if (state.mode === "tree" && state.tree)
    return titledRule(`${state.tree.title}${state.tree.all ? " · all entries" : ""}`, columns, theme);
  if (state.mode === "facets") return titledRule("narrow by", columns, theme);
  const { completions, results } = state;
  if (state.mode === "preview") {
    const session = parts.preview?.session ?? selectedRow(state)?.session;
    const title = session ? titleOf(session) : "";
    const about = parts.preview?.title ?? "";
    if (about === "") return titledRule(title, columns, theme);
    // A long title must not hide which of the hits it is.
    return titledRule(`${cut(title, Math.max(1, columns - width(about) - 9))} · ${about}`, columns, theme);
  }
  if (completions.texts.length > 0) {
    const spans = completions.texts.flatMap((text, n): Span[] => [
      { text: n === 0 ? "  " : "  " },
      { text: oneLine(text), format: n === completions.taken ? ["bold", "cyan"] : "dim" },
    ]);
    return line(theme, columns, spans);
  }
  if (results.remark && results.rows.length > 0) return titledRule(oneLine(results.remark), columns, theme);
  return titledRule("", columns, theme);
}

/** In fewer columns a rule has no room for words. */
const LEAST_TITLED = 8;

function titledRule(title: string, columns: number, theme: Theme): string {
  if (title === "" || columns < LEAST_TITLED) return theme.style("dim", "─".repeat(columns));
  const shown = cut(title, Math.max(0, columns - 6));
  const rest = Math.max(0, columns - width(shown) - 4);
  return `${theme.style("dim", "──")} ${theme.style("bold", shown)} ${theme.style("dim", "─".repeat(rest))}`;
}

/** The last line: what is asked, what was said, or what can be pressed. */
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
