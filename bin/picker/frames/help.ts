/** Draws the help: the table of keys and examples of queries. */
import { measureWidth, pad, wrap } from "../../format/text.ts";
import { type Action, LINE_KEYS, MODES, type Mode } from "../keys/actions.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import { formatKey } from "../keys/key-names.ts";
import { drawLine, type Pane } from "./line.ts";

const HEADINGS: Record<Mode, string> = {
  list: "Keys in the list",
  preview: "Keys in the reader",
  tree: "Keys in the tree",
  facets: "Keys in the filters",
  palette: "Keys in the list of commands",
};

/** Maximum columns of keys and other texts that are explained, and their share of narrow screens. */
const MAX_TEXT_COLUMNS = 24;
const TEXT_SHARE = 0.3;

type Explained = readonly (readonly [text: string, does: string])[];

/** The lines of the help: the keys of the current mode, queries and marks, then the keys of the other modes. */
export function drawHelp(keys: KeyBindings, mode: Mode, pane: Pane, settingsPath: string): string[] {
  const section = (heading: string, lines: readonly string[]) => [
    drawLine(pane, [{ text: heading, format: ["bold", "cyan"] }]),
    ...lines,
    drawLine(pane, []),
  ];
  const keysOf = (each: Mode) => {
    const groups = keys.getGroups(each).flatMap(({ name, actions }) => {
      const rows = actions.filter(({ keys }) => keys.length > 0).map(describe);
      return rows.length > 0 ? [{ name, rows }] : [];
    });
    const wide = getTextColumns(
      groups.flatMap(({ rows }) => rows.map(([text]) => text)),
      pane,
    );
    const lines = groups.flatMap(({ name, rows }) => {
      const heading = drawLine(pane, [{ text: `  ${name}`, format: "bold" }]);
      return [...(groups.length > 1 ? [heading] : []), ...drawRows(rows, pane, wide)];
    });
    const remark = each === "list" ? drawRemark(`  Editing the query: ${LINE_KEYS}`, pane) : [];
    return section(HEADINGS[each], [...lines, ...remark]);
  };
  return [
    ...keysOf(mode),
    ...section("Queries", drawRows(QUERIES, pane)),
    ...section("Columns and marks in the list", drawRows(MARKS, pane)),
    ...MODES.filter((each) => each !== mode).flatMap(keysOf),
    ...drawRemark(`Key bindings are set in ${settingsPath}`, pane),
  ];
}

/** An action with the display names of its keys. */
const describe = ({ keys, does }: Action) => [keys.map(formatKey).join(", "), does] as const;

/** Columns of texts that are explained beside them. */
function getTextColumns(texts: readonly string[], pane: Pane): number {
  const longest = Math.max(...texts.map(measureWidth));
  return Math.min(longest, MAX_TEXT_COLUMNS, Math.floor(pane.columns * TEXT_SHARE));
}

/** Draws texts, and beside them what they do. Texts that are too long for their column have a line of their own. */
function drawRows(
  rows: Explained,
  pane: Pane,
  wide = getTextColumns(
    rows.map(([text]) => text),
    pane,
  ),
): string[] {
  const line = (text: string, does?: string) =>
    drawLine(pane, [
      { text: `  ${pad(text, wide)}`, format: "cyan" },
      { text: does === undefined ? "" : `  ${does}` },
    ]);
  return rows.flatMap(([text, does]) => {
    const [first = "", ...more] = wrap(does, Math.max(1, pane.columns - wide - 4));
    const isBeside = measureWidth(text) <= wide;
    return [
      ...(isBeside ? [line(text, first)] : [line(text), line("", first)]),
      ...more.map((each) => line("", each.trimStart())),
    ];
  });
}

function drawRemark(text: string, pane: Pane): string[] {
  return wrap(text, pane.columns).map((line) => drawLine(pane, [{ text: line, format: "dim" }]));
}

const MARKS = [
  ["2×   shop   160   $1.50   2h", "hits, project, messages, cost, time since the last change"],
  ["3 of 66+", "in the first line: the third of at least 66 sessions"],
  ["✓", "marked with Tab, for actions on several sessions"],
  ["★  archived  subagent", "pinned; archived; a subagent's session"],
  ["⚑2", "2 labels, which the tree shows"],
  ["!", "unreadable lines in the file: pidex doctor"],
  ["⑂", "a fork of another session"],
  ["├─  └─", "a fork, below the session that it was made from"],
  ["tax  bug +1", "after the title, dim: the tags; +1: one that does not fit"],
  ["●  •  ·", "in the tree: last entry, its branch, others"],
] as const;

const QUERIES = [
  ['checkout "double tax"', "words and phrases"],
  ["project:shop role:user", "fields; Tab takes the completion shown, Shift+Tab lists all"],
  ["is:error since:7d -blog", "excluded words"],
  ["Up in the first row", "recalls earlier queries, if nothing is typed"],
  ["re:ECONNREFUSED.*\\d", "a regular expression, matched against files"],
] as const;
