/**
 * Runs faults: each test breaks something beside two intact sessions, and the conditions that hold for every fault are
 * checked here, once.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import SQLite from "better-sqlite3";
import { afterAll, beforeAll, expect } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import { type Index, openIndex } from "../../library/index.ts";
import { pidex, type Written } from "../bin/cli.ts";
import { type Dump, dumpTables } from "../indexer/dump.ts";
import { age } from "../indexer/synced.ts";
import { temporaryFolder } from "../temporary.ts";

// biome-ignore lint/suspicious/noExplicitAny: results of any command
export type Json = any;

/** A folder with a session root and its index. */
export interface Workspace {
  folder: string;
  root: string;
  db: string;
}

/** A session to break, dated between the intact ones. */
export const broken = (options: Parameters<typeof session>[0] = {}): Session =>
  session({ id: "broken", cwd: "/home/ada/broken", timestamp: "2026-01-06T09:00:00.000Z", ...options });

/** Folders of the intact sessions by id: one older and one newer than the broken session, one of them in its folder. */
const NEIGHBORS = { older: "/home/ada/broken", newer: "/home/ada/shop" };

/** Creates a root with the intact sessions, with old modification times. */
export function createWorkspace(folder = temporaryFolder()): Workspace {
  const workspace = workspaceIn(folder);
  const times = { older: "2026-01-05T09:00:00.000Z", newer: "2026-01-07T09:00:00.000Z" };
  for (const id of ["older", "newer"] as const) {
    const neighbor = session({ id, cwd: NEIGHBORS[id], timestamp: times[id] })
      .user(`A neighbor, the ${id} one.`)
      .tool("read", { path: "src/till.ts" }, `neighbors till ${id}`, {
        tokens: { input: 1000, output: 100 },
      })
      .assistant("Still here.", { tokens: { input: 2000, output: 200 } });
    age(neighbor.label(neighbor.lastId, "kept").writeUnder(workspace.root));
  }
  return workspace;
}

function workspaceIn(folder: string): Workspace {
  return { folder, root: join(folder, "sessions"), db: join(folder, "index.db") };
}

/** Returns a function that runs pidex on the root of a workspace, with its index or another one. */
export function createClient({ root, db }: Workspace, index = db) {
  return (...argv: string[]): Promise<Written> => pidex([...argv, "--root", root, "--db", index]);
}

export type Client = ReturnType<typeof createClient>;

/** Runs a command with --json, asserts that it succeeds or finds nothing, and returns its JSON. */
export async function runJson(run: Client, ...argv: string[]): Promise<Json> {
  const { exit, out, err } = await run(...argv, "--json");
  expect([argv, exit, exit === 0 || exit === 3 ? "" : err]).toEqual([argv, exit === 3 ? 3 : 0, ""]);
  return exit === 0 ? JSON.parse(out) : undefined;
}

/** Queries the intact sessions with every command. */
export async function queryNeighbors(run: Client): Promise<Json> {
  const isNeighbor = ({ id }: { id: string }) => Object.hasOwn(NEIGHBORS, id);
  const { sessions } = await runJson(run, "list", "--all"); // also syncs
  const query = (...argv: string[]) => runJson(run, ...argv, "--no-sync");
  const paths = sessions.filter(isNeighbor).map(({ path }: { path: string }) => path);
  const found = await query("search", "neighbor", "--limit", "1000");
  const scanned = await query("search", "--substring", "neighbors till");
  const touched = await query("files", "src/till.ts");
  const { usage } = await query("usage", "session", "--limit", "1000");
  return {
    listed: sessions.filter(isNeighbor),
    found: found.sessions.filter(({ session }: Json) => isNeighbor(session)).map(withoutScores),
    scanned: scanned.hits.filter(({ path }: Json) => paths.includes(path)).map(withoutScores),
    touched: touched.sessions.filter(({ session }: Json) => isNeighbor(session)),
    used: usage.rows.filter(({ key }: Json) => paths.includes(key.session)),
    tree: await query("tree", "older"),
    shown: await query("show", "newer", "--all"),
    context: await query("show", "older", "--context"),
    labels: await query("labels", "newer"),
  };
}

/** Removes scores, which depend on the other sessions in the index. */
function withoutScores(result: Json): Json {
  return JSON.parse(JSON.stringify(result, (key, value) => (key === "score" ? undefined : value)));
}

