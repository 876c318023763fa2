import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDiffLines } from "../../../bin/format/diff-lines.ts";
import { findChangedWords } from "../../../bin/format/word-diff.ts";

/** The lines of a diff with their changed words in brackets. */
function marked(diff: string): string[] {
  const lines = parseDiffLines(diff.split("\n"));
  const changes = findChangedWords(lines);
  return lines.map(({ gutter, text }, n) => {
    const ranges = changes[n] ?? [];
    let [marked, end] = [gutter, 0];
    for (const [from, to] of ranges) {
      marked += `${text.slice(end, from)}[${text.slice(from, to)}]`;
      end = to;
    }
    return marked + text.slice(end);
  });
}

test.each([
  ["a word", "-const rate = 0.19;\n+const rate = 0.07;", ["-const rate = 0.[19];", "+const rate = 0.[07];"]],
  ["an added word", "-foo(a)\n+foo(a, b)", ["-foo(a)", "+foo(a[, b])"]],
  [
    "a removed word",
    "-return await load(x);\n+return load(x);",
    ["-return [await ]load(x);", "+return load(x);"],
  ],
  [
    "words beside each other",
    "-count one two sheep now\n+count eins zwei sheep now",
    ["-count [one two] sheep now", "+count [eins zwei] sheep now"],
  ],
  ["an indentation", "-  call(first);\n+    call(first);", ["-[  ]call(first);", "+[    ]call(first);"]],
  ["numbered lines", "-12 let x = 1;\n+12 let x = 2;", ["-12 let x = [1];", "+12 let x = [2];"]],
  ["lines numbered first", " 4 - let x = 1;\n 4 + let x = 2;", [" 4 - let x = [1];", " 4 + let x = [2];"]],
  [
    "letters with marks",
    "-sage cafe\u0301 noir\n+sage café noir",
    ["-sage [cafe\u0301] noir", "+sage [café] noir"],
  ],
  ["an emoji", "-say 👍 now please\n+say 👎 now please", ["-say [👍] now please", "+say [👎] now please"]],
  ["Chinese", "-保存所有会话\n+保存全部会话", ["-保存[所有]会话", "+保存[全部]会话"]],
])("%s is marked", (_, diff, expected) => {
  expect(marked(diff)).toEqual(expected);
});

test("lines are paired by what they share, not by their position", () => {
  expect(marked("-const total = sum(a);\n+// in cents, see below\n+const total = add(a);")).toEqual([
    "-const total = [sum](a);",
    "+// in cents, see below",
    "+const total = [add](a);",
  ]);
});

test.each([
  ["lines with little in common", "-import { a } from 'b';\n+export default function run() {"],
  ["an added line alone", " kept\n+added"],
  ["lines of different hunks", "-a b c d\n@@ -1 +1 @@\n+a b c e"],
  ["names of files", "--- a/x.ts\n+++ b/x.ts\n"],
])("nothing is marked in %s", (_, diff) => {
  expect(marked(diff)).toEqual(diff.split("\n"));
});

test("signs and line numbers are separated from the text", () => {
  const toGutters = (diff: string) =>
    parseDiffLines(diff.split("\n")).map(({ gutter, text }) => [gutter, text]);
  expect(toGutters("  9 a\n-10 b\n+10 c\n    ...")).toEqual([
    ["  9 ", "a"],
    ["-10 ", "b"],
    ["+10 ", "c"],
    ["", "    ..."],
  ]);
  expect(toGutters(" 1   a\n 2 - b\n 2 + \n   ...")).toEqual([
    [" 1   ", "a"],
    [" 2 - ", "b"],
    [" 2 + ", ""],
    ["", "   ..."],
  ]);
  // Numbers that are text
  expect(toGutters("-1 apple\n+some apples")).toEqual([
    ["-", "1 apple"],
    ["+", "some apples"],
  ]);
});

test("any diff keeps its text, and ranges are within it, in order", () => {
  const line = fc.tuple(
    fc.constantFrom("-", "+", " ", "-1 ", "+1 ", " 1 - ", " 1 + ", "@@", ""),
    fc.string({ unit: fc.constantFrom(..."ab _.(1\té👍文".split(/(?:)/u)), maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const texts = lines.map((parts) => parts.join(""));
      const parsed = parseDiffLines(texts);
      expect(parsed.map(({ gutter, text }) => gutter + text)).toEqual(texts);
      for (const [n, ranges] of findChangedWords(parsed).entries()) {
        let end = -1;
        for (const [from, to] of ranges ?? []) {
          expect(from).toBeGreaterThan(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual((parsed[n]?.text ?? "").length);
      }
    }),
  );
});

test.each([
  ["a line of 1 MB", `-${"ab ".repeat(350_000)}\n+${"ba ".repeat(350_000)}`],
  ["a line of 1 MB without spaces", `-${"a".repeat(1e6)}b\n+${"a".repeat(1e6)}c`],
  ["a line of punctuation", `-${"(".repeat(500_000)}\n+${"()".repeat(250_000)}`],
  ["5,000 lines", `${"-a b c d e f\n".repeat(2500)}${"+f e d c b a\n".repeat(2500)}`],
  [
    "lines that all differ",
    Array.from({ length: 300 }, (_, n) => `${n < 150 ? "-" : "+"}${`w${n} x `.repeat(300)}`).join("\n"),
  ],
])("%s takes little time", (_, diff) => {
  const lines = parseDiffLines(diff.split("\n"));
  const start = performance.now();
  findChangedWords(lines);
  expect(performance.now() - start).toBeLessThan(2000);
});
