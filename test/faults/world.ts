/**
 * A root with two good sessions, beside which a test breaks something: what must be true of every broken thing is
 * looked at here, in one place.
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

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON an answer is
export type Json = any;

export interface World {
  folder: string;
  root: string;
  db: string;
}

/** A session among the neighbors' that a test is about. */
export const broken = (options: Parameters<typeof session>[0] = {}): Session =>
  session({ id: "broken", cwd: "/home/ada/broken", timestamp: "2026-01-06T09:00:00.000Z", ...options });

/** The ids of the good sessions: one older, one newer than the broken one, in a folder of their own and in its. */
const NEIGHBORS = { older: "/home/ada/broken", newer: "/home/ada/shop" };

/** A root that holds the neighbors, which were not touched for long. */
export function world(folder = temporaryFolder()): World {
  const made = worldIn(folder);
  const times = { older: "2026-01-05T09:00:00.000Z", newer: "2026-01-07T09:00:00.000Z" };
  for (const id of ["older", "newer"] as const) {
    const neighbor = session({ id, cwd: NEIGHBORS[id], timestamp: times[id] })
      .user(`A neighbor, the ${id} one.`)
      .tool("read", { path: "src/till.ts" }, `neighbors till ${id}`, {
        tokens: { input: 1000, output: 100 },
      })
      .assistant("Still here.", { tokens: { input: 2000, output: 200 } });
    age(neighbor.label(neighbor.lastId, "kept").writeUnder(made.root));
  }
  return made;
}

function worldIn(folder: string): World {
  return { folder, root: join(folder, "sessions"), db: join(folder, "index.db") };
}

/** Calls pidex over a world, with an index that may be another than the world's. */
export function createClient({ root, db }: World, at = db) {
  return (...argv: string[]): Promise<Written> => pidex([...argv, "--root", root, "--db", at]);
}

export type Client = ReturnType<typeof createClient>;

/** The JSON that pidex answers, which must be an answer, and no error. */
export async function runJson(ask: Client, ...argv: string[]): Promise<Json> {
  const { exit, out, err } = await ask(...argv, "--json");
  expect([argv, exit, exit === 0 || exit === 3 ? "" : err]).toEqual([argv, exit === 3 ? 3 : 0, ""]);
  return exit === 0 ? JSON.parse(out) : undefined;
}

/** All that is answered of the neighbors, by every way there is to ask. */
export async function queryNeighbors(ask: Client): Promise<Json> {
  const isNeighbor = ({ id }: { id: string }) => Object.hasOwn(NEIGHBORS, id);
  const { sessions } = await runJson(ask, "list", "--all"); // which syncs
  const asked = (...argv: string[]) => runJson(ask, ...argv, "--no-sync");
  const paths = sessions.filter(isNeighbor).map(({ path }: { path: string }) => path);
  const found = await asked("search", "neighbor", "--limit", "1000");
  const scanned = await asked("search", "--substring", "neighbors till");
  const touched = await asked("files", "src/till.ts");
  const { usage } = await asked("usage", "session", "--limit", "1000");
  return {
    listed: sessions.filter(isNeighbor),
    found: found.sessions.filter(({ session }: Json) => isNeighbor(session)).map(withoutScores),
    scanned: scanned.hits.filter(({ path }: Json) => paths.includes(path)).map(withoutScores),
    touched: touched.sessions.filter(({ session }: Json) => isNeighbor(session)),
    used: usage.rows.filter(({ key }: Json) => paths.includes(key.session)),
    tree: await asked("tree", "older"),
    shown: await asked("show", "newer", "--all"),
    context: await asked("show", "older", "--context"),
    labels: await asked("labels", "newer"),
  };
}

/** How well a hit fits depends on what else there is. */
function withoutScores(answered: Json): Json {
  return JSON.parse(JSON.stringify(answered, (key, value) => (key === "score" ? undefined : value)));
}

/** Ways to ask of one session that print it; the library's own are asked beside them. */
const OF_ONE = [
  ["tree", "SESSION", "--all"],
  ["show", "SESSION", "--all", "--full"],
];
const OF_ALL = [
  ["list", "--all"],
  ["list", "--all", "--text", "--json"],
  ["search", "said"],
  ["search", "said", "--facets", "--json"],
  ["search", "--substring", "said"],
  ["files", "*"],
  ["files", "*", "--json"],
  ["usage", "model", "--by", "tool"],
  ["usage", "session", "--json"],
  ["usage", "--explain"],
  ["stats"],
  ["stats", "--json"],
];

