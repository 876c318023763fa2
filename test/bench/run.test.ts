import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compare } from "../../bench/comparison.ts";
import type { Manifest } from "../../bench/manifest.ts";
import type { Report } from "../../bench/run.ts";
import { formatTable } from "../../bench/table.ts";
import { formatTables, replaceTables } from "../../bench/write-page.ts";
import { temporaryFolder } from "../temporary.ts";

/** Scenarios with counts that must be the same everywhere. The others start too many processes for a test. */
const PARTS = ["A", "B"] as const;

describe("a run over small roots", () => {
  let folder: string;
  let roots: string;
  let output: string;
  let report: Report;
  let mixed: Manifest;
  let small: Manifest;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pidex-bench-test-"));
    roots = join(folder, "roots");
    const json = join(folder, "report.json");
    const script = join(import.meta.dirname, "../../bench/run.ts");
    const sizes = ["--size=2MB", "--small=50"];
    const args = [`--parts=${PARTS}`, "--rounds=1", "--turns=1", "--roots", roots, "--json", json, ...sizes];
    // The first process fills the compile cache for the others.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
    output = execFileSync(process.execPath, [script, ...args], { encoding: "utf8", stdio: "pipe", env });
    report = JSON.parse(readFileSync(json, "utf8")) as Report;
    const manifestOf = (name: string) =>
      JSON.parse(readFileSync(join(roots, `${name}.manifest.json`), "utf8")) as Manifest;
    mixed = manifestOf("mixed-2mb");
    small = manifestOf("small-50");
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true }));

  function rows() {
    return report.parts.flatMap((part) => part.rows);
  }

  function row(what: string) {
    const found = rows().find((candidate) => candidate.what === what);
    if (!found) throw new Error(`No row: ${what}`);
    return found;
  }

  test("has the rows of the selected parts, also in the table, with a number as ratio", () => {
    expect(report.parts.map(({ part }) => part)).toEqual(PARTS);
    const hasFind = rows().some(({ against }) => against === "find");
    const [first, again] = report.parts.map((part) => part.rows.map(({ what }) => what));
    expect(first).toEqual([
      "first index of 2MB: time",
      "first index of 2MB: processor time",
      "first index of 2MB: until the newest sessions are listed and found",
      "first index of 2MB: lists and searches meanwhile, p95",
      "first index of 2MB: until all sessions are listed",
      "first index of 2MB: until all costs are known",
      "first index of 2MB: peak memory",
      "first index of 2MB: bytes read",
      "first index of 2MB: lines read",
      "first index of 2MB: bytes compared",
    ]);
    expect(again).toEqual([
      ...(hasFind ? ["sync of 50 small sessions, nothing new: an open index"] : []),
      "sync of 50 small sessions, nothing new: bytes read",
      "sync of 50 small sessions, nothing new: lines read",
      "sync of 50 small sessions, nothing new: bytes compared",
      ...(hasFind ? ["sync of 50 small sessions, nothing new: a fresh process"] : []),
      "sync of 50 small sessions, one line appended: what it adds",
      "sync of 50 small sessions, one line appended: processor time it adds",
      "sync of 50 small sessions, one line appended: bytes read",
      "sync of 50 small sessions, one line appended: lines read",
      "sync of 50 small sessions, one line appended: bytes compared",
      "syncs of 50 small sessions: peak memory",
    ]);
    expect(report.parts[0]?.title).toBe("First index (mixed sessions)");
    for (const { what, ratio } of rows()) {
      expect(output).toContain(`\n${what}  `);
      expect(Object.values(ratio).every(Number.isFinite)).toBe(true);
      expect(ratio.lowest).toBeLessThanOrEqual(ratio.median);
      expect(ratio.median).toBeLessThanOrEqual(ratio.highest);
    }
  });

  test("reads every line once in the first sync", () => {
    const lines = mixed.entries + mixed.files;
    expect(row("first index of 2MB: lines read")).toMatchObject({ measured: lines, base: lines });
    expect(row("first index of 2MB: bytes read").measured).toBeGreaterThanOrEqual(mixed.bytes);
  });

  test("reads nothing without changes", () => {
    const none = { measured: 0, ratio: { lowest: 0, highest: 0 } };
    const what = "sync of 50 small sessions, nothing new";
    expect(row(`${what}: bytes read`)).toMatchObject({ ...none, base: small.bytes });
    expect(row(`${what}: lines read`)).toMatchObject(none);
    expect(row(`${what}: bytes compared`)).toMatchObject(none);
  });

  test("reads exactly the line that was appended", () => {
    const exactly = { ratio: { lowest: 1, median: 1, highest: 1 } };
    const what = "sync of 50 small sessions, one line appended";
    expect(row(`${what}: bytes read`)).toMatchObject(exactly);
    expect(row(`${what}: lines read`)).toMatchObject({ ...exactly, measured: 1 });
  });

  test("reports its machine and files, and which goals were met", () => {
    expect(output).toContain(`Node ${process.versions.node}`);
    expect(output).toContain(`mixed, seed 1, 4 files, ${mixed.bytes} bytes`);
    const goals = rows().flatMap(({ goal }) => (goal ? [goal.met] : []));
    expect(output).toContain(`Goals: ${goals.filter((met) => met).length} of ${goals.length} were met`);
  });

  test("fills the tables of a page, in the order of its parts", () => {
    const [a, b] = report.parts.map((part) => formatTables([{ ...report, parts: [part] }]));
    expect(formatTables([{ ...report, parts: report.parts.toReversed() }])).toBe([a, b].join("\n\n"));
    const lines = (b ?? "").split("\n").filter((line) => line.startsWith("|"));
    expect(lines).toHaveLength(2 + (report.parts[1]?.rows.length ?? 0));
    expect(new Set(lines.map((line) => line.split(" | ").length))).toEqual(new Set([7]));
    const page = "before\n<!-- tables: node bench/write-page.ts -->\n<!-- end of tables -->\nafter\n";
    const written = replaceTables(page, "### B. Old\n\nold");
    expect(written).toBe(page.replace("-->\n<!--", "-->\n\n### B. Old\n\nold\n\n<!--"));
    expect(replaceTables(written, "### B. New\n\nnew")).toBe(
      written.replace("B. Old\n\nold", "B. New\n\nnew"),
    );
    const more = replaceTables(replaceTables(written, "### C. Last\n\nc"), "### A. First\n\na");
    expect(more).toContain("\n\n### A. First\n\na\n\n### B. Old\n\nold\n\n### C. Last\n\nc\n\n<!--");
    expect(replaceTables(more, "### A. First\n\na")).toBe(more);
    expect(() => replaceTables("nothing", "new")).toThrow("lacks a marker for tables");
  });

  test("leaves only the roots for the next run", () => {
    const generated = ["mixed-2mb", "small-50"];
    const manifests = generated.map((name) => `${name}.manifest.json`);
    expect(readdirSync(roots).sort()).toEqual([...generated, ...manifests].sort());
    for (const [name, { files, bytes }] of [
      ["mixed-2mb", mixed],
      ["small-50", small],
    ] as const) {
      const paths = readdirSync(join(roots, name), { recursive: true, encoding: "utf8" });
      const sessions = paths.filter((path) => path.endsWith(".jsonl"));
      const sizes = sessions.map((path) => statSync(join(roots, name, path)).size);
      const sum = sizes.reduce((all, size) => all + size, 0);
      expect({ files: sessions.length, bytes: sum }).toEqual({ files, bytes });
    }
  });
});

