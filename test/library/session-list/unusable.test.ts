import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import SQLite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { listFolder, listProjects } from "../../../library/session-list.ts";
import { age, isRoot, talk } from "../../indexer/synced.ts";
import {
  collectProblems,
  createWorkspace,
  expectProblem,
  NOWHERE,
  pathsOf,
  setEnvironment,
} from "./listed.ts";
import { piFields, readFolders } from "./read-all.ts";

const INDEX = pathToFileURL(join(import.meta.dirname, "../../../library/index.ts")).href;

/** Three old sessions in their own folder. */
function old() {
  const workspace = createWorkspace();
  const folder = join(workspace.root, "p");
  for (const id of ["one", "two", "three"]) age(talk({ id }).write(join(folder, `${id}.jsonl`)));
  return { ...workspace, p: folder };
}

/** Lists a folder, checks the list against the files, and returns the reported problems. */
async function listRight(folder: string, db: string | undefined): Promise<Error[]> {
  const { problems, onProblem } = collectProblems();
  const sessions = await listFolder(folder, { ...(db !== undefined && { db }), onProblem });
  expect(sessions.map(piFields)).toEqual(readFolders(folder));
  return problems;
}

/** Lists until every file is old enough for the list to have nothing to write next time. */
async function settle(db: string, list: () => Promise<unknown>): Promise<void> {
  const handle = new SQLite(db, { readonly: true });
  while (handle.prepare("SELECT 1 FROM file WHERE racy = 1").get()) await list();
  handle.close();
}

