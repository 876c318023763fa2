/**
 * Lines that are too long, trees that are too deep, and very many files. PIDEX_FAULTS=all tests full sizes; otherwise some
 * tests use smaller ones that take the same paths through the code, as their comments say.
 */
import { constants } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { MAX_LINE_BYTES, readAt } from "../../src/session/lines.ts";
import { writeFork } from "../../src/session/writing/copy-session.ts";
import type { Written } from "../bin/cli.ts";
import {
  broken,
  createClient,
  createWorkspace,
  type FaultTarget,
  findLineOffset,
  type Json,
  queryNeighbors,
  runJson,
  snapshot,
} from "./run-faults.ts";

const ALL = process.env.PIDEX_FAULTS === "all";
const PATIENCE = { timeout: ALL ? 600_000 : 60_000 };

const userLine = (id: string, before: string, after = "") =>
  `{"type":"message","id":"${id}","parentId":null,"timestamp":"2026-01-06T10:00:00.000Z","message":{"role":"user","content":"${before}${after}"}}`;

/** Writes a session with one long line between two short ones: filled with letters, or a hole in a sparse file. */
function writeLong(
  { path, id }: FaultTarget,
  bytes: number,
  how: "letters" | "hole",
  isEnded = true,
): undefined {
  mkdirSync(dirname(path), { recursive: true });
  const [header = "", first = ""] = broken({ id }).user("said before").lines;
  const [start, end] = userLine("long", "said at length ", "@").split("@") as [string, string];
  const fd = openSync(path, "w");
  try {
    writeSync(fd, `${header}\n${first}\n${start}`);
    const from = Buffer.byteLength(`${header}\n${first}\n${start}`);
    const to = from + bytes - start.length - end.length;
    if (how === "hole") ftruncateSync(fd, to);
    else
      for (let at = from; at < to; )
        at += writeSync(fd, "words of it ".repeat(100_000).slice(0, to - at), at);
    if (isEnded) writeSync(fd, `${end}\n${broken({ id }).assistant("said after").lines[1]}\n`, to);
  } finally {
    closeSync(fd);
  }
  return undefined;
}

describe("a long line", () => {
  // Of lines over 64 MiB only the head is kept and the rest is skipped, so 70 MB test the same code as 200 MB.
  const LONG = ALL ? 200e6 : 70e6;
  // Shorter lines are assembled from reads of 1 MiB; the number of reads does not matter.
  const WHOLE = ALL ? MAX_LINE_BYTES : 2 << 20;
  const START = '{"type":"message","id":"long"';
  const workspace = createWorkspace(mkdtempSync(join(tmpdir(), "pidex-faults-")));
  const placeOf = (id: string): FaultTarget => ({
    ...workspace,
    id,
    path: join(workspace.root, "--home-ada-broken--", `${id}.jsonl`),
  });
  const [over, endless, whole] = ["over", "endless", "whole"].map(placeOf) as [
    FaultTarget,
    FaultTarget,
    FaultTarget,
  ];
  const run = createClient(workspace);
  let problems: Json[];

  beforeAll(async () => {
    const before = await queryNeighbors(run);
    writeLong(over, LONG, ALL ? "letters" : "hole");
    if (ALL) writeLong(endless, LONG, "hole", false);
    writeLong(whole, WHOLE, "letters");
    const filesBefore = snapshot(workspace.root);
    expect(await queryNeighbors(run)).toEqual(before);
    problems = (await runJson(run, "stats", "--problems", "--no-sync")).problems;
    expect(snapshot(workspace.root)).toEqual(filesBefore);
  }, 600_000);
  afterAll(() => rmSync(workspace.folder, { recursive: true, force: true }));

  const problemsOf = ({ path }: FaultTarget): Json[] => problems.filter((problem) => problem.path === path);
  const startOf = ({ path }: FaultTarget): number => {
    const fd = openSync(path, "r");
    const head = readAt(fd, 0, 4_096);
    closeSync(fd);
    return findLineOffset(head, START);
  };
  const show = (place: FaultTarget, ...more: string[]) =>
    run("show", place.path, "--all", "--no-sync", ...more);

  test("too long to parse is reported, identified by its first fields, and affects no other line", async () => {
    expect(problemsOf(over)).toMatchObject([{ code: "long_line", byteOffset: startOf(over), line: 3 }]);
    const { entries } = JSON.parse((await show(over, "--json")).out);
    expect(entries).toMatchObject([{}, { byteLength: LONG, entry: { id: "long" } }, {}]);
    for (const said of ["said before", "said after"]) expect((await show(over)).out).toContain(said);
  });

  test.runIf(ALL)("too long, and without a newline, is torn", async () => {
    expect(problemsOf(endless)).toMatchObject([{ code: "torn_line", byteOffset: startOf(endless), line: 3 }]);
    expect((await show(endless)).out).toContain("said before");
  });

  test("of the maximum length is parsed", async () => {
    expect(problemsOf(whole)).toEqual([]);
    const { entries } = JSON.parse((await show(whole, "--json")).out);
    expect(entries).toMatchObject([{}, { byteLength: WHOLE, entry: { id: "long" } }, {}]);
    expect(entries[1].entry.message.content).toMatch(/^said at length words of it/);
  });
});

