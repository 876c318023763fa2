import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Choice, ChooserComponent, type ChooserOptions } from "../../../bin/pi/chooser.ts";
import { truncateToColumns } from "../../../bin/pi/truncate-to-columns.ts";

const KEYS: Record<string, string> = {
  "tui.select.up": "UP",
  "tui.select.down": "DOWN",
  "tui.select.pageDown": "PAGE",
  "tui.select.confirm": "ENTER",
  "tui.select.cancel": "ESC",
  "tui.editor.deleteCharBackward": "BACK",
};

const choicesOf = (...texts: string[]): Choice<string>[] => texts.map((text) => ({ value: text, text }));

function open(choosing: Partial<ChooserOptions<string>> = {}) {
  const chosen: (string | undefined)[] = [];
  const component = new ChooserComponent(
    {
      title: "Lamps",
      initialQuery: "",
      initialChoices: choicesOf("red", "green"),
      find: async () => [],
      ...choosing,
    },
    {
      tui: { requestRender() {} },
      theme: { fg: (_, text) => text },
      keybindings: { matches: (data, key) => KEYS[key] === data },
    },
    (value) => chosen.push(value),
  );
  const press = async (...keys: string[]) => {
    for (const key of keys) component.handleInput(key);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const rows = () => component.render(60).slice(3, -2);
  return { chosen, press, rows };
}

test("the arrow keys move, enter returns the selected value, and escape returns nothing", async () => {
  const list = open();
  await list.press("UP", "DOWN", "DOWN", "DOWN", "ENTER");
  await list.press("ESC");
  expect(list.chosen).toEqual(["green", undefined]);
});

test("a long list scrolls with the selection", async () => {
  const list = open({ initialChoices: choicesOf(...Array.from({ length: 30 }, (_, n) => `lamp ${n}`)) });
  await list.press("PAGE", "DOWN", "DOWN");
  expect(list.rows()).toHaveLength(10);
  expect(list.rows()).toContain("→ lamp 12");
  await list.press("PAGE", "PAGE");
  expect(list.rows().at(-1)).toBe("→ lamp 29");
});

test("typed and pasted text is searched with its last word as a prefix, and deleted text is not", async () => {
  const queries: string[] = [];
  const find = async (query: string) => {
    queries.push(query);
    return query === "lam*" ? choicesOf("lamp") : [];
  };
  const list = open({ find });
  await list.press("l", "a", "m");
  expect([queries, list.rows()]).toEqual([["lam*"], ["→ lamp"]]);
  await list.press("\x1b[200~ps on\n\x1b[201~", "\x1b[5D");
  expect([queries.at(-1), list.rows()]).toEqual(["lamps on", ["  No matches."]]);
  await list.press("ENTER", ...Array<string>(9).fill("BACK"));
  expect([queries.at(-1), list.chosen]).toEqual(["", []]);
});

test("a late result doesn't replace that of a newer query, and an error is shown", async () => {
  const answers: ((choices: Choice<string>[]) => void)[] = [];
  const list = open({
    find: (query) =>
      query === "oops*"
        ? Promise.reject(new Error("no index"))
        : new Promise((resolve) => answers.push(resolve)),
  });
  await list.press("lamp", "s");
  answers[1]?.(choicesOf("lamps"));
  answers[0]?.(choicesOf("lamp"));
  await list.press();
  expect(list.rows()).toEqual(["→ lamps"]);
  await list.press(...Array<string>(5).fill("BACK"), "oops");
  expect(list.rows()).toEqual(["  no index"]);
});

test("no line is wider than the screen", () => {
  expect(truncateToColumns("lighthouse", 10)).toBe("lighthouse");
  expect(truncateToColumns("lighthouses", 10)).toBe("lighthou…");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, most) => {
      expect(visibleWidth(truncateToColumns(text, most))).toBeLessThanOrEqual(most);
    }),
  );
});
