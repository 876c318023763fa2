/**
 * The small benchmark of CI counts work and measures no times. One of two roots has three times the sessions of the other; work
 * that must not grow with their number is equal for both, to the statement.
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateRoot } from "../../bench/generate.ts";
import type { Manifest } from "../../bench/manifest.ts";
import { type Index, openIndex, type SyncReport, USAGE_DIMENSIONS } from "../../library/index.ts";
import { measureSqlite, type SqliteWork } from "./statements.ts";

interface IndexedRoot {
  index: Index;
  root: string;
  manifest: Manifest;
  /** Work of the first sync. */
  first: SqliteWork & { result: SyncReport };
}

const SESSIONS = [40, 120] as const;

/** Tables with rows per entry or per part of one: a full scan of one grows with the files. */
const LARGE = ["entry", "event", "touch", "tool_call", "label", "current_range", "entry_text"];

let folder: string;
let small: IndexedRoot;
let large: IndexedRoot;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-counted-"));
  small = await createIndexedRoot(SESSIONS[0]);
  large = await createIndexedRoot(SESSIONS[1]);
}, 60_000);

afterAll(async () => {
  await Promise.all([small, large].map(({ index }) => index.close()));
  rmSync(folder, { recursive: true });
});

async function createIndexedRoot(files: number): Promise<IndexedRoot> {
  const root = join(folder, `sessions-${files}`);
  const manifest = generateRoot(root, { seed: 1, profile: "tiny", files });
  const index = await openIndex({ db: join(folder, `${files}.db`), roots: [root] });
  const first = await measureSqlite(() => index.sync());
  return { index, root, manifest, first };
}

/** Runs a query on both roots, after running it once to warm up. */
async function both<T>(query: (root: IndexedRoot) => Promise<T>): Promise<(SqliteWork & { result: T })[]> {
  const answers: (SqliteWork & { result: T })[] = [];
  for (const root of [small, large]) {
    await query(root);
    answers.push(await measureSqlite(() => query(root)));
  }
  return answers;
}

/** A text that only one entry of one session contains. */
function needle({ manifest }: IndexedRoot): string {
  return manifest.needles.find(({ kind }) => kind === "word")?.text as string;
}

test("a first sync reads each line once, with the same number of statements per line in a larger root", () => {
  for (const { first, manifest } of [small, large]) {
    expect(first.result.linesRead).toBe(manifest.entries + manifest.files);
    expect(first.result.bytesRead).toBeGreaterThanOrEqual(manifest.bytes);
  }
  const perLine = ({ first }: IndexedRoot) => first.statements / first.result.linesRead;
  // Some statements run once per file, and one root has a few more lines per file.
  expect(perLine(large)).toBeLessThanOrEqual(1.02 * perLine(small));
  expect(perLine(large)).toBeLessThan(10);
});

test("a sync without changes reads no file, and runs the same statements with more sessions", async () => {
  const [few, many] = await both(({ index }) => index.sync());
  expect(many?.result).toMatchObject({ bytesRead: 0, linesRead: 0, bytesVerified: 0, files: SESSIONS[1] });
  expect(many?.statements).toBe(few?.statements);
});

test("a sync after one appended line reads that line, and runs the same statements with more sessions", async () => {
  let n = 0;
  const [few, many] = await both(async ({ index, root, manifest }) => {
    const { path = "" } = manifest.needles[0] ?? {};
    const message = { role: "user", content: `One line more: ${n}.`, timestamp: Date.now() };
    const entry = { type: "message", id: `added${n++}`, parentId: null, timestamp: new Date().toISOString() };
    const line = `${JSON.stringify({ ...entry, message })}\n`;
    appendFileSync(join(root, path), line);
    return { report: await index.sync(), bytes: Buffer.byteLength(line) };
  });
  for (const { report, bytes } of [few?.result, many?.result].filter((each) => each !== undefined)) {
    expect(report).toMatchObject({ bytesRead: bytes, linesRead: 1, appended: 1 });
  }
  expect(many?.statements).toBe(few?.statements);
});

test("a list runs the same statements with more sessions, and reads at most one row per session", async () => {
  const [few, many] = await both(({ index }) => index.listAll());
  expect(many?.result.total).toBe(SESSIONS[1]);
  expect(many?.statements).toBe(few?.statements);
  expect((many?.rows ?? 0) - (few?.rows ?? 0)).toBeLessThanOrEqual(SESSIONS[1] - SESSIONS[0]);
});

