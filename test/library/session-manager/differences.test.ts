import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Difference } from "./differences/difference.ts";
import { differences } from "./differences.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/session-manager.md"), "utf8");
const folder = join(import.meta.dirname, "conformance");
const cases = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));

// The type of expectDifference rejects keys that are not in the table.
test("each difference in the table has a test", () => {
  const isTested = (key: string) => cases.some((source) => source.includes(`"${key}"`));
  expect(Object.keys(differences).filter((key) => !isTested(key))).toEqual([]);
});

test("each difference differs, and has a condition and a reason", () => {
  for (const [key, row] of Object.entries<Difference>(differences)) {
    expect([row["pi 0.73.1"], row["pi 1.5.2"]], key).not.toEqual([row.pidex, row.pidex]);
    expect(row.when, key).not.toBe("");
    expect(row.why, key).not.toBe("");
  }
});

test("differences from pi 1.5.2 are in the table of docs/session-manager.md", () => {
  const documented = (docs: string | undefined) => docs !== undefined && page.includes(`\n| ${docs}`);
  const rows = Object.entries<Difference>(differences);
  expect(
    rows.filter(([, row]) => (row["pi 1.5.2"] !== row.pidex) !== documented(row.docs)).map(([key]) => key),
  ).toEqual([]);
});
