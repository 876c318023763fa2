import { expect, test } from "vitest";
import { ACTIONS } from "../../../../bin/picker/keys/actions.ts";
import { formatKey } from "../../../../bin/picker/keys/key-names.ts";
import type { TestTerminal } from "../../../terminal.ts";
import { getCount, openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

/** The highlighted texts in the preview. */
function marked(picker: TestTerminal): string[] {
  const rows = picker.screen().slice(3, -1);
  return rows.flatMap((row, n) => {
    let text = "";
    for (let col = 0; col < row.length; col++) {
      const cell = picker.cell(n + 3, col);
      text += cell.inverse ? cell.text : "|";
    }
    return text.split("|").filter((part) => part !== "");
  });
}

test("the selected session is previewed right of the list, below it, or not at all if there is no room", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 120, argv: ["pick", "--all"] });
  // Above the conversation: title, folder, model, length.
  await picker.until(
    /^› Which prices .*│ Which prices end in 99\?\n.*│ ~\/shop\n.*│ claude-sonnet-4-5 · <\$0\.01 · 7 messages(?: · |\n.*│ )\d+mo ago\n.*│ ─+\n.*│\n.*│ user/m,
  );
  picker.press("down");
  await picker.until(/│ Write about kettles\n(?:.*\n)*.*│ A kettle is taxed, too\.$/m);
  picker.resize(80, 40);
  const below = await picker.until(
    /^─+$\nWrite about kettles\n(?:.*\n)*user {2}2026-01-07 .*\nWrite about kettles$/m,
  );
  expect(below.slice(3).findIndex((row) => row.startsWith("──"))).toBe(16);
  picker.resize(80, 24);
  await picker.until(
    (screen) => !screen.slice(3).some((row) => /[│─]{2}|^user {2}/.test(row)),
    "the list alone",
  );
  picker.resize(120, 24);
  await picker.until(/│ Write about kettles$/m);
  // The conversation: calls on one line, without their output.
  picker.press("down");
  const read = await picker.until(/│ → read src\/checkout\.ts\n(?:.*\n)*.*│ It is rounded twice/m);
  expect(read.join("\n")).not.toContain("export function total");
});

test("the reader names the keys for hits only if it has some", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 120, rows: 36 });
  picker.press("ctrl+v");
  const read = await picker.until(/^Esc back/m);
  expect(read.at(-1)).toMatch(/^Esc back {3}\/ find {3}\] next prompt/);
  picker.write("/99");
  picker.press("enter");
  await picker.until(/^Esc back {3}\/ find {3}n next hit/m);
});

test("the preview opens at the hit; keys cycle through hits, expand calls and show branches", async () => {
  const home = new TestHome();
  const draft = home.begin("shop", "2026-01-05T09:00:00.000Z").user("Where does the walrus swim?");
  const question = draft.lastId;
  draft.assistant("The left walrus swims in the lake.");
  for (let n = 0; n < 8; n++) draft.user(`On the left ${n}`).assistant("So it is.");
  draft.branch(question).assistant("Nowhere.");
  for (let n = 0; n < 20; n++) draft.user(`Filler ${n}`).assistant("As you say.");
  draft.tool("edit", { path: "sea.ts", oldText: "const sea = 1;", newText: "const ocean = 2;" }, "done");
  draft.assistant("A **walrus** at the end.");
  home.put(draft);
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "walrus"] });
  await picker.until((screen) => getCount(screen) === "1/1");

  picker.press("ctrl+v");
  const read = await picker.until(/^── Where does the walrus swim\? · 1 of 3 hits/m);
  expect(read.at(-1)).toMatch(/^Esc back {3}\/ find {3}n next hit/);
  await picker.until(() => marked(picker).includes("walrus"), "the find, marked");
  const hitAt = (n: number) => picker.until(new RegExp(`${n} of 3 hits`));
  // Three hits in file order; the second is on an abandoned branch.
  picker.press("n");
  await hitAt(2);
  picker.press("n");
  await hitAt(3);
  await picker.until("A walrus at the end.");
  picker.press("n"); // wraps around
  await hitAt(1);
  await picker.until(/^▌ Where does the walrus swim\?$/m); // the current entry is marked
  picker.press("n");
  await picker.until(/2 of 3 hits · all branches · 2 of \d+ entries/);
  await picker.until("The left walrus swims in the lake.");
  await picker.until(() => marked(picker).includes("walrus"), "the find, marked");
  picker.press("shift+n", "shift+n");
  await hitAt(3);

  await picker.until(/^ {2}→ edit sea\.ts +\+1 -1$/m);
  expect(picker.screen().join("\n")).not.toContain("const ocean");
  picker.press("e");
  await picker.until(/expanded/);
  await picker.until(/\+.*const ocean = 2;/);
  picker.press("e");
  await picker.until((screen) => !screen.join("\n").includes("const ocean"));

  picker.press("a");
  await picker.until((screen) => !/all branches/.test(screen[2] ?? ""), "the current branch");
  picker.press("g");
  await picker.until(/^ {2}Nowhere\.$/m);
  expect(picker.screen().join("\n")).not.toContain("On the left");
  picker.press("a");
  await picker.until("On the left 0");
  picker.press("shift+g");
  await picker.until("A walrus at the end.");
  picker.press("k", "b");
  await picker.until("Filler 19");
  picker.press("escape");
  const list = await picker.until(/\nEnter resume[^\n]*$/);
  expect(list[1]).toBe("› walrus");
});

