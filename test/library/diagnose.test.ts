import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { type DiagnoseOptions, diagnose } from "../../library/diagnose.ts";
import { openIndex } from "../../library/index.ts";
import { migrations } from "../../migrations/index.ts";
import { checkDatabaseHealth } from "../../query/health/database-health.ts";
import { DiagnosisJson } from "../../query/health/diagnosis.ts";
import { acquireLock } from "../../src/store/sqlite/lock.ts";
import { schemaVersion } from "../../src/store/sqlite/schema-version.ts";
import { strict } from "../bin/cli.ts";
import { temporaryFolder } from "../temporary.ts";
import { setEnvironment } from "./session-list/listed.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const WANTED = schemaVersion(migrations);
const isRoot = process.getuid?.() === 0;

/** Every file below a folder with its properties, except the WAL's shared memory. */
function snapshotFolder(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const stat = lstatSync(join(folder, name));
      const isMemory = name.endsWith("-shm");
      const content = stat.isFile() && stat.mode & 0o400 && !isMemory ? readFileSync(join(folder, name)) : "";
      return [name, `${stat.mode} ${isMemory ? "" : stat.mtimeMs} ${content.toString("latin1")}`];
    }),
  );
}

/** Two private sessions and a closed index of them. */
async function createIndex(folder: string) {
  const root = join(folder, "sessions");
  const paths = ["one", "two"].map((id) =>
    session({ id, cwd: "/home/ada/shop" }).user("hello").writeUnder(root),
  );
  const db = join(folder, "cache", "index.db");
  const index = await openIndex({ db, roots: [root] });
  await index.sync();
  await index.close();
  return { folder, root, paths, db };
}

/** Created once for all tests that only change the database. */
let sharedFolder = "";
let shared: Awaited<ReturnType<typeof createIndex>>;
beforeAll(async () => {
  sharedFolder = mkdtempSync(join(tmpdir(), "pidex-diagnose-"));
  shared = await createIndex(sharedFolder);
});
afterAll(() => rmSync(sharedFolder, { recursive: true, force: true }));

/** A copy of the shared index in its own folder, over the shared sessions. */
function copied() {
  const folder = temporaryFolder();
  const db = join(folder, "cache", "index.db");
  mkdirSync(join(folder, "cache"), { mode: 0o700 });
  copyFileSync(shared.db, db);
  return { ...shared, folder, db, diagnoseIndex: diagnoseUnchanged(folder, db, shared.root) };
}

/** Sessions and an index for one test. */
async function createWorkspace() {
  const created = await createIndex(temporaryFolder());
  return { ...created, diagnoseIndex: diagnoseUnchanged(created.folder, created.db, created.root) };
}

/** Runs `diagnose` and asserts that it changes no file. */
function diagnoseUnchanged(folder: string, db: string, root: string) {
  return async (options: DiagnoseOptions = {}) => {
    const before = snapshotFolder(folder);
    const diagnosis = await runDiagnose({ db, roots: [root], ...options });
    expect(snapshotFolder(folder)).toEqual(before);
    return diagnosis;
  };
}

async function runDiagnose(options: DiagnoseOptions) {
  const diagnosis = await diagnose(options);
  expect(strict(DiagnosisJson).safeParse(diagnosis).error).toBeUndefined();
  return { ...diagnosis, codes: diagnosis.findings.map(({ level, code }) => `${level} ${code}`) };
}

/** Changes a database behind pidex's back. */
function changeDatabase(db: string, work: (handle: SQLite.Database) => void): void {
  const handle = new SQLite(db);
  work(handle);
  handle.close();
}

