import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { measureWidth } from "../../../bin/format/text.ts";
import { createTheme } from "../../../bin/format/theme.ts";
import { drawHelp } from "../../../bin/picker/frames/help.ts";
import { ACTIONS, MODES } from "../../../bin/picker/keys/actions.ts";
import { KeyBindings } from "../../../bin/picker/keys/key-bindings.ts";

const draw = (columns: number, mode: (typeof MODES)[number] = "list"): string[] =>
  drawHelp(new KeyBindings(), mode, { theme: createTheme({}), columns, rows: 24 }, "/config.toml").map(
    (line) => stripVTControlCharacters(line),
  );

test.each([120, 80, 40])("all of the help is readable in %i columns", (columns) => {
  const lines = draw(columns);
  for (const line of lines) {
    expect(measureWidth(line)).toBe(columns);
    expect(line).not.toContain("…");
  }
  const text = lines.join(" ").replace(/\s+/g, " ");
  for (const { does } of ACTIONS) expect(text).toContain(does);
});

test("in narrow terminals, descriptions wrap, and long keys have a line of their own", () => {
  const lines = draw(40).map((line) => line.trimEnd());
  expect(lines.slice(1, 4)).toEqual([
    "  Session",
    "  Enter         resume the session in",
    "                its folder",
  ]);
  const down = lines.indexOf("  Down, Ctrl+N, Ctrl+J");
  expect(lines[down + 1]).toBe("                move down");
});

test("queries, columns and marks are explained before the keys of other views", () => {
  for (const mode of MODES) {
    const headings = draw(80, mode).filter((line) => /^[KQC]\w+ /.test(line));
    expect(headings.slice(1, 3).map((line) => line.trimEnd())).toEqual([
      "Queries",
      "Columns and marks in the list",
    ]);
  }
  const text = draw(120).join("\n");
  expect(text).toMatch(/^ {2}⚑2 +2 labels/m);
  expect(text).toMatch(/^ {2}⑂ +a fork of another session/m);
  expect(text).toMatch(/hits, project, messages, cost, time since the last change/);
});
