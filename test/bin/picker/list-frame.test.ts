import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createTheme } from "../../../bin/format/theme.ts";
import { drawFrame } from "../../../bin/picker/frames/frame.ts";
import { getWiderHints } from "../../../bin/picker/frames/hints.ts";
import { drawList } from "../../../bin/picker/frames/list-frame.ts";
import { drawPreviewHeading } from "../../../bin/picker/frames/preview-frame.ts";
import { KeyBindings } from "../../../bin/picker/keys/key-bindings.ts";
import { createSampleState, sampleHit, sampleRow, VIEW } from "./sample-state.ts";

const now = Date.now();
const HOUR_MS = 3_600_000;
const rows = [
  sampleRow({
    name: "Checkout tax",
    messageCount: 160,
    modified: now - 2 * HOUR_MS,
    costUsd: 1.5,
    tags: ["tax", "bug"],
  }),
  {
    ...sampleRow({
      firstMessage: "Checkout tax, another way",
      messageCount: 12_345,
      modified: now - 50 * HOUR_MS,
      costUsd: 12_345.6,
    }),
    branchLines: "└─ ",
  },
  sampleRow({
    name: "Kettles, and how they came into a shop for prices",
    cwd: "/home/ada/a-long-name-of-a-project",
    modified: now,
    costUsd: 0.001,
  }),
];
const draw = (columns: number, state: Parameters<typeof createSampleState>[1] = {}) =>
  drawList(createSampleState(rows, state), { theme: createTheme({ NO_COLOR: "1" }), columns, rows: 3 }).map(
    (line) => stripVTControlCharacters(line),
  );

test("columns are aligned, and narrow lists omit some of them for the title", () => {
  expect(draw(90)).toMatchInlineSnapshot(`
    [
      "› Checkout tax  tax bug                                 shop            160   $1.50    2h ",
      "  └─ Checkout tax, another way                          shop            12k    $12k    2d ",
      "  Kettles, and how they came into a shop for prices     a-long-name…      3  <$0.01   now ",
    ]
  `);
  expect(draw(79)).toMatchInlineSnapshot(`
    [
      "› Checkout tax  tax bug                             shop           $1.50    2h ",
      "  └─ Checkout tax, another way                      shop            $12k    2d ",
      "  Kettles, and how they came into a shop for pric…  a-long-name…  <$0.01   now ",
    ]
  `);
});

test("every line has the width of the pane, and the columns begin at the same place", () => {
  for (const columns of [120, 79, 60, 50, 39, 24, 8])
    for (const line of draw(columns)) expect(line).toHaveLength(columns);
  expect(draw(60)[0]).toMatch(/^› Checkout tax {2}tax bug {18}shop {12}2h $/);
  expect(draw(39)[2]).toMatch(/^ {2}Kettles, and how they came in… {3}now $/);
  expect(draw(60, { view: { ...VIEW, cwd: "/home/ada/shop" } })[1]).toMatch(
    /^ {2}└─ Checkout tax, another way {12}12k {4}\$12k {4}2d $/,
  );
});

test("a search keeps the project where there is room for one column, then adds the number of hits", () => {
  const view = { ...VIEW, query: "tax" };
  const results = {
    view,
    rows: [17, 0, 999, 12_345].map((hitCount) => ({
      ...sampleRow({ name: "Tax", modified: now }),
      hitCount,
    })),
    total: 4,
    hasMore: false,
  };
  const lines = (columns: number) => draw(columns, { view, results }).map((line) => line.trimEnd());
  // The list at 120 columns, beside the preview.
  expect(lines(52)[0]).toMatch(/^› Tax +shop +now$/);
  expect(lines(69)).toEqual([
    expect.stringMatching(/^› Tax +17× {2}shop +now$/),
    expect.stringMatching(/^ {2}Tax +shop +now$/),
    expect.stringMatching(/^ {2}Tax +999× {2}shop +now$/),
  ]);
  expect(draw(69, { view, results, selected: 3, top: 1 })[2]).toMatch(/ {2}12k× {2}shop +now $/);
  expect(draw(110, { view, results, selected: 3, top: 1 })[2]).toMatch(/ 12k hits {2}shop +3 +now $/);
  // In one folder there is no project.
  const inFolder = { ...view, cwd: "/home/ada/shop" };
  expect(draw(60, { view: inFolder, results: { ...results, view: inFolder } })[0]).toMatch(
    /^› Tax +17× +now $/,
  );
});

test("beside a preview, there is room for project and cost; a query that compares figures shows them", () => {
  // 120 columns.
  expect(draw(74)[0]).toMatch(/^› Checkout tax {2}tax bug +shop +\$1\.50 +2h $/);
  const query = (text: string) => ({ view: { ...VIEW, query: text } });
  // 100 columns.
  expect(draw(62)[0]).toMatch(/ shop +2h $/);
  expect(draw(62, query("cost:>1"))[0]).toMatch(/ \$1\.50 +2h $/);
  expect(draw(62, query("messages:>1"))[0]).toMatch(/ 160 +2h $/);
});