test("an intact index: every property, and no findings", async () => {
  const { db, root, paths, diagnoseIndex } = await createWorkspace();
  const { codes, ...diagnosis } = await diagnoseIndex();
  const sizes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  expect(codes).toEqual([]);
  expect(diagnosis).toMatchObject({
    versions: { node: process.versions.node, schema: WANTED, sqlite: expect.stringMatching(/^3\./) },
    roots: [{ path: root, from: "option", state: "folder", files: 2, bytes: sizes, folders: 2 }],
    database: {
      path: db,
      from: "option",
      state: "current",
      bytes: statSync(db).size,
      walBytes: 0,
      mode: "600",
      folderMode: "700",
      yours: true,
      schema: WANTED,
      journalMode: "wal",
      pages: statSync(db).size / 4096,
      check: "ok",
      leftovers: [],
    },
    freshness: {
      new: 0,
      changed: 0,
      gone: 0,
      rereading: 0,
      unfinished: 0,
      extractions: [{ files: 2 }],
      newestChange: new Date(Math.max(...paths.map((path) => statSync(path).mtimeMs))).toISOString(),
    },
    indexing: false,
    problems: [],
    unknown: [],
  });
});

test("a database that is open elsewhere is read with its WAL, in place", async () => {
  const { db, root, diagnoseIndex } = await createWorkspace();
  const index = await openIndex({ db, roots: [root] });
  onTestFinished(() => index.close());
  session({ id: "three" }).user("hello").writeUnder(root);
  await index.sync();
  const { database, freshness, codes } = await diagnoseIndex();
  expect(database).toMatchObject({ state: "current", check: "ok" });
  expect(database.walBytes).toBe(statSync(`${db}-wal`).size);
  expect(database.walBytes).toBeGreaterThan(0);
  expect([freshness?.new, freshness?.extractions[0]?.files, codes]).toEqual([0, 3, []]);

  // Reading the WAL of a killed process would create files beside it: a copy is read instead.
  const { db: copy, diagnoseIndex: lookAtCopy } = copied();
  copyFileSync(`${db}-wal`, `${copy}-wal`);
  const { freshness: ofCopy, unknown } = await lookAtCopy({ roots: [root] });
  expect([ofCopy?.new, ofCopy?.extractions[0]?.files, unknown]).toEqual([0, 3, []]);

  setEnvironment({ TMPDIR: join(copy, "nowhere") });
  const { unknown: withoutCopy } = await lookAtCopy({ roots: [root] });
  expect(withoutCopy.map(({ what }) => what)).toEqual([
    `the contents of the write-ahead log (${database.walBytes} bytes)`,
  ]);
});

test("files left unfinished by an interrupted run are distinguished from files indexed by an older version", async () => {
  const { db, diagnoseIndex, paths } = await createWorkspace();
  const { extraction } = (await diagnoseIndex()).versions;
  const set = (value: number, path: string | undefined) =>
    changeDatabase(db, (handle) =>
      handle.prepare("UPDATE file SET extraction = ? WHERE path = ?").run(value, path),
    );
  for (const value of [0, -extraction]) {
    set(value, paths[0]);
    const { freshness, codes } = await diagnoseIndex();
    expect([freshness?.unfinished, freshness?.rereading]).toEqual([1, 0]);
    expect(freshness?.extractions).toEqual([{ extraction, files: 1 }]);
    expect(codes).toEqual(["info files-unfinished"]);
  }
  for (const value of [extraction - 1, 1 - extraction]) {
    set(value, paths[0]);
    const { freshness, codes } = await diagnoseIndex();
    expect([freshness?.unfinished, freshness?.rereading]).toEqual([0, 1]);
    expect(codes).toEqual(["info files-of-older-extraction"]);
  }
});

test("freshness counts new, changed and deleted files", async () => {
  const { root, paths, diagnoseIndex } = await createWorkspace();
  session({ id: "three" }).user("hello").writeUnder(root);
  appendFileSync(paths[0] as string, "{}\n");
  rmSync(paths[1] as string);
  const { freshness, findings } = await diagnoseIndex();
  expect(freshness).toMatchObject({ new: 1, changed: 1, gone: 1, rereading: 0 });
  expect(findings).toEqual([
    {
      level: "info",
      code: "files-behind",
      message: "the index is behind the session files: 1 new, 1 changed, 1 gone",
      todo: "pidex index",
    },
  ]);
});

test("a running indexer is reported", async () => {
  const { db, root } = copied();
  const lock = await acquireLock(db, "sync", { timeoutMs: 0 });
  expect(await runDiagnose({ db, roots: [root] })).toMatchObject({
    indexing: true,
    codes: ["info indexing"],
  });
  lock?.release();
  expect(await runDiagnose({ db, roots: [root] })).toMatchObject({ indexing: false, codes: [] });
});

