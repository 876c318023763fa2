import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findDifferences } from "../../bench/json-differences.ts";

const HOME = join(import.meta.dirname, "../..");

test("prune:check compresses and restores a copy of a root, and reports equal answers", () => {
  const root = join(HOME, "fixtures/roots/flat");
  const argv = [
    join(HOME, "bench/check-prune.ts"),
    "--root",
    root,
    "--words",
    "10",
    "--entries",
    "5",
    "--trees",
    "2",
    "--whole",
    "1",
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const rows = stdout.split("\n").filter((line) => /^\| [a-z]+.* \| 4 \|/.test(line));
  const cells = rows.map((row) => row.split(" | "));
  expect(cells.map(([state]) => state)).toEqual([
    "| plain, again",
    "| compressed",
    "| compressed, in a new index",
    "| restored",
  ]);
  for (const [, , before, now] of cells.slice(1, 3)) expect(Number(now)).toBeLessThan(Number(before));
  for (const row of cells) expect([Number(row[5]) > 50, row[6], row[7]]).toEqual([true, "0", "0"]);
  expect(stdout).toContain("4 files restored, 0 attributes differ.");
}, 180_000);

test("differences have the path of the field and both values", () => {
  const before = { sessions: [{ id: "a", tags: ["x"] }], total: 1, gone: null };
  const after = { sessions: [{ id: "b", tags: ["x", "y"] }], total: 1 };
  expect(findDifferences(before, before)).toEqual([]);
  expect(findDifferences(before, after)).toEqual([
    { field: ".sessions[0].id", before: '"a"', after: '"b"' },
    { field: ".sessions[0].tags[1]", before: "absent", after: '"y"' },
    { field: ".gone", before: "null", after: "absent" },
  ]);
});