test("/ searches in the session, n and N go on, and brackets go to prompts", async () => {
  const home = new TestHome();
  const long = home.begin("shop", "2026-01-09T09:00:00.000Z").user("The first prompt");
  for (let n = 1; n < 30; n++) long.assistant(`Answer ${n}, with a Zebra.Crossing`).user(`Prompt ${n}`);
  home.put(long);
  const picker = await openPicker(home, { cols: 80 });
  picker.press("ctrl+v");
  await picker.until(/^ {2}The first prompt$/m);
  picker.press("]");
  await picker.until((screen) => screen[4] === "▌ Prompt 1");
  picker.press("]");
  await picker.until((screen) => screen[4] === "▌ Prompt 2");
  picker.press("[");
  await picker.until((screen) => screen[4] === "▌ Prompt 1");
  picker.press("/");
  await picker.until(/\nSearch:$/);
  picker.write("zebra.c"); // as it is, in any case
  picker.press("enter");
  await picker.until(/· 2 of 29 hits for "zebra\.c" · /);
  await picker.until((screen) => screen[4] === "▌ Answer 2, with a Zebra.Crossing");
  picker.press("n");
  await picker.until(/· 3 of 29 hits for "zebra\.c" · /);
  picker.press("shift+n", "shift+n");
  await picker.until(/· 1 of 29 hits for "zebra\.c" · /);
  picker.press("/");
  await picker.until(/\nSearch:$/);
  picker.write("zebraxc");
  picker.press("enter");
  await picker.until(/\nno match for "zebraxc" in this session$/);
  picker.press("/");
  await picker.until(/\nSearch:$/);
  picker.press("escape");
  await picker.until("Esc back");
  // Esc ends the search where the reader is, then goes back.
  expect(picker.screen()[2]).toMatch(/hits for "zebra\.c"/);
  picker.press("escape");
  await picker.until((screen) => !/hits/.test(screen[2] ?? ""));
  expect(picker.screen()[4]).toBe("▌ Answer 1, with a Zebra.Crossing");
  picker.press("escape");
  await picker.until(/\nEnter resume[^\n]*$/);
});

test("a session far down in the results opens at its hit, too", async () => {
  const home = new TestHome();
  for (let n = 0; n < 40; n++) {
    const date = `2026-0${1 + Math.floor(n / 20)}-${String(1 + (n % 20)).padStart(2, "0")}T09:00:00.000Z`;
    const draft = home.begin("shop", date).name(`Walrus ${n}`).user("What is that?");
    for (let n = 0; n < 20; n++) draft.assistant(`Filler ${n}`).user("And?");
    home.put(draft.assistant("A walrus, at last."));
  }
  const picker = await openPicker(home, { cols: 90 });
  picker.write("walrus");
  await picker.until((screen) => getCount(screen) === "1/40");
  // The hits of the first sessions only are read.
  picker.press(...Array.from({ length: 30 }, () => "down"), "ctrl+v");
  await picker.until("▌ A walrus, at last.");
});