describe("a database that is", () => {
  type Breaking = (db: string) => unknown;
  const cases: [what: string, breakIt: Breaking, state: string, codes: string[]][] = [
    ["missing", (db) => rmSync(db), "missing", ["info database-missing"]],
    ["empty", (db) => truncateSync(db), "empty", ["info database-missing"]],
    [
      "in a folder that is missing",
      (db) => rmSync(join(db, ".."), { recursive: true }),
      "missing",
      ["info database-missing"],
    ],
    [
      "a folder",
      (db) => {
        rmSync(db);
        mkdirSync(db);
      },
      "not a file",
      ["error database-not-a-file"],
    ],
    [
      "below a file",
      (db) => {
        rmSync(join(db, ".."), { recursive: true });
        writeFileSync(join(db, ".."), "");
      },
      "not a file",
      ["error database-not-a-file"],
    ],
    [
      "another program's",
      (db) => changeDatabase(db, (handle) => handle.pragma("application_id = 1")),
      "foreign",
      ["error database-foreign"],
    ],
    ["garbage", (db) => writeFileSync(db, "garbage ".repeat(2000)), "broken", ["error database-broken"]],
    ["truncated", (db) => truncateSync(db, 20_000), "broken", ["error database-broken"]],
    ["broken in a page", breakPage, "broken", ["error database-broken"]],
    ["broken in its words, which only verify checks", breakWords, "current", []],
    [
      "a newer pidex's",
      (db) => changeDatabase(db, (handle) => handle.pragma("user_version = 999")),
      "missing",
      ["info database-newer", "info database-missing"],
    ],
    [
      "a dangling link",
      (db) => {
        rmSync(db);
        symlinkSync("/nosuch/index.db", db);
      },
      "missing",
      ["info database-missing"],
    ],
    ["readable by others", (db) => chmodSync(db, 0o644), "current", ["warning database-open-to-others"]],
  ];
  test("from an older version", async () => {
    const { db } = copied();
    const runDiagnose = await checkDatabaseHealth({
      path: db,
      from: "option",
      prefixes: [],
      schema: WANTED + 1,
      timeoutMs: 10_000,
    });
    expect(runDiagnose.health.state).toBe("older");
  });
  test.each(cases)("%s", async (_, breakIt, state, codes) => {
    const { db, diagnoseIndex } = copied();
    breakIt(db);
    const diagnosis = await diagnoseIndex();
    expect([diagnosis.database.state, diagnosis.codes]).toEqual([state, codes]);
    for (const { todo } of diagnosis.findings) expect(todo).not.toBe("");
  });

  test("from a newer version is not opened; the one beside it is checked", async () => {
    const { db, diagnoseIndex } = copied();
    const own = `${db}.v${WANTED}`;
    copyFileSync(db, own);
    chmodSync(own, 0o600);
    changeDatabase(db, (handle) => handle.pragma("user_version = 999"));
    const { database, freshness, codes } = await diagnoseIndex();
    expect(database).toMatchObject({ path: own, newer: db, state: "current", leftovers: [] });
    expect([freshness?.new, codes]).toEqual([0, ["info database-newer"]]);
  });

  test("locked permanently is not waited for", async () => {
    const { db, root } = copied();
    const handle = new SQLite(db);
    onTestFinished(() => void handle.close());
    handle.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
    for (const side of ["-wal", "-shm"]) closeSync(openSync(db + side, "a"));
    const { database, codes, freshness } = await runDiagnose({ db, roots: [root] });
    expect([database.state, codes, freshness]).toEqual(["busy", ["warning database-busy"], undefined]);
  });

  test("in a read-only folder is read", async () => {
    const { db, diagnoseIndex } = copied();
    chmodSync(join(db, ".."), 0o500);
    onTestFinished(() => chmodSync(join(db, ".."), 0o700));
    const { database, freshness, codes } = await diagnoseIndex();
    expect([database.state, database.check, freshness?.new]).toEqual(["current", "ok", 0]);
    expect(codes).toEqual(isRoot ? [] : ["error database-unwritable"]);
  });

  test.skipIf(isRoot)("unreadable", async () => {
    const { db, diagnoseIndex } = copied();
    chmodSync(db, 0);
    const { database, codes } = await diagnoseIndex();
    expect(database).toMatchObject({ state: "unreadable", mode: "000" });
    expect(codes).toEqual(["error database-unreadable", "error database-unwritable"]);
  });

  test.skipIf(isRoot)("in a folder without search permission", async () => {
    const { folder, db, root } = copied();
    chmodSync(join(folder, "cache"), 0);
    onTestFinished(() => chmodSync(join(folder, "cache"), 0o700));
    expect((await runDiagnose({ db, roots: [root] })).codes).toContain("error database-unreadable");
  });

  test.runIf(isRoot)("of another user", async () => {
    const { db, diagnoseIndex } = copied();
    chownSync(db, 54321, 54321);
    const { database, findings } = await diagnoseIndex();
    expect(database).toMatchObject({ owner: "54321", yours: false });
    expect(findings).toEqual([
      expect.objectContaining({ code: "database-of-another-user", todo: `sudo chown "$(id -un)" ${db}*` }),
    ]);
  });
});

