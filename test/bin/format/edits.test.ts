import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractEdit } from "../../../bin/format/edits.ts";
import { diffLines } from "../../../bin/format/line-diff.ts";

const CHANGE = { lines: [" a", "-b", "+B", " c"], added: 1, removed: 1 };
const [BEFORE, AFTER] = ["a\nb\nc", "a\nB\nc"];
const PATCH = "*** Begin Patch\n*** Update File: x.ts\n@@\n-b\n+B\n+B2\n*** End Patch";
const UNIFIED = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1,2 @@\n-b\n+B\n+B2";

describe("edits by the tools of all agents", () => {
  test.each([
    ["edit", { path: "x.ts", oldText: BEFORE, newText: AFTER }],
    ["edit", { path: "x.ts", edits: [{ oldText: BEFORE, newText: AFTER }] }],
    ["Edit", { file_path: "x.ts", old_string: BEFORE, new_string: AFTER }],
    ["MultiEdit", { file_path: "x.ts", edits: [{ old_string: BEFORE, new_string: AFTER }] }],
    ["str_replace", { path: "x.ts", command: "str_replace", old_str: BEFORE, new_str: AFTER }],
  ])("%s with %j", (name, args) => {
    expect(extractEdit(name, args)).toMatchObject({ ...CHANGE, about: "x.ts" });
  });

  test.each([
    ["write", { path: "x.ts", content: "a\nb\n" }],
    ["Write", { file_path: "x.ts", content: "a\nb" }],
    ["create", { path: "x.ts", file_text: "a\nb\n" }],
    ["str_replace_based_edit_tool", { command: "create", path: "x.ts", file_text: "a\nb" }],
    ["str_replace_based_edit_tool", { command: "insert", path: "x.ts", insert_line: 1, insert_text: "a\nb" }],
  ])("%s with %j", (name, args) => {
    expect(extractEdit(name, args)).toMatchObject({
      lines: ["+a", "+b"],
      added: 2,
      removed: 0,
      about: "x.ts",
    });
  });

  test.each([
    ["apply_patch", { input: PATCH }],
    ["patch", { patch: PATCH }],
    ["apply_diff", { path: "x.ts", diff: UNIFIED }],
  ])("%s with %j", (name, args) => {
    expect(extractEdit(name, args)).toMatchObject({ added: 2, removed: 1, about: "x.ts" });
  });

  test.each([
    ["read", { path: "x.ts" }],
    ["bash", { command: "create x" }],
    ["search", { query: "write" }],
    ["edit", { path: "x.ts" }],
    ["edit", null],
    ["todo_write", { todos: [] }],
  ])("%s with %j changes no file", (name, args) => {
    expect(extractEdit(name, args)).toBeUndefined();
  });
});

test("a patch of several files shows their number", () => {
  const patch = `${PATCH}\n*** Add File: y.ts\n+c`;
  expect(extractEdit("apply_patch", { input: patch })).toMatchObject({ about: "2 files", added: 3 });
});

test("edits at several places are separated", () => {
  const edits = [
    { oldText: "a", newText: "b" },
    { oldText: "c", newText: "" },
  ];
  expect(extractEdit("edit", { path: "x", edits })?.lines).toEqual(["-a", "+b", " …", "-c"]);
});

test("each change has three lines of context", () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
  const now = lines.with(10, "ten").with(20, "twenty");
  expect(diffLines(lines.join("\n"), now.join("\n")).lines).toEqual([
    ...[" line 7", " line 8", " line 9", "-line 10", "+ten", " line 11", " line 12", " line 13", " …"],
    ...[" line 17", " line 18", " line 19", "-line 20", "+twenty", " line 21", " line 22", " line 23"],
  ]);
});

test("texts too long to compare are shown as removed and added, and counted", () => {
  const numbered = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word} ${n}`);
  const { lines, added, removed } = diffLines(numbered("a").join("\n"), numbered("b").join("\n"));
  expect([added, removed, lines.length]).toEqual([3000, 3000, 6000]);
  const endless = "lorem\n".repeat(500_000);
  const diff = diffLines(endless, `${endless}x`);
  expect([diff.added, diff.removed]).toEqual([500_001, 500_000]);
  expect(diff.lines.length).toBeLessThan(100_000);
});

const text = fc.array(fc.constantFrom("a", "b", "c", "", "-d", "+e"), { maxLength: 14 });

test("a diff turns one text into the other, with as few lines as possible", () => {
  fc.assert(
    fc.property(text, text, (old, now) => {
      const { lines, added, removed } = diffLines(`${old.join("\n")}\n`, `${now.join("\n")}\n`);
      const [oldLines, newLines] = [old, now].map((all) => (all.length === 0 ? [""] : all)) as [
        string[],
        string[],
      ];
      const signed = (sign: string) => lines.filter((line) => line[0] === sign).map((line) => line.slice(1));
      expect([signed("+").length, signed("-").length]).toEqual([added, removed]);
      expect(oldLines.length - removed).toBe(newLines.length - added);
      expect(oldLines.length - removed).toBe(commonLines(oldLines, newLines));
      expect(isWithin(signed("-"), oldLines) && isWithin(signed("+"), newLines)).toBe(true);
    }),
  );
});

/** The longest common subsequence of lines, by brute force. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  const known = new Map<string, number>();
  const from = (n: number, m: number): number => {
    if (n === a.length || m === b.length) return 0;
    const key = `${n} ${m}`;
    const found =
      known.get(key) ?? (a[n] === b[m] ? 1 + from(n + 1, m + 1) : Math.max(from(n + 1, m), from(n, m + 1)));
    known.set(key, found);
    return found;
  };
  return from(0, 0);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let n = 0;
  for (const line of all) if (line === some[n]) n++;
  return n === some.length;
}
