import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepareUsageRoot } from "../../bench/usage/root.ts";
import type { UsageBenchReport } from "../../bench/usage/run.ts";
import { USAGE_DIMENSIONS } from "../../query/usage/usage-options.ts";
import { openOver } from "../query/opened-queries.ts";
import { temporaryFolder } from "../temporary.ts";

const SCRIPT = join(import.meta.dirname, "../../bench/usage/run.ts");
/** Enough sessions for two forks. */
const EVENTS = 3500;

describe("a run over 3,500 events", () => {
  let folder: string;
  let roots: string;
  let output: string;
  let report: UsageBenchReport;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pidex-bench-test-"));
    roots = join(folder, "roots");
    const json = join(folder, "report.json");
    const args = ["--events", `${EVENTS}`, "--rounds", "2", "--roots", roots, "--json", json];
    output = execFileSync(process.execPath, [SCRIPT, ...args], { encoding: "utf8", stdio: "pipe" });
    report = JSON.parse(readFileSync(json, "utf8"));
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true }));

  test("the index returns the figures that were written to the sessions", async () => {
    const root = prepareUsageRoot(roots, EVENTS);
    const index = await openOver([root.folder]);
    await index.sync();
    const { total } = await index.usage();
    expect(total).toMatchObject({ events: EVENTS, costNanoUsd: root.nanoDollars });
    expect(report).toMatchObject({ events: EVENTS, nanoDollars: root.nanoDollars });
    const { sessions } = await index.listAll();
    const spends = await Promise.all(sessions.map(({ path }) => index.spend(path)));
    const forks = spends.filter(({ inherited }) => inherited.events > 0);
    expect(forks).toHaveLength(2);
    const parents = forks.map(({ inheritedFrom }) => inheritedFrom.map(({ session }) => session.path));
    const named = forks.map(({ session }) =>
      spends.filter((spend) => spend.forks.some((fork) => fork.session.path === session.path)),
    );
    expect(named.map((spends) => spends.map(({ session }) => session.path))).toEqual(parents);
  });

  test("has rows for the total, each dimension and more, also in the table", () => {
    expect(report.rows).toHaveLength(USAGE_DIMENSIONS.length + 5);
    for (const { what, measured, base, ratio } of report.rows) {
      expect(output).toContain(`\n${what}  `);
      expect([measured, base, ...Object.values(ratio)].every((value) => value > 0)).toBe(true);
    }
    expect(output).toMatch(
      /\nSlowest of one dimension: by [a-z-]+, [\d.]+ ms, in its best round [\d.]+ ms\.\n/,
    );
  });

  test("leaves only the root for the next run", () => {
    expect(readdirSync(roots)).toEqual([`usage-${EVENTS}`]);
  });
});

test("an existing root has the same results, and is not written again", () => {
  const parent = temporaryFolder();
  const root = prepareUsageRoot(parent, 300);
  const [file] = readdirSync(root.folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  rmSync(join(root.folder, file as string));
  expect(prepareUsageRoot(parent, 300)).toEqual(root);
  expect(readdirSync(root.folder, { recursive: true })).not.toContain(file);
});

test.each([
  ["--events", "many"],
  ["--rounds", "1.5"],
])("%s %j is rejected before anything is written", (option, value) => {
  const parent = temporaryFolder();
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, `${option}=${value}`, "--roots", parent], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain(`${option} takes a whole number above 0, not "${value}"`);
  expect(readdirSync(parent)).toEqual([]);
});