/** Corrupts a page with entries, which SQLite notices when it reads the page. */
function breakPage(db: string): void {
  let page = 0;
  changeDatabase(db, (handle) => {
    page = handle.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'entry'").pluck().get() as number;
  });
  const bytes = readFileSync(db);
  bytes.fill(0xff, (page - 1) * 4096, (page - 1) * 4096 + 200);
  writeFileSync(db, bytes);
}

/** Corrupts the full-text index; its pages stay valid to SQLite. */
function breakWords(db: string): void {
  changeDatabase(db, (handle) => {
    handle.unsafeMode();
    handle.pragma("writable_schema = ON");
    handle.exec("UPDATE entry_text_data SET block = zeroblob(length(block)) WHERE id > 10");
  });
}

test("checks end at the time limit, and keep what they found", async () => {
  const { diagnoseIndex } = copied();
  const { database, unknown, freshness, codes } = await diagnoseIndex({ timeoutMs: 1 });
  expect([database.state, database.check, freshness]).toEqual(["unknown", "unfinished", undefined]);
  expect(codes).toEqual(["info database-unchecked"]);
  expect(unknown.map(({ why }) => why)).toContain("it took longer than 0.001 s");
});

test("it rejects with the signal's reason", async () => {
  const { db, root } = copied();
  await expect(
    diagnose({ db, roots: [root], signal: AbortSignal.abort(new Error("enough")) }),
  ).rejects.toThrow("enough");
  const stop = new AbortController();
  const looking = diagnose({ db, roots: [root], signal: stop.signal });
  setImmediate(() => stop.abort(new Error("enough")));
  await expect(looking).rejects.toThrow("enough");
});

test("leftover files beside the database are listed with their size", async () => {
  const { db, diagnoseIndex } = copied();
  const put = (ending: string, bytes: number) => writeFileSync(db + ending, Buffer.alloc(bytes));
  put(".broken-2026-01-01T00-00-00-000Z", 3000);
  put(".broken-2026-01-01T00-00-00-000Z-wal", 500);
  put(".v3", 20);
  for (const side of ["-wal", "-shm", ".turn", ".open"]) put(`.v3${side}`, 1);
  for (const lock of [".turn", ".open", ".turn-journal"]) put(lock, 7);
  put(".rebuild", 7);
  put(".backup", 7);
  const { database, findings } = await diagnoseIndex();
  const names = database.leftovers.map(({ path, kind, bytes }) => [path.slice(db.length), kind, bytes]);
  expect(names).toEqual([
    [".broken-2026-01-01T00-00-00-000Z", "broken", 3500],
    [".rebuild", "rebuild", 7],
    [".v3", "version", 24],
  ]);
  expect(findings.map(({ code, todo }) => [code, todo])).toEqual([
    ["leftovers", `rm ${db}.broken-2026-01-01T00-00-00-000Z*`],
    ["leftovers", `rm ${db}.rebuild*`],
    ["leftovers", `rm ${db}.v3*`],
  ]);
});