/** Asks everything: nothing may go wrong, whatever there is in the sessions. */
async function expectAnswers(ask: Client, questions: readonly string[][]): Promise<void> {
  for (const argv of questions) {
    const { exit, err } = await ask(...argv, "--no-sync");
    expect([argv, exit, exit === 0 || exit === 3 ? "" : err]).toEqual([argv, exit === 3 ? 3 : 0, ""]);
  }
}

const about = (path: string) =>
  OF_ONE.map((question) => question.map((word) => (word === "SESSION" ? path : word)));

/** Asks the library all that there is to ask of a session. @returns its entries */
async function askLibrary(index: Index, path: string): Promise<Json[]> {
  const entries: Json[] = [];
  for await (const placed of index.entries(path, { branch: "all" })) entries.push(placed);
  expect(await index.treeEntries(path)).toHaveLength(entries.length);
  expect((await index.context(path)).messages.length).toBeLessThanOrEqual(entries.length);
  expect((await index.spend(path)).own.costUsd).toBeGreaterThanOrEqual(0);
  await index.tree(path);
  await index.labels(path);
  await index.problems(path);
  return entries;
}

/** Every table of an index. */
export function dumpDatabase(db: string): Dump {
  const handle = new SQLite(db, { readonly: true });
  try {
    return dumpTables(handle);
  } finally {
    handle.close();
  }
}

/** All that can be seen of everything below a folder, its names as bytes: nothing may be other after a look. */
export function snapshot(folder: string | Buffer): Record<string, unknown> {
  const seen: Record<string, unknown> = {};
  const ahead = [Buffer.from(folder)];
  for (let path = ahead.pop(); path; path = ahead.pop()) {
    const stat = lstatSync(path, { bigint: true });
    const { mode, ino, size, mtimeNs, ctimeNs, nlink } = stat;
    // Of what is too large to be hashed in no time the ctime says enough: no write leaves it.
    const isToHash = stat.isFile() && size < 32n << 20n && (mode & 0o400n) !== 0n;
    const bytes = isToHash ? sha(readFileSync(path)) : undefined;
    seen[path.toString("latin1")] = [mode, ino, size, mtimeNs, ctimeNs, nlink, bytes].map(String);
    if (!stat.isDirectory()) continue;
    for (const name of readdirSync(path, { encoding: "buffer" })) {
      ahead.push(Buffer.concat([path, Buffer.from("/"), name]));
    }
  }
  return seen;
}