test("the tree shows branches, labels and the leaf; an entry can be opened from it", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  prices.session.label(prices.session.entries[2]?.id as string, "yen");
  home.put(prices.session);
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "--all"] });
  picker.press("ctrl+t");
  const tree = await picker.until(/● Nearly all, too\./);
  expect(tree[1]).toMatch(/ messages · /); // not the query, which filters nothing here
  expect(tree[2]).toMatch(/ · 3 prompts · 4 answers · 2 branches ─/);
  expect(tree[2]).toMatch(/^── Which prices end in 99\?/);
  const rows = tree.slice(3, -1).filter(Boolean);
  expect(rows.every((row) => /\d\d:\d\d$/.test(row))).toBe(true);
  expect(
    rows.map((row) => row.replace(/ +(\d{4}-\d\d-\d\d )?\d\d:\d\d$/, "").replace(/ {3,}branch/, "   branch")),
  ).toEqual([
    "  user       • Which prices end in 99?",
    "  assistant  ├─ · Most of them.   branch 1 of 2",
    "  user       │  · [yen] And in yen?",
    "  assistant  │  · None that a zebra would pay.",
    "  assistant  └─ • Nearly all.   branch 2 of 2",
    "  user          • And in euros?",
    "› assistant     ● Nearly all, too.",
  ]);
  picker.press("a");
  await picker.until(/label .*yen on /);
  picker.press("a");
  await picker.until((screen) => !/label .*yen on /.test(screen.join("\n")));
  // Left folds what follows a prompt, Right unfolds it.
  picker.press("g", "left");
  await picker.until((screen) => !screen.join("\n").includes("Most of them."));
  picker.press("right");
  await picker.until("Most of them.");

  picker.press("g", "j", "j");
  await picker.until(/^› .*And in yen\?/m);
  picker.press("enter");
  await picker.until(/^── .*all branches/m);
  await picker.until(/^▌ And in yen\?$/m);
  // One step back at a time, also from the tree in which the entry was chosen.
  picker.press("escape");
  await picker.until(/^› .*And in yen\?/m);
  picker.press("enter");
  await picker.until(/^▌ And in yen\?$/m);
  picker.press("ctrl+t");
  await picker.until(/^› .*And in yen\?/m);
  picker.write("\x1b\x1b"); // so fast that both are read at once
  await picker.until(/\nEnter resume[^\n]*$/);
});

test("one key expands the entry at the top, and collapses it", async () => {
  const home = new TestHome();
  const rows = Array.from({ length: 99 }, (_, n) => `row ${n + 1};`).join("\n");
  home.put(
    home
      .begin("shop", "2026-02-01T09:00:00.000Z")
      .user("Count")
      .tool("bash", { command: "seq" }, rows)
      .assistant(rows.replaceAll("row", "\nline")),
  );
  const picker = await openPicker(home, { argv: ["pick", "--all"] });
  picker.press("ctrl+v");
  await picker.until("row 1;");
  picker.press(...Array.from({ length: 6 }, () => "j"));
  await picker.until((screen) => /bash/.test(screen[3] ?? ""));
  picker.press("o");
  await picker.until("row 18;");
  picker.press("o");
  await picker.until((screen) => !screen.join("\n").includes("row 18;"));
});

test("the help lists all actions", async () => {
  const home = new TestHome();
  writeSampleSessions(home);
  const picker = await openPicker(home, { cols: 110, rows: 24 });
  picker.press("?");
  let screen = await picker.until(/^── keys, queries/m);
  const seen = new Set(screen);
  const last = /Key bindings are set in .*config\.toml/;
  while (!screen.some((row) => last.test(row))) {
    const before = screen.join("\n");
    picker.press("pageDown");
    screen = await picker.until((rows) => rows.join("\n") !== before, "the next page");
    for (const row of screen) seen.add(row);
  }
  const table = [...seen].join("\n");
  for (const { keys, does } of ACTIONS) {
    expect(table).toContain(does);
    for (const key of keys) expect(table).toContain(formatKey(key));
  }
  // Keys that scroll, and others, leave it open.
  picker.press("home", "x");
  await picker.until((rows) => /^Keys in the list/.test(rows[3] ?? ""), "the first page");
  picker.press("end");
  await picker.until((rows) => last.test(rows.at(-2) ?? ""), "the last line");
  picker.press("ctrl+home", "j");
  await picker.until((rows) => /^ {2}Session$/.test(rows[3] ?? ""), "the second line");
  expect(picker.screen().at(-1)).toMatch(/^Esc close {3}/);
  picker.press("q");
  await picker.until(/^› Which prices/m);
  for (const key of ["escape", "enter", "?", "f1"]) {
    picker.press("?");
    await picker.until(/^── keys, queries/m);
    picker.press(key);
    await picker.until(/^› Which prices/m);
  }
  expect(picker.screen()[1]).toBe("›");
});