test("a database deleted while it was open is recognized by its leftover WAL", async () => {
  const { db, diagnoseIndex } = copied();
  for (const side of ["-wal", "-shm", ".open"]) writeFileSync(db + side, "");
  rmSync(db);
  const { database, codes, findings } = await diagnoseIndex();
  expect(database).toMatchObject({ state: "missing", orphans: [`${db}-wal`, `${db}-shm`], leftovers: [] });
  expect(codes).toEqual(["warning database-deleted"]);
  expect(findings[0]?.message).toContain(`${db}-wal, ${db}-shm`);
  for (const side of ["-wal", "-shm"]) rmSync(db + side);
  expect((await diagnoseIndex()).codes).toEqual(["info database-missing"]);
});

test("problems in session files are counted by code, most frequent first, with examples", async () => {
  const roots = [join(FIXTURES, "roots/broken")];
  const { db, diagnoseIndex } = copied();
  const index = await openIndex({ db, roots });
  await index.sync();
  const listed = await index.problems();
  await index.close();
  const { problems = [], findings } = await diagnose({ db, roots });
  expect(problems.reduce((sum, { count }) => sum + count, 0)).toBe(listed.length);
  for (const { code, count, first } of problems) {
    const ofCode = listed.filter((each) => each.code === code);
    expect([count, first]).toEqual([ofCode.length, ofCode.slice(0, 3)]);
  }
  expect(problems.map(({ count }) => count)).toEqual(
    problems.map(({ count }) => count).sort((a, b) => b - a),
  );
  expect(findings.map(({ code }) => code)).toContain("problems");
  expect((await diagnoseIndex()).problems).toEqual([]); // only those of other roots
});