function sha(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/** Where something is broken: a path of its own beside a neighbor, and the id for a session there. */
export interface Place extends World {
  path: string;
  id: string;
}

export interface Fault {
  /** What is there before, and is indexed: gives the file's bytes, or makes something else itself. */
  given?: (at: Place) => Bytes;
  /** Breaks it: likewise. */
  make: (at: Place) => Bytes | Promise<Bytes>;
  /** The file's name, where that is what is odd. */
  name?: string;
  /** The problems there, in order: code and byte offset, or a text in the line that has it. */
  problems?: [string, number | string | Buffer][];
  /** Number of entries; undefined if it is not a session. */
  entries?: number;
}

type Bytes = Buffer | string | Session | undefined;

/** The results for a fault, from each of two indexes. */
export interface FaultResult {
  at: Place;
  fault: Fault;
  problems: [string, number][][];
  entries: (number | undefined)[];
  /** By index, which of what the whole entries around it say is found: "before" and "after". */
  found: string[][];
  /** The entries in the file, as they are shown. */
  shown: Json[];
}

/**
 * Breaks many things in one root and looks at all that is promised: by an index that knew the root before and by one
 * that is built anew, which hold the same rows; the neighbors are answered as before; all that is asked is answered;
 * nothing below the root is other. What is told of each is for the tests to look at.
 */
export async function runFaults(
  faults: Record<string, Fault>,
  folder?: string,
): Promise<Record<string, FaultResult>> {
  const made = world(folder);
  const told = Object.entries(faults).map(([name, fault], n) => {
    const id = `broken-${n}`;
    const at = { ...made, id, path: join(made.root, "--home-ada-broken--", fault.name ?? `${id}.jsonl`) };
    return { name, at, fault, problems: [], entries: [], found: [], shown: [] } as FaultResult & {
      name: string;
    };
  });
  for (const { at, fault } of told) if (fault.given) put(at.path, fault.given(at));
  const neighbors = await queryNeighbors(createClient(made));
  for (const { at, fault } of told) put(at.path, await fault.make(at));
  const seen = snapshot(made.root);
  const anew = join(made.folder, "anew.db");
  for (const db of [made.db, anew]) {
    const ask = createClient(made, db);
    expect(await queryNeighbors(ask)).toEqual(neighbors);
    const { problems } = await runJson(ask, "stats", "--problems");
    const { sessions } = await runJson(ask, "list", "--all", "--subagents", "yes");
    const before = await saying(ask, "before");
    const after = await saying(ask, "after");
    await expectAnswers(ask, OF_ALL);
    for (const each of told) {
      const { path } = each.at;
      const own = problems.filter((problem: Json) => problem.path === path);
      each.problems.push(own.map(({ code, byteOffset }: Json) => [code, byteOffset]));
      each.entries.push(sessions.find((session: Json) => session.path === path)?.entryCount);
      each.found.push([before.has(path) ? "before" : "", after.has(path) ? "after" : ""].filter(Boolean));
      if (db !== anew || each.entries.at(-1) === undefined) continue;
      await expectAnswers(ask, about(path));
    }
    await using index = await openIndex({ db, roots: [made.root] });
    for (const each of told)
      if (each.entries.at(-1) !== undefined) each.shown = await askLibrary(index, each.at.path);
  }
  expect(dumpDatabase(made.db)).toEqual(dumpDatabase(anew));
  expect(snapshot(made.root)).toEqual(seen);
  return Object.fromEntries(told.map(({ name, ...each }) => [name, each]));
}

/** The files with an entry that says so. */
async function saying(ask: Client, what: string): Promise<Set<string>> {
  const found = await runJson(ask, "search", `"said ${what}"`, "--limit", "1000", "--no-sync");
  return new Set(found?.sessions.map(({ session }: Json) => session.path));
}

function put(path: string, bytes: Bytes): void {
  if (bytes === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof bytes === "string" || Buffer.isBuffer(bytes) ? bytes : bytes.bytes());
}

/** Asserts that both indexes report a fault with code and location, and contain the intact part. */
export function expectReported({ at, fault, problems, entries, found }: FaultResult): void {
  const expected = (fault.problems ?? []).map(([code, where]) => [
    code,
    typeof where === "number" ? where : findLineNumber(readFileSync(at.path), where),
  ]);
  expect(problems).toEqual([expected, expected]);
  expect(entries).toEqual([fault.entries, fault.entries]);
  const whole = fault.entries === undefined ? [] : ["before", "after"];
  expect(found).toEqual([whole, whole]);
}

/** The offset of the line that is some bytes, or holds them. */
export function findLineNumber(bytes: Buffer, text: string | Buffer): number {
  const whole = bytes.indexOf(Buffer.concat([Buffer.from("\n"), Buffer.from(text), Buffer.from("\n")]));
  if (whole !== -1) return whole + 1;
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(-1);
  return at === 0 ? 0 : bytes.lastIndexOf(0x0a, at - 1) + 1;
}

/** A survey of all that the groups of a file break, in one root: made before the first test, and gone after the last. */
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
    /** Adds a group of faults: gives their names, for tests, and what is told of each when it is asked for. */
    add(group: Record<string, Fault>) {
      const n = groups++;
      for (const [name, fault] of Object.entries(group)) faults[`${n} ${name}`] = fault;
      return {
        names: Object.keys(group),
        told: (name: string): FaultResult => all[`${n} ${name}`] as FaultResult,
      };
    },
    /** Asks for more, of an index that knows them. */
    ask: (...argv: string[]) => runJson(createClient(worldIn(folder)), ...argv),
  };
}

/** One broken thing alone: with what it did to the index before. */
export async function expectSurvived(fault: Fault): Promise<FaultResult> {
  const { it } = await runFaults({ it: fault }, temporaryFolder());
  expectReported(it as FaultResult);
  return it as FaultResult;
}
