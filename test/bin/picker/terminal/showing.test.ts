import { expect, test } from "vitest";
import { measureWidth } from "../../../../bin/format/text.ts";
import { foreignSequences, openTerminal, type TestTerminal } from "../../../terminal.ts";
import {
  getCount,
  getSelected,
  isSettled,
  openPicker,
  PIDEX,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

/** Sessions with titles of ambiguous width. */
function wideSessions(home: TestHome): void {
  for (let n = 0; n < 30; n++) {
    const words = ["日本語のタイトルはとても長い", "Ünïcödé ẗïẗḷë", "👩‍👩‍👧‍👦 a family 🇺🇦", "plain words"][
      n % 4
    ];
    home.put(
      home
        .begin("書店", `2026-01-05T09:${String(10 + n)}:00.000Z`)
        .user(`${n} ${words}`.repeat(3))
        .assistant("ok"),
    );
  }
}

/** Asserts that no line wraps: the first and the last line are at their positions. */
function expectFits(picker: TestTerminal, cols: number, rows: number): void {
  const screen = picker.screen();
  expect(screen).toHaveLength(rows);
  for (const row of screen) expect(measureWidth(row)).toBeLessThanOrEqual(cols);
  expect(screen[0]).toMatch(/\d of \d+$/);
  expect(screen[1]).toMatch(/^›/);
  expect(screen[2]).toMatch(/^─/);
  expect(screen.at(-1)).toMatch(/\? keys$/);
}

test("it fits terminals of all sizes, and keeps the selection while they change", async () => {
  const home = new TestHome();
  wideSessions(home);
  const picker = await openPicker(home, { cols: 80, rows: 24, argv: ["pick", "--all"] });
  picker.press(...Array.from({ length: 22 }, () => "down"));
  await picker.until((screen) => getCount(screen) === "23/30" && getSelected(screen) !== undefined);
  expectFits(picker, 80, 24);
  expect(getSelected(picker.screen())).toMatch(/^7 plain words/);
  for (const [cols, rows] of [
    [40, 12],
    [120, 40],
    [80, 40],
    [20, 6],
    [80, 24],
  ] as const) {
    picker.resize(cols, rows);
    await picker.until(
      (screen) =>
        screen.length === rows &&
        screen.findIndex((row) => row.startsWith("› 7 plai")) > 2 &&
        measureWidth(screen[2] ?? "") === cols &&
        /\? keys$/.test(screen.at(-1) ?? ""),
      `${cols}x${rows}`,
    );
    expectFits(picker, cols, rows);
  }
  // A terminal too small to show anything does not end it.
  picker.resize(4, 2);
  await picker.until((screen) => screen.length === 2);
  picker.resize(60, 10);
  await picker.until(/^› 7 plain/m);
  picker.press("ctrl+v");
  await picker.until(/^── 7 plain/m);
  picker.resize(30, 8);
  await picker.until((screen) => measureWidth(screen[2] ?? "") === 30);
  picker.press("ctrl+t");
  await picker.until(/ ● ok/);
  expect(foreignSequences(picker.bytes())).toEqual([]);
});

test("it works at 40 columns", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 40, rows: 12, argv: ["pick", "--all"] });
  expect(picker.screen()[0]).toMatch(/^all {2}by thread +1 of 4$/);
  picker.write("zebra");
  const found = await picker.until((screen) => getCount(screen) === "1/1" && isSettled(screen));
  expect(found[3]).toMatch(/^› Which prices end in 99\? +\d+\w+$/); // the title instead of other columns
  expect(found[4]).toMatch(/^ {4}assistant .*zeb.* \(abandoned branch\)$/);
  picker.press("ctrl+u");
  picker.press("?");
  await picker.until(/^── keys, queries/m);
});

test("without colors, the selection and matches are still distinguishable", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 110, env: { NO_COLOR: "1" }, argv: ["pick", "kettle"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  const row = picker.screen().findIndex((each) => each.includes("A kettle"));
  const at = picker.screen()[row]?.indexOf("kettle") ?? 0;
  expect(picker.cell(row, at)).toMatchObject({ text: "k", bold: true, underline: true });
  expect(picker.cell(row, at - 2)).toMatchObject({ text: "A", bold: false, underline: false });
  expect(picker.screen()[3]).toMatch(/^› Write about/);
  expect(picker.cell(3, 2)).toMatchObject({ text: "W", bold: true });
  await picker.until(/│ A kettle is taxed, too\.$/m);
  const read = picker.screen().findIndex((each) => /│ A kettle/.test(each));
  await picker.until(
    () => picker.cell(read, (picker.screen()[read] ?? "").lastIndexOf("kettle")).inverse,
    "the find, marked",
  );
  picker.press("ctrl+g");
  await picker.until(/── filter by ─/);
  picker.press("ctrl+g");
  await picker.until(/^› Write about/m);
  picker.press("ctrl+t");
  await picker.until(/── Write about kettles · 1 prompt · 1 answer ─/);
  picker.press("ctrl+t");
  await picker.until(/^› Write about/m);
  for (const key of ["ctrl+v", "e", "ctrl+v", "ctrl+d"]) picker.press(key);
  await picker.until(/Move to trash/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
  const numbers = [...picker.bytes().matchAll(/\x1b\[([\d;]*)m/g)].flatMap(([, codes = ""]) =>
    codes.split(";").map(Number),
  );
  expect(
    numbers.filter(
      (number) => (number >= 30 && number <= 49 && number !== 39 && number !== 49) || number >= 90,
    ),
  ).toEqual([]);
  expect(numbers).toContain(1);
});

test("with TERM=dumb it fails with an error message", async () => {
  const home = new TestHome();
  const terminal = await openTerminal({
    argv: [process.execPath, PIDEX, "pick"],
    env: { ...home.env, TERM: "dumb" },
    cols: 120,
  });
  await terminal.until("pidex: the picker does not work with TERM=dumb");
  expect(await terminal.exit).toEqual({ code: 2 });
  expect(terminal.bytes()).not.toContain("\x1b");
});