test("a query without words shows no hits, and is in the order of time", () => {
  const state = createSampleState(
    rows.map((row) => ({ ...row, hitCount: 7 })),
    { view: { ...VIEW, query: "cost:>1" } },
  );
  const screen = { theme: createTheme({ NO_COLOR: "1" }), columns: 120, rows: 10 };
  const frame = drawFrame(state, screen, "off", { input: () => "", hints: [] });
  expect(stripVTControlCharacters(frame[0] ?? "")).toMatch(/^pidex {2}all folders {2}newest/);
  expect(frame.join("\n")).not.toContain("hits");
});

test("marks are after the title, so that titles are aligned; they have room beside a long one", () => {
  const named = { name: "A long title ".repeat(9), labelCount: 2, archived: true };
  const marked = [
    sampleRow(named),
    sampleRow({ name: "Short", problemCount: 1, tags: ["tea"] }),
    sampleRow({ name: "Pinned", pinned: true }),
  ];
  const lines = drawList(createSampleState(marked), {
    theme: createTheme({ NO_COLOR: "1" }),
    columns: 70,
    rows: 3,
  });
  expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
    expect.stringMatching(/^› A long title .*… {2}archived ⚑2 {2}shop/),
    expect.stringMatching(/^ {2}Short {2}! tea/),
    expect.stringMatching(/^ {2}★ Pinned {3}/),
  ]);
});

