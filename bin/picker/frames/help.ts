/** The table of keys, as lines. */
import { fill, width } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import { LINE_KEYS, MODES, type Mode } from "../keys/actions.ts";
import type { Keys } from "../keys/keys.ts";
import { line } from "./line.ts";

const HEADINGS: Record<Mode, string> = {
  list: "In the list",
  preview: "While a session is read",
  tree: "In its tree",
  facets: "While narrowing",
};

/** All keys: those of where somebody is come first. */
export function helpLines(
  keys: Keys,
  mode: Mode,
  columns: number,
  theme: Theme,
  settingsPath: string,
): string[] {
  const say = (text: string) => line(theme, columns, [{ text, format: "dim" }]);
  const modes = [mode, ...MODES.filter((each) => each !== mode)];
  const lines = modes.flatMap((each) => {
    const rows = keys.table(each);
    const wide = Math.min(Math.floor(columns / 2), Math.max(...rows.map((row) => width(row.keys))));
    return [
      line(theme, columns, [{ text: HEADINGS[each], format: "bold" }]),
      ...rows.map((row) =>
        line(theme, columns, [{ text: `  ${fill(row.keys, wide)}  `, format: "cyan" }, { text: row.does }]),
      ),
      ...(each === "list" ? [say(`  In the line itself: ${LINE_KEYS}.`)] : []),
      line(theme, columns, []),
    ];
  });
  return [
    ...lines,
    line(theme, columns, [{ text: "What can be asked", format: "bold" }]),
    ...ASKED.map(([text, does]) =>
      line(theme, columns, [{ text: `  ${fill(text, 24)}  `, format: "cyan" }, { text: does }]),
    ),
    line(theme, columns, []),
    say(`Other keys: ${settingsPath}`),
  ];
}

const ASKED = [
  ['checkout "double tax"', "words, and words in a row"],
  ["project:shop role:user", "fields: Shift+Tab completes them"],
  ["is:error since:7d -blog", "and what is not wanted"],
  ["re:ECONNREFUSED.*\\d", "a regular expression, in the files themselves"],
] as const;
