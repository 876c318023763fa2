import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleWords } from "../../bench/root-words.ts";
import { temporaryFolder } from "../temporary.ts";

function writeRoot(texts: readonly string[]): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "project"));
  for (const [n, content] of texts.entries()) {
    const header = {
      type: "session",
      version: 3,
      id: `s${n}`,
      timestamp: "2026-01-01T00:00:00.000Z",
      cwd: "/w",
    };
    const entry = { type: "message", id: "00000001", parentId: null, message: { role: "user", content } };
    const lines = [header, entry].map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(join(root, "project", `${n}.jsonl`), lines);
  }
  return root;
}

test("words of a root are ranked by the share of entries that contain them", () => {
  const { words } = sampleWords(writeRoot(["Apfel und Birne", "apfel apfel", "Birne, Apfel! v2x ab"]));
  expect([...words]).toEqual([
    ["apfel", 1],
    ["birne", 2 / 3],
    ["und", 1 / 3],
  ]);
});

test("the most frequent follower of a word, and pairs of Chinese characters, are found", () => {
  const sample = sampleWords(writeRoot(["red green", "red green 订单号", "red blue 订单", "red, white"]));
  expect(sample.follower("red")).toBe("green");
  expect(sample.follower("white")).toBeUndefined();
  expect(sample.hanPairs).toEqual(["订单", "单号"]);
});

test("every file has its share of a sample", () => {
  const sample = sampleWords(writeRoot(["first ".repeat(500), "second", "third"]), 100);
  expect([...sample.words.keys()]).toEqual(["first", "second", "third"]);
});