test("the selected session has a background over the full width, with its hits", () => {
  const theme = createTheme({});
  const found = [sampleRow({ name: "Found" }, [sampleHit("a hit")]), sampleRow({ name: "Other" })];
  const lines = drawList(createSampleState(found), { theme, columns: 40, rows: 4 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
  const isSelected = lines.map((line) => /^\x1b\[48;5;237m.*\x1b\[49m$/.test(line));
  expect(isSelected).toEqual([true, true, false, false]);
});

test("the thumb of the scrollbar is at the place of the visible rows", () => {
  const many = Array.from({ length: 40 }, (_, n) => sampleRow({ name: `row ${n}`, path: `/${n}` }));
  const bar = (top: number) => {
    const state = createSampleState(many, { top, selected: top });
    const parts = { input: () => "", hints: [] };
    return drawFrame(state, { theme: createTheme({ NO_COLOR: "1" }), columns: 60, rows: 14 }, "off", parts)
      .slice(3, -1)
      .map((line) => stripVTControlCharacters(line).at(-1))
      .join("");
  };
  expect(bar(0)).toBe("┃┃┃       ");
  expect(bar(15)).toBe("    ┃┃┃   ");
  expect(bar(30)).toBe("       ┃┃┃");
});

test("above the preview is the full title, on several lines, and what the session is", () => {
  const title = "Why is the tax added twice at checkout when a coupon is used with a gift card?";
  const { session } = sampleRow({
    name: title,
    model: "claude-sonnet-4-5",
    costUsd: 1.5,
    tags: ["tax"],
    modified: now - HOUR_MS,
  });
  const lines = drawPreviewHeading(session, { theme: createTheme({ NO_COLOR: "1" }), columns: 40, rows: 20 });
  expect(lines.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual([
    "Why is the tax added twice at checkout",
    "when a coupon is used with a gift card?",
    "/home/ada/shop",
    "claude-sonnet-4-5 · $1.50 · 3 messages",
    "1h ago · #tax",
    "─".repeat(40),
  ]);
});

/** The lines of a list without rows, without the blank ones. */
const drawEmpty = (columns: number, state: Parameters<typeof createSampleState>[1], view = {}) => {
  const shown = { ...VIEW, ...view };
  const empty = createSampleState([], { isSyncing: false, view: shown, ...state });
  const wider = getWiderHints(new KeyBindings(), shown, { excluded: empty.results.excluded });
  return drawList(empty, { theme: createTheme({ NO_COLOR: "1" }), columns, rows: 20 }, wider)
    .map((line) => stripVTControlCharacters(line).trimEnd())
    .filter((line) => line !== "");
};

test("without any sessions, it says where it searched and what to do", () => {
  expect(drawEmpty(80, { folders: ["/srv/sessions", "/opt/sessions"] })).toMatchInlineSnapshot(`
    [
      "  No sessions",
      "  Searched in:",
      "    /srv/sessions",
      "    /opt/sessions",
      "  pidex demo: try sample sessions",
      "  pidex doctor: check these folders",
      "  pidex config set roots FOLDER: search other ones",
    ]
  `);
});

test("a list that filters leave empty names the filters, and the keys that remove them", () => {
  const view = { cwd: "/srv/shop", named: true, archived: true };
  expect(drawEmpty(80, { folders: ["/srv/sessions"] }, view)).toMatchInlineSnapshot(`
    [
      "  No sessions",
      "  Only named sessions are included",
      "  Only sessions of /srv/shop are included",
      "  Ctrl+F: search all folders",
      "  Alt+G: include sessions without a name",
    ]
  `);
  expect(drawEmpty(40, {}, { query: "kettles" })).toMatchInlineSnapshot(`
    [
      "  No sessions match "kettles"",
      "  Alt+R: search the files themselves",
      "  Esc: clear the query",
    ]
  `);
});

test("an empty list offers archived and subagent sessions only if there are some", () => {
  const view = { ...VIEW, query: "kettles" };
  const hints = (excluded: { archived: boolean; subagents: boolean }) =>
    getWiderHints(new KeyBindings(), view, { excluded }).slice(2);
  expect(hints({ archived: true, subagents: false })).toEqual(["Alt+A: include archived sessions"]);
  expect(hints({ archived: false, subagents: true })).toEqual(["Alt+S: include subagent sessions"]);
});

test("the error of a query is above the results of the query before, which are dim and not selected", () => {
  const theme = createTheme({});
  const failure = "unknown field rol: (at character 1 of the query)\nDid you mean role:?";
  const lines = drawList(createSampleState(rows, { failure }), { theme, columns: 40, rows: 9 });
  expect(lines.map((line) => stripVTControlCharacters(line).trimEnd())).toMatchInlineSnapshot(`
    [
      "  unknown field rol: (at character 1 of",
      "    the query)",
      "  Did you mean role:?",
      "",
      "  Results of the query before:",
      "  Checkout tax  tax bug              2h",
      "  └─ Checkout tax, another way       2d",
      "  Kettles, and how they came int…   now",
      "",
    ]
  `);
  expect(lines.slice(5, 8).every((line) => line.startsWith(theme.style("dim", "  ").slice(0, 6)))).toBe(true);
});

/** The lines of a frame of a list. */
const drawAll = (columns: number, state: Parameters<typeof createSampleState>[1]) => {
  const screen = { theme: createTheme({ NO_COLOR: "1" }), columns, rows: 12 };
  const parts = {
    input: () => "›",
    hints: [{ key: "Enter", word: "resume" }],
    lastHint: { key: "?", word: "keys" },
  };
  return drawFrame(createSampleState(rows, state), screen, "off", parts).map((line) =>
    stripVTControlCharacters(line).trimEnd(),
  );
};

test("a message wraps; one that ends with a key is cut before that", () => {
  const text = "nothing to undo; pidex restore lists the sessions in the trash";
  expect(drawAll(40, { message: { text, isError: false } }).slice(-2)).toEqual([
    "nothing to undo; pidex restore lists the",
    "sessions in the trash",
  ]);
  const done = { text: "pinned: Kettles, and how they came into a shop", end: "Alt+Z undo", isError: false };
  expect(drawAll(40, { message: done }).at(-1)).toBe("pinned: Kettles, and how t… · Alt+Z undo");
  expect(drawAll(80, { message: done }).at(-1)).toBe(
    "pinned: Kettles, and how they came into a shop · Alt+Z undo",
  );
});

test("a notice that is too long for the rule is below the list, above the hints", () => {
  const notice = "No session matches every term. Closest matches; corrected: kettel → kettle";
  const { results } = createSampleState(rows);
  expect(drawAll(90, { results: { ...results, notice } })[2]).toContain(`── ${notice} ─`);
  const narrow = drawAll(40, { results: { ...results, notice } });
  expect(narrow[2]).toBe("─".repeat(40));
  expect(narrow.slice(-3)).toEqual([
    "No session matches every term. Closest",
    "matches; corrected: kettel → kettle",
    "Enter resume   ? keys",
  ]);
});

test("tags have room beside a long title in a wide list only", () => {
  const state = createSampleState([
    sampleRow({ name: "A long title ".repeat(20), tags: ["tax", "billing"] }),
  ]);
  const draw = (columns: number) =>
    stripVTControlCharacters(
      drawList(state, { theme: createTheme({ NO_COLOR: "1" }), columns, rows: 1 })[0] ?? "",
    );
  expect(draw(110)).toMatch(/^› A long title .*… {2}tax billing {2}shop/);
  expect(draw(160)).toMatch(/^› A long title .*… {2}tax billing {2}shop/);
  expect(draw(60)).not.toContain("tax");
});

test("rows are dim in place while a changed view takes long to load", () => {
  const row = [sampleRow({ name: "Kettles", tags: ["tea"] })];
  const pane = { theme: createTheme({}), columns: 80, rows: 2 };
  const [current = ""] = drawList(createSampleState(row), pane);
  const [stale = ""] = drawList(createSampleState(row, { isStale: true }), pane);
  expect(stripVTControlCharacters(stale)).toBe(stripVTControlCharacters(current));
  expect(stale).toContain("\x1b[2m›");
});
