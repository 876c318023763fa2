/** Draws the help: the table of keys and examples of queries. */
import { measureWidth, pad } from "../../format/text.ts";
import { LINE_KEYS, MODES, type Mode } from "../keys/actions.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

const HEADINGS: Record<Mode, string> = {
  list: "Keys in the list",
  preview: "Keys in the full-screen preview",
  tree: "Keys in the tree",
  facets: "Keys in the facets view",
  palette: "Keys in the command palette",
};

/** The lines of the help, starting with the keys of the current mode. */
export function drawHelp(keys: KeyBindings, mode: Mode, pane: Pane, settingsPath: string): string[] {
  const line = (...spans: StyledSpan[]) => drawLine(pane, spans);
  const heading = (text: string) => line({ text, format: "bold" });
  const note = (text: string) => line({ text, format: "dim" });
  const row = (text: string, wide: number, does: string) =>
    line({ text: `  ${pad(text, wide)}  `, format: "cyan" }, { text: does });
  const modes = [mode, ...MODES.filter((each) => each !== mode)];
  const lines = modes.flatMap((each) => {
    const rows = keys.describeActions(each);
    const wide = Math.min(
      Math.floor(pane.columns / 2),
      Math.max(...rows.map((row) => measureWidth(row.keys))),
    );
    return [
      heading(HEADINGS[each]),
      ...rows.map(({ keys, does }) => row(keys, wide, does)),
      ...(each === "list" ? [note(`  Editing the query: ${LINE_KEYS}`)] : []),
      line(),
    ];
  });
  return [
    ...lines,
    heading("Queries"),
    ...QUERIES.map(([text, does]) => row(text, 24, does)),
    line(),
    heading("Marks in rows"),
    ...MARKS.map(([text, does]) => row(text, 24, does)),
    line(),
    note(`Key bindings are set in ${settingsPath}`),
  ];
}

const MARKS = [
  ["✓", "marked with Tab, for actions on several sessions"],
  ["📌  archived  subagent", "pinned; archived; a subagent's session"],
  ["★2", "2 labels, which the tree shows"],
  ["!", "unreadable lines in the file: pidex doctor"],
  ["├─  ⑂", "a fork below its session; a fork elsewhere"],
  ["●  •  ·", "in the tree: last entry, its branch, others"],
] as const;

const QUERIES = [
  ['checkout "double tax"', "words and phrases"],
  ["project:shop role:user", "fields; Shift+Tab completes them"],
  ["is:error since:7d -blog", "excluded words"],
  ["Up in the first row", "recalls earlier queries, if nothing is typed"],
  ["re:ECONNREFUSED.*\\d", "a regular expression, matched against files"],
] as const;