/** Commands that print one session. */
const SESSION_COMMANDS = [
  ["tree", "SESSION", "--all"],
  ["show", "SESSION", "--all", "--full"],
];
const INDEX_COMMANDS = [
  ["list", "--all"],
  ["list", "--all", "--text", "--json"],
  ["search", "said"],
  ["search", "said", "--facets", "--json"],
  ["search", "--substring", "said"],
  ["files", "*"],
  ["files", "*", "--json"],
  ["usage", "model", "--by", "tool"],
  ["usage", "session", "--json"],
  ["usage", "daily", "--explain"],
  ["stats"],
  ["stats", "--json"],
];

/** Asserts that commands succeed or find nothing, without a message on standard error. */
async function expectNoErrors(run: Client, commands: readonly string[][]): Promise<void> {
  for (const argv of commands) {
    const { exit, err } = await run(...argv, "--no-sync");
    expect([argv, exit, exit === 0 || exit === 3 ? "" : err]).toEqual([argv, exit === 3 ? 3 : 0, ""]);
  }
}

const sessionCommands = (path: string) =>
  SESSION_COMMANDS.map((command) => command.map((word) => (word === "SESSION" ? path : word)));

/** Calls every method of the library on a session. @returns its entries */
async function queryLibrary(index: Index, path: string): Promise<Json[]> {
  const entries: Json[] = [];
  for await (const entry of index.entries(path, { branch: "all" })) entries.push(entry);
  expect(await index.treeEntries(path)).toHaveLength(entries.length);
  expect((await index.context(path)).messages.length).toBeLessThanOrEqual(entries.length);
  expect((await index.spend(path)).own.costUsd).toBeGreaterThanOrEqual(0);
  await index.tree(path);
  await index.labels(path);
  await index.problems(path);
  return entries;
}

/** Returns the rows of every table of an index. */
export function dumpDatabase(db: string): Dump {
  const handle = new SQLite(db, { readonly: true });
  try {
    return dumpTables(handle);
  } finally {
    handle.close();
  }
}

/** Returns the stat fields and content hash of everything below a folder, to assert that reading changes nothing. Names are bytes. */
export function snapshot(folder: string | Buffer): Record<string, unknown> {
  const files: Record<string, unknown> = {};
  const pending = [Buffer.from(folder)];
  for (let path = pending.pop(); path; path = pending.pop()) {
    const stat = lstatSync(path, { bigint: true });
    const { mode, ino, size, mtimeNs, ctimeNs, nlink } = stat;
    // Hashing large files is slow, and their ctime suffices: every write changes it.
    const isHashed = stat.isFile() && size < 32n << 20n && (mode & 0o400n) !== 0n;
    const bytes = isHashed ? sha(readFileSync(path)) : undefined;
    files[path.toString("latin1")] = [mode, ino, size, mtimeNs, ctimeNs, nlink, bytes].map(String);
    if (!stat.isDirectory()) continue;
    for (const name of readdirSync(path, { encoding: "buffer" })) {
      pending.push(Buffer.concat([path, Buffer.from("/"), name]));
    }
  }
  return files;
}

