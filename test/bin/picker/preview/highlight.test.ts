import fc from "fast-check";
import { expect, test } from "vitest";
import { toSafe } from "../../../../bin/format/safe.ts";
import type { Theme } from "../../../../bin/format/theme.ts";
import { extractMatches, findFirstMatch, highlightLines } from "../../../../bin/picker/preview/highlight.ts";
import { coloredTheme, expectToFit, plainTheme, toVisibleText } from "./visible-text.ts";

const on = (text: string) => `\u001b[7m\u001b[33m${text}\u001b[39m\u001b[27m`;
const highlightLine = (line: string, finds: readonly string[], theme: Theme) =>
  highlightLines([line], finds, theme)[0];
const bare = (text: string) => `\u001b[7m${text}\u001b[27m`;

test("finds are the distinct texts in the ranges of snippets, longest first", () => {
  const hit = (text: string, ...ranges: [number, number][]) => ({ snippet: { text, ranges } });
  expect(
    extractMatches([hit("the tax is a tax", [4, 7], [13, 16]), hit("taxes", [0, 5]), hit(" ", [0, 1])]),
  ).toEqual(["taxes", "tax"]);
});

test("a match is highlighted in its line", () => {
  expect(highlightLine("the Tax is", ["tax"], coloredTheme)).toBe(`the ${on("Tax")} is`);
  expect(highlightLine("the Tax is", ["tax"], plainTheme)).toBe(`the ${bare("Tax")} is`);
  expect(highlightLine("nothing", ["tax", ""], coloredTheme)).toBe("nothing");
});

test("the line's own style continues after a match", () => {
  expect(highlightLine("\u001b[32mthe tax is\u001b[39m", ["tax"], plainTheme)).toBe(
    `\u001b[32mthe \u001b[39m${bare("tax")}\u001b[32m is\u001b[39m`,
  );
  expect(highlightLine("a t\u001b[1max\u001b[22m", ["tax"], plainTheme)).toBe(`a ${bare("t")}${bare("ax")}`);
});

test("overlapping matches are highlighted as one", () => {
  expect(highlightLine("abcdef aaa", ["abc", "cde", "aa"], plainTheme)).toBe(
    `${bare("abcde")}f ${bare("aaa")}`,
  );
});

test("matching ignores case and composition, and handles wide characters", () => {
  expect(highlightLine("un cafe\u0301!", ["CAF\u00c9"], plainTheme)).toBe(`un ${bare("cafe\u0301")}!`);
  expect(highlightLine("ΟΔΟΣ", ["οδος"], plainTheme)).toBe(bare("ΟΔΟΣ"));
  expect(highlightLine("書店の本", ["店"], plainTheme)).toBe(`書${bare("店")}の本`);
});

test("a match across a line break is highlighted in both lines", () => {
  expect(highlightLines(["is the big", "  tax added"], ["big tax"], plainTheme)).toEqual([
    `is the ${bare("big")}`,
    `  ${bare("tax")} added`,
  ]);
  expect(findFirstMatch(["no", "is the big", "tax"], ["big  tax"])).toBe(1);
});

test("findFirstMatch returns the first line with a match", () => {
  const lines = ["one", "\u001b[1mt\u001b[22mwo", "three two"];
  expect(findFirstMatch(lines, ["three", "two"])).toBe(1);
  expect(findFirstMatch(lines, ["four"])).toBeUndefined();
  expect(findFirstMatch(lines, [])).toBeUndefined();
  expect(findFirstMatch([], ["one"])).toBeUndefined();
});

const part = fc.tuple(fc.constantFrom("", "1", "31", "2;36"), fc.string({ unit: "grapheme", maxLength: 8 }));
const styledLine = fc.array(part).map((parts) =>
  parts
    .map(([code, text]) => [code, toSafe(text.toWellFormed()).replace(/[\n\t]/g, " ")])
    .map(([code, text]) => (code === "" ? text : `\u001b[${code}m${text}\u001b[0m`))
    .join(""),
);

test("highlighting changes no text, and findFirstMatch agrees with it", () => {
  fc.assert(
    fc.property(
      fc.array(styledLine, { maxLength: 4 }),
      fc.array(fc.string({ maxLength: 3 })),
      (lines, finds) => {
        const marked = highlightLines(lines, finds, coloredTheme);
        expect(toVisibleText(marked)).toEqual(toVisibleText(lines));
        expectToFit(marked, Number.POSITIVE_INFINITY);
        const first = marked.findIndex((line) => line.includes("\u001b[7m"));
        expect(findFirstMatch(lines, finds) ?? -1).toBe(first);
      },
    ),
  );
});