/** Runs every query on a session with very many entries. */
async function queryAll(run: (...argv: string[]) => Promise<Written>, path: string): Promise<Json> {
  const { session, entries: tree } = await runJson(run, "tree", path, "--all", "--no-sync");
  const { entries: shown } = await runJson(run, "show", path, "--no-sync");
  const { context } = await runJson(run, "show", path, "--context", "--no-sync");
  const drawn = await run("tree", path, "--all", "--no-sync");
  const printed = await run("show", path, "--no-sync");
  const spent = await runJson(run, "spend", path, "--no-sync");
  const used = await runJson(run, "usage", "branch", "--no-sync");
  const found = await runJson(run, "search", "deepest", "--no-sync");
  expect(
    [drawn.exit, printed.exit, spent, used].every((each) => each === 0 || typeof each === "object"),
  ).toBe(true);
  return {
    entries: session.entryCount,
    tree: tree.length,
    drawn: drawn.out.split("\n").length - 1,
    shown: shown.length,
    said: context.messages.length,
    hits: found.sessions.flatMap(({ hits }: Json) => hits).length,
  };
}

/** Writes a session of many short entries, with the parents that `parent` returns. */
function writeMany({ root }: { root: string }, count: number, parent: (n: number) => number | null): string {
  const lines = broken({ id: "many" }).lines;
  const time = Date.parse("2026-01-06T09:00:00Z");
  for (let n = 1; n < count; n++) {
    const [id, above] = [n, parent(n)].map((each) => (each === null ? null : `"${each}"`));
    lines.push(
      `{"type":"custom","id":${id},"parentId":${above},"timestamp":"${new Date(time + n).toISOString()}"}`,
    );
  }
  const last = parent(count);
  lines.push(
    userLine("last", "the deepest").replace(
      '"parentId":null',
      `"parentId":${last === null ? null : `"${last}"`}`,
    ),
  );
  const path = join(root, "--home-ada-broken--", "many.jsonl");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

async function expectMany(count: number, parent: (n: number) => number | null, shown: number): Promise<void> {
  const workspace = createWorkspace();
  const run = createClient(workspace);
  const before = await queryNeighbors(run);
  const path = writeMany(workspace, count, parent);
  const filesBefore = snapshot(workspace.root);
  expect(await queryNeighbors(run)).toEqual(before);
  expect(await queryAll(run, path)).toEqual({
    entries: count,
    tree: count,
    drawn: count,
    shown,
    said: 1,
    hits: 1,
  });
  expect((await runJson(run, "stats", "--problems")).problems).toEqual([]);
  expect(snapshot(workspace.root)).toEqual(filesBefore);
}

describe("a session of very many entries is listed, drawn, shown, searched and counted:", () => {
  // Recursion fails at about 10,000 calls, and spreading at about 120,000 arguments: 15,000 entries test the first
  // limit, the full size both.
  const DEEP = ALL ? 200_000 : 15_000;
  test(`a chain ${DEEP.toLocaleString("en")} deep`, PATIENCE, () =>
    expectMany(DEEP, (n) => (n === 1 ? null : n - 1), DEEP),
  );

  // These shapes differ from a chain only at their end.
  const MANY = ALL ? 200_000 : 2_000;
  test(`${MANY.toLocaleString("en")} children of one`, PATIENCE, () =>
    expectMany(MANY, (n) => (n === 1 ? null : 1), 2),
  );

  test(`${MANY.toLocaleString("en")} in one cycle`, PATIENCE, () =>
    expectMany(MANY, (n) => (n === 1 ? MANY - 1 : n - 1), MANY),
  );

  test.runIf(ALL)("1,000,000 lines", PATIENCE, () =>
    expectMany(1_000_000, (n) => (n % 1000 === 1 ? null : n - 1), 1000),
  );
});

describe("a folder of very many files", () => {
  // A transaction has 1,000 files, so 1,100 files need two.
  const FILES = ALL ? 100_000 : 1_100;
  test(
    `(${FILES.toLocaleString("en")}) is indexed, and adding a file reads only that file`,
    PATIENCE,
    async () => {
      const workspace = createWorkspace(mkdtempSync(join(tmpdir(), "pidex-faults-")));
      onTestFinished(() => rmSync(workspace.folder, { recursive: true, force: true }), 600_000); // deleting 100,000 files takes long
      const run = createClient(workspace);
      const before = await queryNeighbors(run);
      const folder = join(workspace.root, "--many--");
      mkdirSync(folder);
      const write = (n: number) =>
        writeFileSync(
          join(folder, `${n}.jsonl`),
          broken({ id: `many-${n}` })
            .user(`said ${n}`)
            .text(),
        );
      for (let n = 0; n < FILES; n++) write(n);
      expect((await runJson(run, "index")).report).toMatchObject({
        files: FILES + 2,
        added: FILES,
        faulty: 0,
      });
      expect(await queryNeighbors(run)).toEqual(before);
      write(FILES);
      expect((await runJson(run, "index")).report).toMatchObject({
        files: FILES + 3,
        added: 1,
        appended: 0,
        reindexed: 0,
      });
      expect((await runJson(run, "list", "--limit", "1000")).sessions).toHaveLength(1000);
      expect((await runJson(run, "search", `said ${FILES}`, "--limit", "1")).sessions).toHaveLength(1);
    },
  );
});

describe("a session that does not fit in memory", () => {
  const workspace = createWorkspace(mkdtempSync(join(tmpdir(), "pidex-faults-")));
  const path = join(workspace.root, "--home-ada-broken--", "big.jsonl");
  const INDEX = join(import.meta.dirname, "..", "..", "library", "index.ts");
  afterAll(() => rmSync(workspace.folder, { recursive: true, force: true }));

  beforeAll(async () => {
    const long = "words of it ".repeat(700_000);
    const big = broken({ id: "big" });
    writeFileSync(path, `${big.lines[0]}\n`);
    let parent: string | null = null;
    for (let n = 0; n < 12; n++) {
      const message = { role: "user", content: `${n} ${long}`, timestamp: 0 };
      const timestamp = "2026-01-06T10:00:00.000Z";
      const id = `long${n}`;
      appendFileSync(
        path,
        `${JSON.stringify({ type: "message", id, parentId: parent, timestamp, message })}\n`,
      );
      parent = id;
    }
    await runJson(createClient(workspace), "index");
  }, PATIENCE.timeout);

  /** Runs code in a process that may use 64 MB, with the index of the workspace. @returns the code and hint it threw */
  function inLittleMemory(code: string): string[] {
    const script = `
      const { openIndex, SessionManager } = await import(${JSON.stringify(INDEX)});
      const [path, db, root] = ${JSON.stringify([path, workspace.db, workspace.root])};
      try { ${code}; console.log(JSON.stringify(["nothing was thrown"])); }
      catch (error) { console.log(JSON.stringify([error.code, error.hint])); }`;
    const args = ["--no-warnings", "--max-old-space-size=64", "--input-type=module", "-e", script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (stdout === "") throw new Error(stderr.slice(0, 500));
    return JSON.parse(stdout);
  }

  test.each([
    ["opened", "SessionManager.open(path)"],
    ["opened to be read", "SessionManager.open(path, { readOnly: true })"],
    [
      "used for its context",
      "await using index = await openIndex({ db, roots: [root] }); await index.context('big')",
    ],
  ])("is refused with a hint when it is %s", (_, code) => {
    const refused = ["SESSION_TOO_LARGE", expect.stringContaining("NODE_OPTIONS=--max-old-space-size=")];
    expect(inLittleMemory(code)).toEqual(refused);
  });

  test("can still be read entry by entry", () => {
    const code = `await using index = await openIndex({ db, roots: [root] });
      for await (const _ of index.entries('big', { branch: 'all' }));`;
    expect(inLittleMemory(code)).toEqual(["nothing was thrown"]);
  });
});

// All lines that are too long to parse are copied in the same way; the full size is longer than any string.
const COPIED = ALL ? constants.MAX_STRING_LENGTH + 100 : MAX_LINE_BYTES + 100;
test("a line too long to parse is copied to a fork byte for byte", PATIENCE, () => {
  const folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = { path: join(folder, "long.jsonl"), id: "long" } as FaultTarget;
  writeLong(at, COPIED, "hole");
  const target = join(folder, "fork.jsonl");
  writeFork(at.path, target, { type: "session", version: 3, id: "fork", timestamp: "", cwd: "/" });
  const withoutHeader = (path: string) => {
    const fd = openSync(path, "r");
    try {
      const bytes = readAt(fd, 0, 1_000);
      const start = bytes.indexOf("\n") + 1;
      const size = fstatSync(fd).size;
      return [size - start, readAt(fd, start, 1_000).toString(), readAt(fd, size - 1_000, 1_000).toString()];
    } finally {
      closeSync(fd);
    }
  };
  expect(withoutHeader(target)).toEqual(withoutHeader(at.path));
});