test.each([
  ["--parts", "A,X"],
  ["--tiny", "10,many"],
  ["--profile", "other"],
])("%s %j is rejected before anything is written", (option, value) => {
  const parent = temporaryFolder();
  const script = join(import.meta.dirname, "../../bench/run.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, `${option}=${value}`, "--roots", parent], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/takes (a whole number above 0|some of A|mixed or varied)/);
  expect(readdirSync(parent)).toEqual([]);
});

describe("a comparison", () => {
  const row = { what: "a thing", unit: "ms", against: "the floor", measured: [30, 10, 20] } as const;

  test("computes ratios per round", () => {
    const { measured, base, ratio } = compare({ ...row, base: [10, 10, 5], times: "as long" });
    expect({ measured, base, ratio }).toEqual({
      measured: 20,
      base: 10,
      ratio: { median: 3, lowest: 1, highest: 4 },
    });
  });

  test("inverts the ratio if the other one is faster", () => {
    const { ratio } = compare({ ...row, base: [600], times: "as fast" });
    expect(ratio).toEqual({ median: 30, lowest: 20, highest: 60 });
  });

  test("has a line in the table", () => {
    const rows = [compare({ ...row, base: [6000], times: "as fast" })];
    expect(formatTable(rows).split("\n").at(-1)).toBe(
      "a thing  20 ms     the floor: 6 s  300 x as fast  200 to 600",
    );
  });

  test("has its goal, and whether it was met, in the table", () => {
    const goal = { of: "ratio", atLeast: 250 } as const;
    const rows = [
      compare({ ...row, base: [6000], times: "as fast", goal }),
      compare({ ...row, base: [6000], times: "as fast", goal: { of: "measured", atMost: 19 } }),
      compare({ ...row, base: [6000], times: "as fast" }),
    ];
    expect(rows.map(({ goal }) => goal?.met)).toEqual([true, false, undefined]);
    const lines = formatTable(rows).split("\n").slice(2);
    expect(lines.map((line) => line.slice(line.indexOf("600") + 3).trim())).toEqual([
      ">= 250 x  yes",
      "<= 19 ms  NO",
      "",
    ]);
  });
});
