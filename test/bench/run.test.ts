import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compare } from "../../bench/comparison.ts";
import type { Manifest } from "../../bench/generate.ts";
import type { Report } from "../../bench/run.ts";
import { table } from "../../bench/table.ts";

describe("a run over a root of 2 MB", () => {
  let folder: string;
  let roots: string;
  let output: string;
  let report: Report;
  let manifest: Manifest;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pidex-bench-test-"));
    roots = join(folder, "roots");
    const json = join(folder, "report.json");
    const script = join(import.meta.dirname, "../../bench/run.ts");
    const args = ["--size", "2MB", "--rounds", "2", "--roots", roots, "--json", json];
    output = execFileSync(process.execPath, [script, ...args], { encoding: "utf8", stdio: "pipe" });
    report = JSON.parse(readFileSync(json, "utf8")) as Report;
    manifest = JSON.parse(readFileSync(join(roots, "mixed-2mb.manifest.json"), "utf8")) as Manifest;
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true }));

  function row(what: string) {
    const found = report.rows.find((candidate) => candidate.what === what);
    if (!found) throw new Error(`No row: ${what}`);
    return found;
  }

  test("has every row, in the table too, with a ratio that is a number", () => {
    const hasFind = report.rows.some(({ against }) => against === "find");
    expect(report.rows.map(({ what }) => what)).toEqual([
      "first index: time",
      "first index: processor time",
      "first index: peak memory",
      "first index: database size",
      "first index: bytes read",
      "first index: lines read",
      "first index: bytes compared",
      ...(hasFind ? ["sync, nothing new: time"] : []),
      "sync, nothing new: bytes read",
      "sync, nothing new: lines read",
      "sync, nothing new: bytes compared",
      ...(hasFind ? ["sync, one line appended: time"] : []),
      "sync, one line appended: bytes read",
      "sync, one line appended: lines read",
      "sync, one line appended: bytes compared",
      "list all sessions",
      "search: a rare word",
      "search: a common word",
      "search: two common words",
      "search: a rare Chinese word",
      "search: a common Chinese word",
    ]);
    for (const { what, ratio } of report.rows) {
      expect(output).toContain(`\n${what}  `);
      expect(Object.values(ratio).every(Number.isFinite)).toBe(true);
      expect(ratio.lowest).toBeLessThanOrEqual(ratio.median);
      expect(ratio.median).toBeLessThanOrEqual(ratio.highest);
    }
  });

  test("reads every line once at first", () => {
    const lines = manifest.entries + manifest.files;
    expect(row("first index: lines read")).toMatchObject({ measured: lines, base: lines });
    expect(row("first index: bytes read").measured).toBeGreaterThanOrEqual(manifest.bytes);
  });

  test("reads nothing when nothing is new", () => {
    const none = { measured: 0, ratio: { lowest: 0, highest: 0 } };
    expect(row("sync, nothing new: bytes read")).toMatchObject({ ...none, base: manifest.bytes });
    expect(row("sync, nothing new: lines read")).toMatchObject(none);
    expect(row("sync, nothing new: bytes compared")).toMatchObject(none);
  });

  test("reads exactly the line that was appended", () => {
    const exactly = { ratio: { lowest: 1, median: 1, highest: 1 } };
    expect(row("sync, one line appended: bytes read")).toMatchObject(exactly);
    expect(row("sync, one line appended: lines read")).toMatchObject({ ...exactly, measured: 1 });
  });

  test("says on what machine and files it ran", () => {
    expect(output).toContain(`Node ${process.versions.node}`);
    expect(output).toContain(`seed 1, 4 files, ${manifest.bytes} bytes`);
  });

  test("leaves the root for the next run, and nothing else", () => {
    expect(readdirSync(roots).sort()).toEqual(["mixed-2mb", "mixed-2mb.manifest.json"]);
    const names = readdirSync(join(roots, "mixed-2mb"), { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => name.endsWith(".jsonl"));
    const bytes = files.reduce((sum, name) => sum + readFileSync(join(roots, "mixed-2mb", name)).length, 0);
    expect({ files: files.length, bytes }).toEqual({ files: manifest.files, bytes: manifest.bytes });
  });
});

describe("a comparison", () => {
  const row = { what: "a thing", unit: "ms", against: "the floor", measured: [30, 10, 20] } as const;

  test("takes its ratios round by round", () => {
    const { measured, base, ratio } = compare({ ...row, base: [10, 10, 5], times: "as long" });
    expect({ measured, base, ratio }).toEqual({
      measured: 20,
      base: 10,
      ratio: { median: 3, lowest: 1, highest: 4 },
    });
  });

  test("is turned around for what is faster", () => {
    const { ratio } = compare({ ...row, base: [600], times: "as fast" });
    expect(ratio).toEqual({ median: 30, lowest: 20, highest: 60 });
  });

  test("is a line of the table", () => {
    const rows = [compare({ ...row, base: [6000], times: "as fast" })];
    expect(table(rows).split("\n").at(-1)).toBe(
      "a thing  20 ms     the floor: 6 s  300 x as fast  200 to 600",
    );
  });
});
