import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toOneLine } from "../../../bin/format/safe.ts";
import { measureWidth } from "../../../bin/format/text.ts";
import { createTheme } from "../../../bin/format/theme.ts";
import { drawFrame } from "../../../bin/picker/frames/frame.ts";
import type { PreviewPosition } from "../../../bin/picker/frames/layout.ts";
import { drawLine } from "../../../bin/picker/frames/line.ts";
import { drawList, getRowHeight, scrollToSelected } from "../../../bin/picker/frames/list-frame.ts";
import { shortenPath } from "../../../bin/picker/frames/paths.ts";
import type { State } from "../../../bin/picker/model/state.ts";
import { moveSelection, scrollToSelection } from "../../../bin/picker/scroll-position.ts";
import { createSampleState, sampleHit, sampleRow, VIEW } from "./sample-state.ts";

const colors = createTheme({});
const plain = createTheme({ NO_COLOR: "1" });
const columnsOf = (text: string) => measureWidth(stripVTControlCharacters(text));

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    "漢字かな".repeat(30),
    "👩‍👩‍👧‍👦🇩🇪",
    "\x1b[31m\t\0",
    "word ".repeat(50),
    "Z\u0301\u0301\u0301",
  ),
);
const rows = fc.array(
  fc
    .record({
      name: fc.option(text, { nil: undefined }),
      firstMessage: text,
      cwd: text,
      path: text,
      tags: fc.array(text, { maxLength: 2 }),
      pinned: fc.boolean(),
      labelCount: fc.nat(3),
      messageCount: fc.nat(200_000),
      hits: fc.array(text.map(sampleHit), { maxLength: 3 }),
    })
    .map(({ hits, ...session }) => sampleRow(session, hits)),
  { maxLength: 12 },
);
const size = fc.record({ columns: fc.integer({ min: 1, max: 130 }), rows: fc.integer({ min: 1, max: 40 }) });

describe("a line", () => {
  test("shows its right part at the end if it fits", () => {
    const right = [{ text: "project  " }, { text: "8mo" }];
    expect(drawLine({ theme: plain, columns: 30 }, [{ text: "title" }], right)).toBe(
      "title             project  8mo",
    );
    expect(drawLine({ theme: plain, columns: 12 }, [{ text: "title" }], right)).toBe("title    8mo");
    expect(drawLine({ theme: plain, columns: 4 }, [{ text: "title" }], right)).toBe("tit…");
  });

  test("ends with an ellipsis if it is cut, also between two spans", () => {
    const spans = ["with ", "two", " ", "tax"].map((text) => ({ text }));
    const draw = (columns: number) => drawLine({ theme: plain, columns }, spans);
    expect([4, 5, 8, 9, 12].map(draw)).toEqual(["wit…", "with…", "with tw…", "with two…", "with two tax"]);
  });

  test("has the requested width, whatever it contains", () => {
    // A combining character at the start would join the span before.
    const spans = fc.array(
      text.map((each) => ({ text: `a${toOneLine(each)}` })),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120 }), spans, spans, (columns, left, right) => {
        expect(columnsOf(drawLine({ theme: colors, columns }, left, right))).toBe(columns);
      }),
    );
  });
});

/** States that occur, and some that should not. */
const state = fc
  .record({
    rows,
    selected: fc.nat(11),
    mode: fc.constantFrom("list", "preview", "tree", "facets"),
    showsPaths: fc.boolean(),
    isLoading: fc.boolean(),
    cwd: fc.option(text, { nil: undefined }),
    notice: fc.option(text, { nil: undefined }),
    message: fc.option(fc.record({ text, isError: fc.boolean() }), { nil: undefined }),
    completions: fc.array(text, { maxLength: 4 }),
    indexing: fc.boolean(),
    kind: text,
    help: fc.boolean(),
    failure: fc.option(text, { nil: undefined }),
    folders: fc.array(text, { maxLength: 12 }),
  })
  .map(({ rows, selected, mode, cwd, notice, completions, indexing, kind, help, ...others }): State => {
    const base = createSampleState(rows, others);
    const entry = {
      line: 3,
      entryId: "e",
      branchLines: "│  ".repeat(9),
      kind: toOneLine(kind),
      isOnCurrentBranch: true,
      isLeaf: false,
    };
    return {
      ...base,
      mode,
      selected: Math.min(selected, Math.max(0, rows.length - 1)),
      view: { ...VIEW, cwd },
      results: { ...base.results, notice },
      completions: { from: 0, texts: completions, taken: 0 },
      indexing: indexing ? { filesDone: 1, filesTotal: 9, bytesDone: 0, bytesTotal: 1e9 } : undefined,
      tree: {
        session: sampleRow({ name: kind }).session,
        params: { all: true, opened: [], closed: [] },
        facts: [toOneLine(kind)],
        rows: [{ ...entry, label: kind }, entry],
        selected: 0,
        top: 0,
        summaries: { 3: toOneLine(kind) },
      },
      facets: {
        groups: [{ name: "project", values: [{ value: kind, count: 12_345, term: kind }] }],
        selected: 0,
        top: 0,
      },
      help: help ? { top: 0 } : undefined,
    } as unknown as State;
  });