function sha(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/** What a fault breaks: a path beside an intact session, and an id for a session there. */
export interface FaultTarget extends Workspace {
  path: string;
  id: string;
}

export interface Fault {
  /** Creates what is indexed before the fault: returns the file's content, or creates something else and returns undefined. */
  setUp?: (at: FaultTarget) => Bytes;
  /** Creates the fault, in the same way. */
  make: (at: FaultTarget) => Bytes | Promise<Bytes>;
  /** The file's name, if the name is the fault. */
  name?: string;
  /** Expected problems in order: code, and byte offset or a text in the affected line. */
  problems?: [string, number | string | Buffer][];
  /** Number of entries; undefined if it is not a session. */
  entries?: number;
}

type Bytes = Buffer | string | Session | undefined;

/** The results for a fault, from each of two indexes: one that knew the root before the fault, and a new one. */
export interface FaultResult {
  at: FaultTarget;
  fault: Fault;
  problems: [string, number][][];
  entries: (number | undefined)[];
  /** By index, which of the intact entries around the fault are found: "before" and "after". */
  found: string[][];
  /** Entries of the file, as the library returns them. */
  shown: Json[];
}

/**
 * Creates many faults in one root and checks, with an index that knew the root before and with a new one: both have the same
 * rows, the intact sessions return the same results as before, every command works, and nothing below the root changes.
 * Returns what both indexes report for each fault.
 */
export async function runFaults(
  faults: Record<string, Fault>,
  folder?: string,
): Promise<Record<string, FaultResult>> {
  const workspace = createWorkspace(folder);
  const results = Object.entries(faults).map(([name, fault], n) => {
    const id = `broken-${n}`;
    const at = {
      ...workspace,
      id,
      path: join(workspace.root, "--home-ada-broken--", fault.name ?? `${id}.jsonl`),
    };
    return { name, at, fault, problems: [], entries: [], found: [], shown: [] } as FaultResult & {
      name: string;
    };
  });
  for (const { at, fault } of results) if (fault.setUp) writeContent(at.path, fault.setUp(at));
  const neighbors = await queryNeighbors(createClient(workspace));
  for (const { at, fault } of results) writeContent(at.path, await fault.make(at));
  const filesBefore = snapshot(workspace.root);
  const newDb = join(workspace.folder, "new.db");
  for (const db of [workspace.db, newDb]) {
    const run = createClient(workspace, db);
    expect(await queryNeighbors(run)).toEqual(neighbors);
    const { problems } = await runJson(run, "stats", "--problems");
    const { sessions } = await runJson(run, "list", "--all", "--subagents", "yes");
    const before = await findPathsSaying(run, "before");
    const after = await findPathsSaying(run, "after");
    await expectNoErrors(run, INDEX_COMMANDS);
    for (const result of results) {
      const { path } = result.at;
      const own = problems.filter((problem: Json) => problem.path === path);
      result.problems.push(own.map(({ code, byteOffset }: Json) => [code, byteOffset]));
      result.entries.push(sessions.find((session: Json) => session.path === path)?.entryCount);
      result.found.push([before.has(path) ? "before" : "", after.has(path) ? "after" : ""].filter(Boolean));
      if (db !== newDb || result.entries.at(-1) === undefined) continue;
      await expectNoErrors(run, sessionCommands(path));
    }
    await using index = await openIndex({ db, roots: [workspace.root] });
    for (const result of results)
      if (result.entries.at(-1) !== undefined) result.shown = await queryLibrary(index, result.at.path);
  }
  expect(dumpDatabase(workspace.db)).toEqual(dumpDatabase(newDb));
  expect(snapshot(workspace.root)).toEqual(filesBefore);
  return Object.fromEntries(results.map(({ name, ...result }) => [name, result]));
}

/** Returns the paths of sessions with the phrase "said TEXT". */
async function findPathsSaying(run: Client, text: string): Promise<Set<string>> {
  const found = await runJson(run, "search", `"said ${text}"`, "--limit", "1000", "--no-sync");
  return new Set(found?.sessions.map(({ session }: Json) => session.path));
}

function writeContent(path: string, bytes: Bytes): void {
  if (bytes === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof bytes === "string" || Buffer.isBuffer(bytes) ? bytes : bytes.bytes());
}

/** Asserts that both indexes report a fault with code and location, and contain the intact entries. */
export function expectReported({ at, fault, problems, entries, found }: FaultResult): void {
  const expected = (fault.problems ?? []).map(([code, where]) => [
    code,
    typeof where === "number" ? where : findLineOffset(readFileSync(at.path), where),
  ]);
  expect(problems).toEqual([expected, expected]);
  expect(entries).toEqual([fault.entries, fault.entries]);
  const whole = fault.entries === undefined ? [] : ["before", "after"];
  expect(found).toEqual([whole, whole]);
}

/** Returns the byte offset of the line that equals a text, or of the first line that contains it. */
export function findLineOffset(bytes: Buffer, text: string | Buffer): number {
  const whole = bytes.indexOf(Buffer.concat([Buffer.from("\n"), Buffer.from(text), Buffer.from("\n")]));
  if (whole !== -1) return whole + 1;
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(-1);
  return at === 0 ? 0 : bytes.lastIndexOf(0x0a, at - 1) + 1;
}

/** Collects the faults of a test file, and runs all of them in one root before its first test. */
export function collectFaults() {
  const folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
  const faults: Record<string, Fault> = {};
  let all: Record<string, FaultResult> = {};
  beforeAll(async () => {
    all = await runFaults(faults, folder);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let groups = 0;
  return {
    /** Adds a group of faults. Returns their names, and a function that tests call for the result of one. */
    add(group: Record<string, Fault>) {
      const n = groups++;
      for (const [name, fault] of Object.entries(group)) faults[`${n} ${name}`] = fault;
      return {
        names: Object.keys(group),
        getResult: (name: string): FaultResult => all[`${n} ${name}`] as FaultResult,
      };
    },
    /** Runs a command with --json on the index that knew the root before. */
    run: (...argv: string[]) => runJson(createClient(workspaceIn(folder)), ...argv),
  };
}

/** Runs one fault in a root of its own. */
export async function expectSurvived(fault: Fault): Promise<FaultResult> {
  const { fault: result } = await runFaults({ fault }, temporaryFolder());
  expectReported(result as FaultResult);
  return result as FaultResult;
}