/** A process that locks the database. */
async function holdLock(db: string, ...how: string[]): Promise<() => Promise<void>> {
  const lockHolder = spawn(process.execPath, [join(import.meta.dirname, "lock-holder.ts"), db, ...how], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(lockHolder, "exit");
  const release = async () => {
    lockHolder.stdin.end();
    await ended;
  };
  onTestFinished(release);
  await once(lockHolder.stdout, "data");
  return release;
}

/** A test fails if it waits as long as a command waits for a lock, 10 s. */
const UNWAITED_MS = 9_500;

describe("while another process locks the database", () => {
  test(
    "for writing, changed files are read, and the others come from the index",
    async () => {
      const { p, db } = old();
      expect(await listRight(p, db)).toEqual([]);
      await settle(db, () => listRight(p, db));
      const handle = new SQLite(db);
      handle.exec("UPDATE session SET name = 'from the index'");
      handle.close();
      const release = await holdLock(db);
      const { problems, onProblem } = collectProblems();
      const namesOf = async () => {
        const sessions = await listFolder(p, { db, onProblem });
        return Object.fromEntries(sessions.map(({ id, name }) => [id, name]));
      };
      const indexed = { one: "from the index", two: "from the index", three: "from the index" };
      expect(await namesOf()).toEqual(indexed);
      expect(problems).toEqual([]); // there was nothing to write
      talk({ id: "four" }).name("new").write(join(p, "four.jsonl"));
      talk({ id: "two" }).name("newer").write(join(p, "two.jsonl"));
      expect(await namesOf()).toEqual({ ...indexed, two: "newer", four: "new" });
      expectProblem(problems, "DATABASE_BUSY");
      await release();
      expect(await namesOf()).toEqual({ ...indexed, two: "newer", four: "new" });
    },
    UNWAITED_MS,
  );

  test(
    "exclusively, the files are read",
    async () => {
      const { p, db } = old();
      await listRight(p, db);
      const release = await holdLock(db, "exclusive");
      expectProblem(await listRight(p, db), "DATABASE_BUSY");
      await release();
      expect(await listRight(p, db)).toEqual([]);
    },
    UNWAITED_MS,
  );
});

describe("the files are read, and the reason is reported once, if", () => {
  test("the database's folder is a file", async () => {
    const { p, folder } = old();
    writeFileSync(join(folder, "file"), "");
    expectProblem(await listRight(p, join(folder, "file", "index.db")), "DATABASE_UNAVAILABLE");
  });

  test.skipIf(!existsSync("/sys/kernel"))("the file system is read-only", async () => {
    const { p } = old();
    expectProblem(await listRight(p, "/sys/pidex/index.db"), "DATABASE_UNAVAILABLE");
  });

  test.skipIf(isRoot)("the database and its folder are read-only", async () => {
    const { p, db, folder } = old();
    await listRight(p, db);
    chmodSync(db, 0o400);
    chmodSync(join(folder, "cache"), 0o500);
    onTestFinished(() => chmodSync(join(folder, "cache"), 0o700));
    expectProblem(await listRight(p, db), "DATABASE_UNAVAILABLE");
  });

  test("there is no folder for caches", async () => {
    const { p } = old();
    setEnvironment({ PIDEX_DB: undefined, XDG_CACHE_HOME: undefined, HOME: NOWHERE, LOCALAPPDATA: NOWHERE });
    expectProblem(await listRight(p, undefined), "DATABASE_UNAVAILABLE");
  });

  test("the roots cannot be determined", async () => {
    const { p, db } = old();
    setEnvironment({ PIDEX_ROOTS: "file:" });
    expect(await listRight(p, db)).toEqual([]);
    setEnvironment({ PIDEX_ROOTS: undefined, PI_CODING_AGENT_DIR: "file://host/x" });
    expectProblem(await listRight(p, db), "BAD_OPTION");
  });

  test("the database belongs to another program", async () => {
    const { p, folder } = old();
    const db = join(folder, "other.sqlite");
    new SQLite(db).exec("CREATE TABLE mine (x)").close();
    const before = readFileSync(db);
    expectProblem(await listRight(p, db), "FOREIGN_DATABASE");
    expect(readFileSync(db).equals(before)).toBe(true);
  });

  test("the database cannot be migrated", async () => {
    const { p, db } = old();
    await listRight(p, db);
    const handle = new SQLite(db);
    handle.exec("DROP TABLE kysely_migration; PRAGMA user_version = 0");
    handle.close();
    expectProblem(await listRight(p, db), "MIGRATION_FAILED");
  });

  test("the database is corrupt and moved aside", async () => {
    const { p, db, folder } = old();
    await listRight(p, db);
    const bytes = readFileSync(db);
    bytes.fill(0xff, 4096);
    writeFileSync(db, bytes);
    talk({ id: "four" }).write(join(p, "four.jsonl"));
    expectProblem(await listRight(p, db), "DATABASE_UNAVAILABLE");
    expect(readdirSync(join(folder, "cache")).filter((name) => name.includes(".broken-"))).toHaveLength(1);
    expect(await listRight(p, db)).toEqual([]);
  });
});

test("a corrupt database that is moved aside immediately is reported, and the new one is used", async () => {
  const { p, db, folder } = old();
  mkdirSync(join(folder, "cache"));
  writeFileSync(db, "no database at all ".repeat(1_000));
  expectProblem(await listRight(p, db), "DATABASE_UNAVAILABLE");
  expect(await listRight(p, db)).toEqual([]);
});

test("a file that was unreadable is read once it is readable", async () => {
  const { p, db } = old();
  await listRight(p, db);
  const handle = new SQLite(db);
  // As left by a sync that failed for another reason; the file has the same size and times.
  handle.exec(`INSERT INTO problem SELECT id, 0, 0, 'unreadable', 'too deep' FROM file WHERE path LIKE '%one.jsonl';
    DELETE FROM session WHERE file_id IN (SELECT file_id FROM problem)`);
  handle.close();
  expectProblem(await listRight(p, db), "DATABASE_UNAVAILABLE");
});

describe("in a process", () => {
  /** Lists in a separate process after running some code. Returns the ids, and the codes of the problems. */
  function listAfter(preparation: string, folder: string, db: string): unknown {
    const script = `
      ${preparation}
      const { SessionManager } = await import(${JSON.stringify(INDEX)});
      const problems = [];
      const onProblem = ({ code, message }) => problems.push(code + " " + message);
      const sessions = await SessionManager.listAll(undefined, undefined, undefined, { db: process.argv[2], onProblem });
      console.log(JSON.stringify({ ids: sessions.map(({ id }) => id).sort(), problems }));`;
    const given = ["--input-type=module", "--no-warnings", "-e", script, folder, db];
    const env = { ...process.env, PI_CODING_AGENT_DIR: dirname(folder) };
    return JSON.parse(execFileSync(process.execPath, given, { encoding: "utf8", env }));
  }
  const ids = ["one", "three", "two"];

  test("that can load SQLite, the index is used", () => {
    const { root, db } = old();
    expect(listAfter("", root, db)).toEqual({ ids, problems: [] });
    expect(existsSync(db)).toBe(true);
  });

  test("that cannot load SQLite, sessions are still listed", () => {
    const { root, db } = old();
    const withoutPackage = `
      import { registerHooks } from "node:module";
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier === "better-sqlite3") throw new Error("there is no better-sqlite3");
          return next(specifier, context);
        },
      });`;
    const problems = [expect.stringMatching(/^DATABASE_UNAVAILABLE .*there is no better-sqlite3/)];
    expect(listAfter(withoutPackage, root, db)).toEqual({ ids, problems });
  });

  test("with an old version of Node, sessions are still listed", () => {
    const { root, db } = old();
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });`;
    const problems = [expect.stringMatching(/^NODE_TOO_OLD /)];
    expect(listAfter(older, root, db)).toEqual({ ids, problems });
    expect(existsSync(db)).toBe(false);
  });
});

test("files that cannot be indexed within the time limit are read, and the next list continues indexing", async () => {
  const { root, db } = old();
  const late = collectProblems();
  const sessions = await listProjects(root, { db, indexingMs: 0, onProblem: late.onProblem });
  expectProblem(late.problems, "INDEX_BEHIND");
  const inTime = collectProblems();
  expect((await listProjects(root, { db, onProblem: inTime.onProblem })).map(piFields)).toEqual(
    sessions.map(piFields),
  );
  expect(inTime.problems).toEqual([]);
  await settle(db, () => listProjects(root, { db }));
  // Nothing changed, so there is nothing to delay.
  expect(await listProjects(root, { db, indexingMs: 0, onProblem: inTime.onProblem })).toHaveLength(3);
  expect(inTime.problems).toEqual([]);
});

test("a project folder that cannot be listed does not hide the sessions of others", async () => {
  const { root, db, p } = old();
  const locked = join(root, "locked");
  mkdirSync(locked);
  chmodSync(locked, 0);
  onTestFinished(() => chmodSync(locked, 0o700));
  expect(await listProjects(root, { db })).toHaveLength(3);
  rmSync(join(p, "one.jsonl"));
  expect(pathsOf(await listProjects(root, { db }))).not.toContain(join(p, "one.jsonl"));
});