test("every state is drawn with as many lines as the terminal has rows, none wider than its columns", () => {
  const places = fc.constantFrom<PreviewPosition>("auto", "right", "below", "off");
  fc.assert(
    fc.property(state, size, places, (state, size, place) => {
      const cut = (columns: number) => "x".repeat(columns);
      const top = scrollToSelected(state, size.rows);
      const lines = drawFrame({ ...state, top }, { ...size, theme: colors }, place, {
        input: cut,
        preview: { facts: ["1 of 2 hits"], drawLines: (columns, rows) => Array(rows).fill(cut(columns)) },
        hints: [
          { key: "Enter", word: "resume" },
          { key: "?", word: "keys" },
        ],
        help: [cut(size.columns)],
      });
      expect(lines).toHaveLength(size.rows);
      for (const each of lines) {
        expect(columnsOf(each)).toBeLessThanOrEqual(size.columns);
        expect(each).not.toContain("\n");
      }
    }),
    { numRuns: 300 },
  );
});

test("a folder is shown on one line, with symbols for line breaks", () => {
  expect(shortenPath("\n")).toBe("\u240a");
  expect(shortenPath("/srv/a\nb\t")).toBe("/srv/a\u240ab\u2409");
});

test("the preview shows its session's title, and cuts long ones to show the number of the hit", () => {
  const state = createSampleState([sampleRow({ name: "another one" })], { mode: "preview" });
  const session = sampleRow({ name: "long ".repeat(30) }).session;
  const preview = { facts: ["1 of 2 hits"], session, drawLines: () => [] };
  const [, , rule = ""] = drawFrame(state, { theme: plain, columns: 40, rows: 9 }, "off", {
    input: String,
    preview,
    hints: [],
  });
  expect(stripVTControlCharacters(rule)).toMatch(/^── long long .*… · 1 of 2 hits ─/);
  expect(columnsOf(rule)).toBe(40);
});

test("the selected session is always visible, with as little scrolling as possible", () => {
  fc.assert(
    fc.property(
      rows,
      fc.nat(11),
      fc.nat(11),
      fc.integer({ min: 1, max: 20 }),
      (rows, chosen, top, height) => {
        fc.pre(rows.length > 0);
        const named = rows.map((each, n) => ({
          ...each,
          session: { ...each.session, name: `row${n} `, tags: [] },
        }));
        const last = rows.length - 1;
        const before = createSampleState(named, {
          selected: Math.min(chosen, last),
          top: Math.min(top, last),
        });
        const after = { ...before, top: scrollToSelected(before, height) };
        const lines = drawList(after, { theme: plain, columns: 80, rows: height }).map(
          stripVTControlCharacters,
        );
        expect(lines).toHaveLength(height);
        const at = lines.findIndex((each) => each.startsWith("› "));
        expect(lines[at]).toContain(`row${after.selected} `);
        const tall = getRowHeight(named[after.selected] as (typeof named)[number]);
        if (tall <= height) expect(at + tall).toBeLessThanOrEqual(height); // with its hits
        if (after.top < before.top) expect(after.top).toBe(after.selected);
        expect(scrollToSelected(after, height)).toBe(after.top);
      },
    ),
  );
});

test.each([
  ["up", 5, 4],
  ["up", 0, 0],
  ["down", 5, 6],
  ["down", 9, 9],
  ["pageUp", 5, 2],
  ["pageDown", 8, 9],
  ["first", 5, 0],
  ["last", 5, 9],
  ["resume", 5, undefined],
])("%s moves from %i to %s", (action, from, to) => {
  expect(moveSelection(action, from, 10, 3)).toBe(to);
});

test("no action moves the selection in an empty list", () => {
  for (const action of ["up", "down", "pageUp", "pageDown", "first", "last"])
    expect(moveSelection(action, 0, 0, 3)).toBe(0);
});

test("scrolling follows the selection", () => {
  const place = fc.record({ selected: fc.nat(50), top: fc.nat(50) });
  fc.assert(
    fc.property(place, fc.integer({ min: 1, max: 20 }), (before, height) => {
      const after = { ...before };
      scrollToSelection(after, height);
      expect(after.selected).toBe(before.selected);
      expect(after.top).toBeLessThanOrEqual(after.selected);
      expect(after.top).toBeGreaterThan(after.selected - height);
      const wasSeen = before.top <= before.selected && before.selected < before.top + height;
      if (wasSeen) expect(after.top).toBe(before.top);
    }),
  );
});
