/** Draws the help: the table of keys and examples of queries. */
import { fill, width } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import { LINE_KEYS, MODES, type Mode } from "../keys/actions.ts";
import type { Keys } from "../keys/keys.ts";
import { line } from "./line.ts";

const HEADINGS: Record<Mode, string> = {
  list: "Keys in the list",
  preview: "Keys in the full-screen preview",
  tree: "Keys in the tree",
  facets: "Keys in the filter",
};

/** The lines of the help, starting with the keys of the current mode. */
export function helpLines(
  keys: Keys,
  mode: Mode,
  columns: number,
  theme: Theme,
  settingsPath: string,
): string[] {
  const note = (text: string) => line(theme, columns, [{ text, format: "dim" }]);
  const modes = [mode, ...MODES.filter((each) => each !== mode)];
  const lines = modes.flatMap((each) => {
    const rows = keys.table(each);
    const wide = Math.min(Math.floor(columns / 2), Math.max(...rows.map((row) => width(row.keys))));
    return [
      line(theme, columns, [{ text: HEADINGS[each], format: "bold" }]),
      ...rows.map((row) =>
        line(theme, columns, [{ text: `  ${fill(row.keys, wide)}  `, format: "cyan" }, { text: row.does }]),
      ),
      ...(each === "list" ? [note(`  Editing the query: ${LINE_KEYS}`)] : []),
      line(theme, columns, []),
    ];
  });
  return [
    ...lines,
    line(theme, columns, [{ text: "Queries", format: "bold" }]),
    ...QUERIES.map(([text, does]) =>
      line(theme, columns, [{ text: `  ${fill(text, 24)}  `, format: "cyan" }, { text: does }]),
    ),
    line(theme, columns, []),
    note(`Key bindings are set in ${settingsPath}`),
  ];
}

const QUERIES = [
  ['checkout "double tax"', "words and phrases"],
  ["project:shop role:user", "fields; Shift+Tab completes them"],
  ["is:error since:7d -blog", "excluded words"],
  ["re:ECONNREFUSED.*\\d", "a regular expression, searched in the files themselves"],
] as const;
