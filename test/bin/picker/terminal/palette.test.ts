import { expect, test } from "vitest";
import { getCount, getSelected, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

test.each([
  { cols: 120, rows: 36 },
  { cols: 80, rows: 24 },
  { cols: 40, rows: 24 },
])("Ctrl+K lists all commands with their keys, and runs one, in $cols columns", async ({ cols, rows }) => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols, rows });
  expect(picker.screen().at(-1)).toMatch(/ \? keys$/); // at every width
  picker.press("ctrl+k");
  const screen = await picker.until(/^── commands/m);
  expect(screen[3]).toBe("Session");
  expect(screen[4]).toMatch(/^› resume the session in its fold\S* +Enter$/);
  picker.write("archi");
  await picker.until(/^› archive the session +Ctrl\+X$/m);
  picker.press("down");
  await picker.until(/^› include archived sessions +Alt\+A$/m);
  picker.press("enter");
  await picker.until((rows) => getCount(rows) === "1/5", "the archived session too");
  expect(picker.screen()[1]).toBe("›"); // what was typed in the palette is not a query

  picker.press("ctrl+k");
  picker.write("rnm"); // letters in order
  await picker.until(/^› rename the session +Ctrl\+R$/m);
  picker.press("enter");
  await picker.until(/\nName:$/);
});

test("the keys of the palette work in it, and its commands say what they do next", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home);
  picker.press("ctrl+k");
  await picker.until(/^ +include archived sessions +Alt\+A$/m);
  picker.press("alt+a");
  await picker.until((rows) => getCount(rows) === "1/5", "the archived session too");
  picker.press("ctrl+k");
  await picker.until(/^ +exclude archived sessions +Alt\+A$/m);
  picker.press("alt+p");
  await picker.until(/★/);
  picker.press("ctrl+k");
  picker.write("unpin"); // characters filter
  await picker.until(/^› unpin the session +Alt\+P$/m);
});

test("the palette of the reader has its commands; nothing runs while nothing matches", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home);
  picker.press("ctrl+v");
  await picker.until("Esc back");
  picker.press("ctrl+k");
  await picker.until(/^› search in the session +\/$/m);
  picker.write("qqqq");
  await picker.until("no commands match");
  picker.press("enter", "ctrl+u");
  picker.write("expand calls");
  await picker.until(/^› expand or collapse calls/m);
  picker.press("enter");
  await picker.until(/^── .* · expanded/m);
  picker.press("ctrl+k");
  await picker.until(/^── commands/m);
  picker.press("ctrl+k");
  await picker.until(/^── .* · expanded/m);
  picker.press("escape");
  await picker.until((rows) => getSelected(rows) === "Which prices end in 99?");
  expect(picker.screen()[1]).toBe("›");
});

test("a word of another program finds a command: color finds the themes", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home);
  picker.press("ctrl+k");
  picker.write("colr");
  await picker.until(/^› theme: auto$/m);
});