test("a page of a list reads the same number of rows with more sessions", async () => {
  const [few, many] = await both(({ index }) => index.listAll({ limit: 10 }));
  expect(many?.statements).toBe(few?.statements);
  expect(many?.rows).toBe(few?.rows);
});

test("a search for the text of one entry runs the same statements and reads the same number of rows with more sessions", async () => {
  const [few, many] = await both((root) => root.index.search(needle(root)));
  expect(many?.result.hitCount).toBe(1);
  expect(many?.statements).toBe(few?.statements);
  expect(Math.abs((many?.rows ?? 0) - (few?.rows ?? 0))).toBeLessThan(20); // proportional to the length of the session
});

test("usage runs the same statements with more sessions", async () => {
  const [few, many] = await both(({ index }) => index.usage({ by: ["day", "model"] }));
  expect(many?.statements).toBe(few?.statements);
});

describe("no full scan of a table with rows per entry:", () => {
  const questions: [string, (root: IndexedRoot) => Promise<unknown>][] = [
    ["a sync", ({ index }) => index.sync()],
    ["a list", ({ index }) => index.listAll()],
    ["a list of one project", ({ index }) => index.listAll({ project: "code", limit: 5 })],
    ["finding a session", async ({ index }) => index.find("@last")],
    ["a search for a rare word", (root) => root.index.search(needle(root))],
    ["a search for a common word", ({ index }) => index.search("the")],
    ["a search for two words", ({ index }) => index.search("the function")],
    ["a search for a phrase", ({ index }) => index.search('"the to"')],
    ["a search for a prefix", ({ index }) => index.search("fun*")],
    ["a search for Chinese", ({ index }) => index.search("我们")],
    ["a search in one project", ({ index }) => index.search("the", { project: "code" })],
    ["a search with a role", ({ index }) => index.search("the role:user")],
    ["a search since a day", ({ index }) => index.search("the", { since: "2026-06-01" })],
    ["a tree", ({ index }) => index.tree("@last")],
    ["usage", ({ index }) => index.usage()],
    ...USAGE_DIMENSIONS.map((by): [string, (root: IndexedRoot) => Promise<unknown>] => [
      `usage by ${by}`,
      ({ index }) => index.usage({ by: [by] }),
    ]),
    ["usage by day and model", ({ index }) => index.usage({ by: ["day", "model"] })],
  ];

  test.each(questions)("%s", async (_, query) => {
    const { plans } = await measureSqlite(() => query(large));
    expect(plans.size).toBeGreaterThan(0);
    const scans = [...plans].flatMap(([source, plan]) =>
      plan.filter((line) => isLargeScan(source, line)).map((line) => `${line}: ${source}`),
    );
    expect(scans).toEqual([]);
  });
});

/** Whether a line of a query plan is a full scan of a large table, including by an alias. */
function isLargeScan(source: string, line: string): boolean {
  const [, name] = /^SCAN (\w+)/.exec(line) ?? [];
  if (name === undefined) return false;
  // SQLite reports every use of the full-text table as a scan; it reads all rows only without a search term.
  if (/VIRTUAL TABLE INDEX \d+:[^ ]*M/.test(line)) return false;
  return LARGE.some(
    (table) => name === table || new RegExp(`\\b${table}"?\\s+(as\\s+)?"?${name}\\b`, "i").test(source),
  );
}

test.each([
  ["SELECT * FROM entry", "SCAN entry", true],
  ["SELECT * FROM event AS e", "SCAN e USING INDEX event_time", true],
  ["SELECT * FROM entry_text", "SCAN entry_text VIRTUAL TABLE INDEX 0:", true],
  ["SELECT * FROM entry_text WHERE entry_text MATCH ?", "SCAN entry_text VIRTUAL TABLE INDEX 0:M4", false],
  ["SELECT * FROM entry WHERE id = ?", "SEARCH entry USING INTEGER PRIMARY KEY (rowid=?)", false],
  ["SELECT * FROM file", "SCAN file", false],
])("%s, by %s: scans a large table: %s", (source, line, isLarge) => {
  expect(isLargeScan(source, line)).toBe(isLarge);
});
