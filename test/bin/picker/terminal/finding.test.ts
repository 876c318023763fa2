import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TestTerminal } from "../../../terminal.ts";
import {
  getCount,
  getSelected,
  getTitles,
  isSettled,
  openPicker,
  TestHome,
  writeSampleSessions,
} from "./open-picker.ts";

async function openWithSome(argv: readonly string[] = []) {
  const home = new TestHome();
  const sessions = writeSampleSessions(home);
  return { home, sessions, picker: await openPicker(home, { argv: ["pick", "--all", ...argv], cols: 90 }) };
}

/** Waits until the list shows the current query's results. */
const until = (picker: TestTerminal, query: string, condition: (screen: string[]) => boolean = () => true) =>
  picker.until(
    (screen) => screen[1] === `› ${query}`.trimEnd() && isSettled(screen) && condition(screen),
    query,
  );

/** Clears the query. */
async function clear(picker: TestTerminal): Promise<void> {
  picker.press("ctrl+u");
  await until(picker, "", (screen) => getCount(screen) === "1/4");
}

/** The texts on a row with this style. */
function partsOf(
  picker: TestTerminal,
  row: number,
  looks: (cell: ReturnType<TestTerminal["cell"]>) => boolean,
) {
  let text = "";
  for (let col = 0; col < 90; col++) {
    const cell = picker.cell(row, col);
    text += looks(cell) ? cell.text : "|";
  }
  return text.split("|").filter((part) => part !== "");
}

test("results follow each letter: titles first, then full text with highlighted matches", async () => {
  const { picker } = await openWithSome();
  expect(getTitles(picker.screen())).toEqual([
    "Which prices end in 99?",
    "Write about kettles",
    "Checkout tax",
    "└─ Tax, another way",
  ]);

  picker.press("k");
  await until(picker, "k", (screen) => getCount(screen) === "1/2");
  expect(getTitles(picker.screen())).toEqual(["Write about kettles", "Checkout tax"]);
  picker.press("e");
  expect(getTitles(await until(picker, "ke", (screen) => getCount(screen) === "1/1"))).toEqual([
    "Write about kettles",
  ]);

  picker.press("ctrl+u", "b", "l");
  expect(getTitles(await until(picker, "bl", (screen) => getCount(screen) === "1/1"))).toEqual([
    "Write about kettles",
  ]); // in blog
  picker.press("ctrl+u", "t", "a", "x");
  const screen = await until(picker, "tax", (rows) => getCount(rows) === "1/3");
  expect(getTitles(screen).toSorted()).toEqual(["Checkout tax", "Tax, another way", "Write about kettles"]);
  const row = screen.findIndex((each) => each.includes("assistant"));
  expect(screen[row]).toMatch(/^ {4}assistant {1,4}A kettle is taxed, too\./);
  expect(screen[row - 1]).toContain("Write about kettles");
  expect(
    partsOf(picker, row, ({ bold, underline, foreground }) => bold && underline && foreground !== undefined),
  ).toEqual(["tax"]);

  picker.press("e");
  expect(getTitles(await until(picker, "taxe", (rows) => getCount(rows) === "1/1"))).toEqual([
    "Write about kettles",
  ]);
  picker.press("backspace");
  await until(picker, "tax", (rows) => getCount(rows) === "1/3");
  await clear(picker);
  expect(getTitles(picker.screen())).toHaveLength(4);
});