describe("roots", () => {
  test("from an option are reported as such", async () => {
    const { db } = copied();
    const { findings } = await diagnose({ db, roots: ["/nosuch"] });
    expect(findings[0]).toMatchObject({
      message: "/nosuch (from --root) does not exist",
      todo: "Correct --root, or create the folder: mkdir -p /nosuch",
    });
  });

  test("have the source that named them", async () => {
    const { db, folder, root } = copied();
    const agent = join(folder, "agent");
    mkdirSync(join(agent, "sessions"), { recursive: true });
    writeFileSync(join(agent, "settings.json"), JSON.stringify({ sessionDir: root }));
    vi.stubEnv("PIDEX_ROOTS", "");
    vi.stubEnv("PI_CODING_AGENT_DIR", agent);
    vi.stubEnv("ATOMIC_CODING_AGENT_DIR", "");
    vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", join(folder, "nosuch"));
    vi.stubEnv("HOME", folder);
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { roots, findings } = await diagnose({ db });
    expect(roots.map(({ path, from, state, files }) => [path, from, state, files])).toEqual([
      [join(agent, "sessions"), "PI_CODING_AGENT_DIR", "folder", 0],
      [join(folder, ".atomic/agent/sessions"), "default", "missing", 0],
      [join(folder, "nosuch"), "PI_CODING_AGENT_SESSION_DIR", "missing", 0],
      [root, join(agent, "settings.json"), "folder", 2],
      [join(folder, "pi-subagent-session-*"), "TMPDIR", "folder", 0],
    ]);
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ["root-missing", join(folder, "nosuch")],
    ]);
  });

  test("that are missing or are files are reported, and unreadable settings too", async () => {
    const { db, folder } = copied();
    writeFileSync(join(folder, "file"), "");
    vi.stubEnv("PIDEX_ROOTS", `${join(folder, "nosuch")}:${join(folder, "file")}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { findings, roots } = await diagnose({ db });
    expect(roots.map(({ from, state }) => [from, state])).toEqual([
      ["PIDEX_ROOTS", "missing"],
      ["PIDEX_ROOTS", "not a folder"],
    ]);
    expect(findings.map(({ code }) => code)).toEqual(["root-not-a-folder", "root-missing", "no-sessions"]);
    vi.stubEnv("PIDEX_ROOTS", "");
    vi.stubEnv("PI_CODING_AGENT_DIR", folder);
    writeFileSync(join(folder, "settings.json"), "{");
    expect((await diagnose({ db })).findings.map(({ code }) => code)).toContain("settings-unreadable");
  });

  test("without a home folder there are no roots and no database, which is a separate error", async () => {
    vi.stubEnv("HOME", "not/a/full/path");
    vi.stubEnv("PIDEX_ROOTS", "");
    vi.stubEnv("PIDEX_DB", "");
    vi.stubEnv("XDG_CACHE_HOME", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await diagnose()).findings[0]?.code).toBe("no-home");
    vi.stubEnv("HOME", "");
    const { database, roots, findings, versions } = await diagnose();
    expect([database.state, roots, versions.sqlite?.[0]]).toEqual(["unknown", [], "3"]);
    expect(findings[0]).toMatchObject({ level: "error", code: "no-home" });
    const { db, root } = shared;
    expect((await diagnose({ db, roots: [root] })).findings).toEqual([]);
  });

  test.skipIf(isRoot)("that cannot be read, and folders in them, are reported", async () => {
    const { db, root } = await createWorkspace();
    const inner = join(root, "--home-ada-shop--");
    chmodSync(inner, 0);
    onTestFinished(() => chmodSync(inner, 0o700));
    const { findings, freshness } = await runDiagnose({ db, roots: [root] });
    expect(findings.map(({ code }) => code)).toEqual(["folder-unreadable"]);
    expect(freshness?.gone).toBe(0);
    chmodSync(root, 0);
    expect((await diagnose({ db, roots: [root] })).findings[0]?.code).toBe("root-unreadable");
    chmodSync(root, 0o700);
  });
});

test("session files that other users can read are reported, unless a folder above blocks them", async () => {
  const { folder, diagnoseIndex, paths } = await createWorkspace();
  for (const path of paths) chmodSync(path, 0o644);
  chmodSync(join(folder, "sessions"), 0o755);
  chmodSync(join(folder, "sessions", "--home-ada-shop--"), 0o755);
  expect((await diagnoseIndex()).openToOthers).toEqual({ count: 0, first: [], roots: [] });
  chmodSync(folder, 0o755);
  const { openToOthers, findings } = await diagnoseIndex();
  expect(openToOthers).toEqual({ count: 2, first: [...paths].sort(), roots: [join(folder, "sessions")] });
  expect(findings.map(({ code, todo }) => [code, todo])).toContainEqual([
    "sessions-open-to-others",
    `chmod -R o= ${join(folder, "sessions")}`,
  ]);
});

test("indexed files in none of the session folders are reported, unless the folders are chosen for this call", async () => {
  const { root, folder, db } = await createWorkspace();
  const other = join(folder, "others");
  const added = session({ id: "other" }).user("hello").writeUnder(other);
  const index = await openIndex({ db, roots: [other] });
  await index.sync();
  await index.close();
  setEnvironment({ PIDEX_ROOTS: root });
  const outsideOf = async (options: DiagnoseOptions) =>
    (await diagnose({ db, ...options })).findings.filter(({ code }) => code === "files-of-other-folders");
  expect(await outsideOf({ roots: [root] })).toEqual([]);
  expect(await outsideOf({})).toEqual([
    {
      level: "info",
      code: "files-of-other-folders",
      message: `1 indexed file is in none of your session folders, such as ${added}: they slow searches down`,
      todo: `rm ${db}*, if you don't need them: the next command builds the index again`,
      path: added,
    },
  ]);
  setEnvironment({ PIDEX_ROOTS: `${root}:${other}` });
  expect(await outsideOf({})).toEqual([]);
  setEnvironment({ PIDEX_ROOTS: join(folder, "typo") });
  expect(await outsideOf({})).toEqual([]);
});

test("a session reachable by another name does not count as a change of these roots", async () => {
  const { root, diagnoseIndex } = await createWorkspace();
  const moved = join(root, "--home-ada-till--");
  renameSync(join(root, "--home-ada-shop--"), moved);
  expect((await diagnoseIndex()).freshness).toMatchObject({ new: 2, gone: 2 });
});
