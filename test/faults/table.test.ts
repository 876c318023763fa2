import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const TESTS = join(import.meta.dirname, "..");
const README = readFileSync(join(import.meta.dirname, "README.md"), "utf8");

const STRING = /"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
const KEY = /^ +\w+:/gm;

/** Rows of the tables: fault, test file, test name, result. */
const rows = README.split("\n")
  .filter((line) => /^\| .*\.test\.ts \|/.test(line))
  .map((line) => line.slice(2, -2).split(" | ") as [string, string, string, string]);

test("every row refers to an existing file and test", () => {
  expect(rows.length).toBeGreaterThan(100);
  const missing = rows.filter(([, file, name]) => {
    const path = join(TESTS, file);
    if (!existsSync(path)) return true;
    const source = readFileSync(path, "utf8");
    // A test name or part of one, or the key of a case.
    const [texts, keys] = [
      source.match(STRING) ?? [],
      (source.match(KEY) ?? []).map((key) => key.trim().slice(0, -1)),
    ];
    return !keys.includes(name) && !texts.some((text) => text.includes(name));
  });
  expect(missing).toEqual([]);
});

test("every row has four cells", () => {
  expect(rows.filter((row) => row.length !== 4 || row.some((cell) => cell.trim() === ""))).toEqual([]);
});

test("every test file has a row", () => {
  const named = new Set(rows.map(([, file]) => file));
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".test.ts") && name !== "table.test.ts",
  );
  expect(files.filter((name) => !named.has(`faults/${name}`))).toEqual([]);
});