test("phrases, fields and patterns; invalid queries and missing words are reported", async () => {
  const { picker } = await openWithSome();
  const find = async (query: string, count: string) => {
    picker.write(query);
    const screen = await until(picker, query, (rows) => getCount(rows) === count);
    await clear(picker);
    return screen;
  };
  expect(getTitles(await find('"another way', "1/1"))).toEqual(["Tax, another way"]);
  expect(getTitles(await find('"way another"', "0"))).toEqual([]);
  expect(getTitles(await find("project:shop", "1/3"))).not.toContain("Write about kettles");
  expect((await find("role:user tax", "1/1")).join("\n")).not.toMatch(/^ {4}agent/m);
  expect(getTitles(await find("is:forked", "1/1"))).toEqual(["Tax, another way"]);
  expect((await find("re:tot[a-z]l\\(", "1/1")).join("\n")).toMatch(/output .*total\(cart/);
  expect((await find("zzzyyx", "0")).join("\n")).toMatch(/Not in the index: zzzyyx/);

  picker.write("re:tot(");
  await picker.until("invalid regular expression: missing closing )");
});

test.each([
  ["archive", "ctrl+x", /^archived: Write about kettles/m],
  ["pin", "alt+p", /^pinned: Write about kettles/m],
  ["delete", "ctrl+d", /^Move to trash.*Write about kettles/m],
  ["rename", "ctrl+r", /^Name/m],
  ["read", "ctrl+v", /^── Write about kettles/m],
  ["mark", "tab", /^› ?✓ +Write about kettles/m],
] as const)(
  "an action right after typing waits for the results, and is on the first of them: %s",
  async (_, key, shown) => {
    const { picker } = await openWithSome();
    expect(getTitles(picker.screen())[0]).not.toContain("kettles");
    picker.write("about kettles");
    picker.press(key);
    await picker.until(shown);
    if (key === "ctrl+r") {
      // The prompt has the name of the session, which has none: the title in the preview tells which.
      picker.write("Kettles\r");
      await picker.until(/^› Kettles/m);
    }
  },
);

test("re: matches case if the pattern contains an uppercase letter", async () => {
  const { picker } = await openWithSome();
  picker.write("re:tot[A-Z]l");
  await until(picker, "re:tot[A-Z]l", (rows) => getCount(rows) === "0");
});

test("an invalid query is explained above the earlier results, on which no action is run", async () => {
  const { picker, sessions } = await openWithSome();
  const before = readFileSync(sessions.prices.path);
  picker.write("rol:user");
  const screen = await picker.until("unknown field rol:");
  expect(screen[0]).toMatch(/ 0$/);
  expect(screen[3]).toMatch(/^ {2}unknown field rol: \(at character 1 of the query\)$/);
  expect(screen[4]).toMatch(/^ {2}Did you mean role:\?/);
  expect(screen).toContain("  Results of the query before:");
  expect(getSelected(screen)).toBeUndefined();
  expect(screen.at(-1)).toMatch(/^Enter resume .* F1 keys$/);
  for (const key of ["enter", "ctrl+d", "ctrl+x", "tab", "ctrl+v", "down"]) picker.press(key);
  picker.press("alt+p");
  await picker.until(/\nthe search failed: no session is selected$/);
  picker.write("\x1b[<0;9;9M"); // a click on a row
  picker.press("ctrl+d");
  await picker.until(/\nthe search failed: no session is selected$/);
  expect(readFileSync(sessions.prices.path).equals(before)).toBe(true);
  await clear(picker);
  expect(getSelected(picker.screen())).toBe("Which prices end in 99?");
});

test("titles are found by letters in their order, which are highlighted", async () => {
  const { picker } = await openWithSome();
  picker.write("whpric");
  const screen = await until(picker, "whpric", (rows) => getCount(rows) === "1/1");
  expect(getTitles(screen)).toEqual(["Which prices end in 99?"]);
  expect(screen[2]).toMatch(/^── Titles with these letters\. Not in the index: whpric /);
  expect(partsOf(picker, 3, ({ bold, underline }) => bold && underline).join("")).toBe("Whpric");
});

test("while a field is typed, its first completion is searched, or it is ignored, and a remark says so", async () => {
  const { picker } = await openWithSome();
  picker.write("tax role:us");
  await picker.until((screen) => /^ +user {2}custom$/.test(screen[2] ?? ""), "the completions");
  await until(picker, "tax role:us", (screen) => getCount(screen) === "1/1");
  await clear(picker);
  picker.write("project:sho");
  await until(picker, "project:sho", (screen) => getCount(screen) === "1/3");
  await clear(picker);
  picker.write("tax since:20");
  const screen = await until(picker, "tax since:20", (rows) => getCount(rows) === "1/2");
  expect(screen[2]).toContain("since:20 is incomplete and ignored");
  await clear(picker);
  picker.write("tax since:la");
  // Which of the times is meant can't be guessed.
  await until(
    picker,
    "tax since:la",
    (rows) => /last-week {2}last-month/.test(rows[2] ?? "") && getCount(rows) === "1/2",
  );
  await clear(picker);
  picker.write("tax since:yestrday");
  await picker.until("Ignored: since:yestrday is not a date, time or age. Did you mean since:yesterday?");
  await clear(picker);
  picker.write("tax cost:abc");
  await picker.until("Ignored: cost:abc is not an amount, try cost:1.50");
  expect(screen.at(-1)).toMatch(/^Enter resume/);
});

test("a misspelled word finds the closest matches, and a remark says so", async () => {
  const { picker } = await openWithSome();
  picker.write("kettel vscode");
  const screen = await until(picker, "kettel vscode", (rows) => getCount(rows) === "1/1");
  expect(getTitles(screen)).toEqual(["Write about kettles"]);
  // It is too long for the line below the query.
  expect(screen.slice(-3, -1).join(" ")).toBe(
    "No session matches every term. Closest matches; corrected: kettel → kettle; missing: vscode",
  );
  picker.press("backspace");
  await until(picker, "kettel vscod", (rows) => getCount(rows) === "1/1");
});

test("if nothing is found, one key searches the files themselves", async () => {
  const { picker } = await openWithSome();
  picker.press("alt+r");
  await picker.until(/\ntype a text or a regular expression first, then search the files$/);
  picker.write("nctio");
  await picker.until("Alt+R: search the files themselves");
  picker.press("alt+r");
  const screen = await until(picker, "re:nctio", (rows) => getCount(rows) === "1/1");
  expect(screen.join("\n")).toMatch(/output .*total\(cart/);
  // The same key goes back.
  picker.press("alt+r");
  await until(picker, "nctio", (rows) => getCount(rows) === "0");
  picker.press("ctrl+u");
  picker.write("tot\\w+\\(");
  picker.press("alt+r");
  await until(picker, "re:tot\\w+\\(", (rows) => getCount(rows) === "1/1");
  picker.press("alt+r");
  await picker.until((rows) => rows[1] === "› tot\\w+\\(");
});

test("a field is completed, then its values, one after the other", async () => {
  const { picker } = await openWithSome();
  picker.write("pro");
  await picker.until((screen) => /^ +project:\s+provider:$/.test(screen[2] ?? ""), "the fields");
  picker.press("shift+tab");
  await until(picker, "project:");
  picker.press("shift+tab");
  await until(picker, "provider:");
  picker.press("shift+tab");
  await until(picker, "project:");
  picker.write("s");
  await picker.until((screen) => (screen[2] ?? "").trim() === "shop", "the projects that begin so");
  picker.press("shift+tab");
  expect(getTitles(await until(picker, "project:shop", (screen) => getCount(screen) === "1/3"))).toHaveLength(
    3,
  );
  await clear(picker);

  picker.write("is:er");
  await picker.until((screen) => (screen[2] ?? "").trim() === "error", "the value");
  picker.press("shift+tab");
  await until(picker, "is:error");
  await clear(picker);

  picker.write("projec");
  await picker.until((screen) => (screen[2] ?? "").trim() === "project:", "the field");
  picker.press("shift+tab");
  await picker.until(
    (screen) => screen[1] === "› project:" && /shop {2}.*blog/.test(screen[2] ?? ""),
    "its values",
  );
  picker.press("shift+tab", "shift+tab");
  expect(getTitles(await until(picker, "project:blog", (screen) => getCount(screen) === "1/1"))).toEqual([
    "Write about kettles",
  ]);
});

test("Shift+Tab in an empty query lists the fields, and Esc hides them; agent: completes the agents of the sessions", async () => {
  const { picker } = await openWithSome();
  picker.press("shift+tab");
  await picker.until((screen) => /^ {2}role: {2}type: {2}tool: /.test(screen[2] ?? ""), "the fields");
  expect(picker.screen()[1]).toBe("›");
  picker.press("escape");
  await picker.until((screen) => /^─+$/.test(screen[2] ?? ""), "no fields");
  picker.press("shift+tab");
  await picker.until((screen) => /^ {2}role: /.test(screen[2] ?? ""), "the fields");
  picker.press("shift+tab", "shift+tab");
  await picker.until((screen) => screen[1] === "› type:", "the second field");
  picker.press(...Array.from({ length: 16 }, () => "shift+tab"));
  // The one in the query is visible, also beyond the width of the line.
  await picker.until(
    (screen) => screen[1] === "› messages:" && / messages:/.test(screen[2] ?? ""),
    "a later field",
  );
  await clear(picker);

  picker.write("agent:");
  await picker.until((screen) => (screen[2] ?? "").trim() === "pi", "the agent");
  picker.press("shift+tab");
  await until(picker, "agent:pi", (screen) => getCount(screen) === "1/4");
});

test("a value selected in the facets is added to the query", async () => {
  const { picker } = await openWithSome();
  picker.press("ctrl+g");
  const facets = await picker.until(/3 sessions$/m);
  expect(facets.join("\n")).toMatch(/^project\n› .*shop +3 sessions\n {2}.*blog +1 session\nmodel\n/m);
  picker.press("down", "enter");
  expect(getTitles(await until(picker, "project:blog", (screen) => getCount(screen) === "1/1"))).toEqual([
    "Write about kettles",
  ]);
  await clear(picker);

  picker.write("tax");
  await until(picker, "tax", (screen) => getCount(screen) === "1/3");
  picker.press("ctrl+g");
  const ofHits = await picker.until(/^ {2}user +1 session$/m);
  const values = ofHits.slice(3, -1).filter((row) => /^(?:› | {2})\S/.test(row));
  const user = values.findIndex((row) => /^ {2}user /.test(row));
  picker.press(...Array.from({ length: user }, () => "down"));
  await picker.until(/^› user /m);
  picker.press("enter");
  await until(picker, "tax role:user", (screen) => getCount(screen) === "1/1");

  picker.press("ctrl+g");
  await picker.until("filter by");
  picker.press("escape");
  await until(picker, "tax role:user", (screen) => getCount(screen) === "1/1");
});

test("typing in the facets narrows the values, best match first; Esc clears what is typed, then closes", async () => {
  const { picker } = await openWithSome(["tax"]);
  await until(picker, "tax");
  picker.press("ctrl+g");
  picker.write("asst"); // letters in order
  const narrowed = await picker.until(/^role\n› assistant /m);
  expect(narrowed.slice(1, 6).map((row) => row.split(/ {2,}/)[0])).toEqual([
    ": asst",
    expect.stringContaining("filter by"),
    "role",
    "› assistant",
    "",
  ]);
  picker.press("ctrl+u");
  picker.write("month"); // the name of a group
  await picker.until(/^month\n› 2026-01 /m);
  picker.write("zz");
  await picker.until("no values");
  picker.press("enter"); // chooses nothing
  picker.press("escape");
  await picker.until((rows) => rows[1] === ":" && rows[3] === "project", "all values");
  picker.press("escape");
  await until(picker, "tax");
});

test("keys typed right after Ctrl+G go to the facets, not to the query", async () => {
  const { picker } = await openWithSome();
  picker.write("\x07blog/\x7f\r"); // Ctrl+G, and Backspace before Enter
  expect(getTitles(await until(picker, "project:blog", (screen) => getCount(screen) === "1/1"))).toEqual([
    "Write about kettles",
  ]);
});

test("an empty list names values that no session has, and the nearest ones", async () => {
  const { picker } = await openWithSome();
  picker.write("project:shpo kettle");
  await picker.until(
    /No sessions match "project:shpo kettle"\s+No session has the project "shpo"\. Nearest: shop\./,
  );
});

test("Tab takes the completion that is shown; without one it marks", async () => {
  const { picker } = await openWithSome();
  picker.write("project:s");
  await picker.until((screen) => (screen[2] ?? "").trim() === "shop", "the completion");
  expect(picker.screen().at(-1)).toMatch(/^Tab complete {3}/);
  picker.press("tab");
  await until(picker, "project:shop", (screen) => getCount(screen) === "1/3");
  await picker.until(/^─+$/m, "no completions: the value is whole");
  picker.press("tab");
  await picker.until(/ 1 marked /);
  await picker.until((screen) => screen[1] === "› project:shop");
});

test("moving in the list hides completions", async () => {
  const { picker } = await openWithSome();
  picker.write("pro");
  await picker.until((screen) => /^ +project:\s+provider:$/.test(screen[2] ?? ""), "the fields");
  picker.press("down");
  await picker.until((screen) => !/provider:/.test(screen[2] ?? ""), "no fields");
});