test("n says so if a session was found by the letters of its title and has no hits", async () => {
  const home = new TestHome();
  home.put(home.begin("shop", "2026-01-05T09:00:00.000Z").user("Round the checkout tax"));
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "--all", "chkttx"] });
  await picker.until(/^› Round the checkout tax/m);
  picker.press("ctrl+v");
  await picker.until(/^── Round the checkout tax/m);
  picker.press("n");
  await picker.until("no hits in this session");
});

test("n goes on from where the user reads, and the second line says what is read", async () => {
  const home = new TestHome();
  const draft = home.begin("shop", "2026-01-05T09:00:00.000Z").user("Start");
  for (let n = 1; n <= 5; n++) {
    for (let filler = 0; filler < 12; filler++) draft.assistant(`Filler ${n}.${filler}`);
    draft.user(`The walrus number ${n}`);
  }
  home.put(draft.assistant("The end."));
  const picker = await openPicker(home, { cols: 90, argv: ["pick", "walrus"] });
  await picker.until((screen) => getCount(screen) === "1/1");
  picker.press("ctrl+v");
  await picker.until(/[1-5] of 5 hits/);
  expect(picker.screen()[1]).toMatch(/^~\/shop {2}claude-sonnet-4-5 · .*messages/);
  picker.press("g", "n");
  await picker.until(/1 of 5 hits/);
  picker.press("]", "]", "n");
  await picker.until(/3 of 5 hits/);
  picker.press("end");
  await picker.until(/67 of 67 entries/);
  picker.press("shift+n");
  await picker.until(/5 of 5 hits/);
  picker.press("n");
  await picker.until(/\nwent on at the first hit$/);
  await picker.until(/1 of 5 hits/);
});

test("keys to move that are typed right after a query move in its results", async () => {
  const home = new TestHome();
  for (let n = 1; n <= 5; n++)
    home.put(home.begin("shop", `2026-01-0${n}T09:00:00.000Z`).user(`The walrus number ${n}`));
  home.put(home.begin("shop", "2026-02-01T09:00:00.000Z").user("Others"));
  const picker = await openPicker(home, { cols: 90 });
  picker.write("walrus\x1b[B\x1b[B"); // Down twice
  await picker.until((screen) => getCount(screen) === "3/5");
});

test("the reader shows the hit, also if the preview beside the list was narrower; a found text is marked as a whole", async () => {
  const home = new TestHome();
  const long = "Some words about many things that fill a line of the terminal. ".repeat(40);
  const draft = home.begin("shop", "2026-01-05T09:00:00.000Z").user("Start");
  for (let n = 0; n < 10; n++) draft.assistant(`Filler ${n}`);
  draft.assistant(`${long} The walrus. ${long}`);
  for (let n = 0; n < 30; n++) draft.user(`More ${n} ${"e".repeat(n)}`);
  home.put(draft.user(`${"x".repeat(400)}error`));
  const picker = await openPicker(home, { cols: 120, rows: 36, argv: ["pick", "walrus"] });
  await picker.until(() => marked(picker).includes("walrus"), "the hit beside the list");
  picker.press("ctrl+v");
  await picker.until((screen) => /^▌.* The walrus\. /m.test(screen.join("\n")), "the hit in the reader");
  picker.press("/");
  await picker.until(/\nSearch:$/);
  picker.write("error");
  picker.press("enter");
  await picker.until(/hits? for "error"/);
  await picker.until(() => marked(picker).includes("error"), "the text, marked");
  expect(new Set(marked(picker))).toEqual(new Set(["error"]));
});
