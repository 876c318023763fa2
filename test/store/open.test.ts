import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import SQLite from "better-sqlite3";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { describe, expect, onTestFinished, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { PidexError } from "../../src/errors.ts";
import { sql as query } from "../../src/store/sql.ts";
import { acquireLock } from "../../src/store/sqlite/lock.ts";
import { type Database, type OpenDatabaseOptions, openDatabase } from "../../src/store/sqlite/open.ts";
import { isCorruption, quarantineFiles } from "../../src/store/sqlite/quarantine.ts";
import { schemaVersion } from "../../src/store/sqlite/schema-version.ts";
import { temporaryFolder } from "../temporary.ts";
import { waitUntil } from "../until.ts";

const newest = schemaVersion(migrations);

async function open(path: string, options: Partial<OpenDatabaseOptions> = {}): Promise<Database> {
  const db = await openDatabase({ path, migrations, ...options });
  onTestFinished(() => {
    db.readerHandle.close();
    db.writer.close();
  });
  return db;
}

/** Opens a database, calls a function with it, and closes it. */
async function visit(path: string, act: (db: Database) => void = () => {}): Promise<string[]> {
  const notices: string[] = [];
  const db = await open(path, { onNotice: (notice) => notices.push(notice) });
  act(db);
  await db.close();
  return notices;
}

/** The error that a promise rejects with, which must be a PidexError. */
async function failure(promise: Promise<unknown>): Promise<PidexError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(PidexError);
  return error as PidexError;
}

const tablesOf = (db: SQLite.Database): unknown[] =>
  db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
const versionOf = (db: SQLite.Database): unknown => db.pragma("user_version", { simple: true });
const mark = (db: Database) => db.writer.exec("CREATE TABLE mark (x)");

test.skipIf(process.platform === "win32")(
  "a path longer than SQLite's limit is reported as the cause",
  async () => {
    let folder = temporaryFolder();
    while (Buffer.byteLength(folder) < 480) folder = join(folder, "x".repeat(100));
    const error = await failure(open(join(folder, "index.db")));
    const bytes = Buffer.byteLength(join(folder, "index.db"));
    expect(error.code).toBe("DATABASE_UNAVAILABLE");
    expect(error.message).toContain(`the path is ${bytes} bytes long; the maximum is 480`);
    expect(error.hint).toContain("shorter path");
    expect(error.cause).toMatchObject({ code: "SQLITE_CANTOPEN" });
  },
);

describe("a new database", () => {
  test("has every migration and every table", async () => {
    const db = await open(join(temporaryFolder(), "index.db"));
    expect(versionOf(db.writer)).toBe(newest);
    expect(tablesOf(db.writer)).toEqual(
      expect.arrayContaining(["file", "session", "entry", "event", "usage_rollup", "entry_text"]),
    );
    expect((await query`SELECT * FROM file`.execute(db.reader)).rows).toEqual([]);
    expect(db.writer.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.writer.pragma("foreign_keys", { simple: true })).toBe(1);
  });

  test.skipIf(process.platform === "win32")(
    "is accessible to its owner only, including side files and folder",
    async () => {
      const folder = join(temporaryFolder(), "deep", "cache");
      await visit(join(folder, "index.db"), () => {
        for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
        expect(readdirSync(folder)).toContain("index.db-wal");
      });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    },
  );

  test("is unchanged when it is opened again, and can be open twice", async () => {
    const path = join(temporaryFolder(), "index.db");
    await visit(path, mark);
    const db = await open(path);
    expect(await visit(path)).toEqual([]);
    expect(tablesOf(db.writer)).toContain("mark");
  });

  test("can be created in an empty file", async () => {
    const path = join(temporaryFolder(), "index.db");
    writeFileSync(path, "");
    expect(await visit(path)).toEqual([]);
  });

  test("has a reader that cannot write, and sees what the writer committed", async () => {
    const db = await open(join(temporaryFolder(), "index.db"));
    expect(() => db.readerHandle.exec("CREATE TABLE x (y)")).toThrow(/readonly/);
    mark(db);
    expect(tablesOf(db.readerHandle)).toContain("mark");
  });

  test("is created once by processes that start at the same time", async () => {
    const path = join(temporaryFolder(), "new", "index.db");
    const script = join(import.meta.dirname, "open-one.ts");
    const run = promisify(execFile);
    const names = ["a", "b", "c", "d"];
    const outputs = await Promise.all(names.map((name) => run(process.execPath, [script, path, name])));
    expect(outputs.map(({ stdout }) => stdout)).toEqual(names.map(() => "[]"));
    const db = await open(path);
    expect(db.writer.prepare("SELECT path FROM file ORDER BY path").pluck().all()).toEqual(names);
    expect(readdirSync(join(path, "..")).filter((name) => name.includes("broken"))).toEqual([]);
  });

  test("opens during another process's transaction, and a statement waits no longer than the busy timeout", async () => {
    const path = join(temporaryFolder(), "index.db");
    const other = await open(path);
    other.writer.exec("BEGIN IMMEDIATE");
    const db = await open(path, { busyTimeoutMs: 100 });
    expect(tablesOf(db.readerHandle)).toContain("file");
    expect(() => mark(db)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
    expect(db.writer.pragma("busy_timeout", { simple: true })).toBe(100);
    other.writer.exec("ROLLBACK");
    mark(db);
  });

  test("doesn't block the process while a migration waits for another writer", async () => {
    const path = join(temporaryFolder(), "index.db");
    const other = await open(path);
    other.writer.exec("BEGIN IMMEDIATE");
    const later: Migration = { up: async (db) => void (await sql`CREATE TABLE later (x)`.execute(db)) };
    const opening = open(path, { migrations: { ...migrations, "9999-later": later } });
    await waitUntil("it is being opened", async () => {
      const lock = await acquireLock(path, "replace", { timeoutMs: 0 });
      lock?.release();
      return lock === undefined;
    });
    setImmediate(() => other.writer.exec("ROLLBACK")); // in this process: the writer would wait forever
    const db = await opening;
    expect(versionOf(db.writer)).toBe(newest + 1);
    const timeouts = [db.writer, db.readerHandle].map((handle) =>
      handle.pragma("busy_timeout", { simple: true }),
    );
    expect(timeouts).toEqual([10_000, 10_000]);
  });

  test("is created once by concurrent calls in one process", async () => {
    const path = join(temporaryFolder(), "index.db");
    const [one, two] = await Promise.all([open(path), open(path)]);
    expect([versionOf(one.writer), versionOf(two.writer)]).toEqual([newest, newest]);
  });
});

test.runIf(existsSync("/proc/locks"))(
  "closing one of two handles in a process keeps the locks of the other",
  async () => {
    const path = join(temporaryFolder(), "index.db");
    await open(path);
    const inode = `:${statSync(path).ino} `;
    const locks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(inode));
    expect(locks()).toHaveLength(1);
    await (await openDatabase({ path, migrations })).close();
    expect(locks()).toHaveLength(1);
  },
);

const noMigration: Migration = { up: async () => {} };

describe("migrations", () => {
  const makes = (table: string): Migration => ({
    up: async (db) => void (await sql`CREATE TABLE ${sql.table(table)} (x)`.execute(db)),
  });
  const good = makes("later");
  const mended = makes("mended");
  const bad: Migration = {
    up: async (db) => {
      await sql`CREATE TABLE half (x)`.execute(db);
      await sql`INSERT INTO nowhere VALUES (1)`.execute(db);
    },
  };

  test("new ones run on an existing database and lose nothing", async () => {
    const path = join(temporaryFolder(), "index.db");
    await visit(path, mark);
    const db = await open(path, { migrations: { ...migrations, "9999-later": good } });
    expect(versionOf(db.writer)).toBe(newest + 1);
    expect(tablesOf(db.writer)).toEqual(expect.arrayContaining(["mark", "later"]));
  });

  test("failed ones change nothing and stay pending until a working one runs", async () => {
    const path = join(temporaryFolder(), "index.db");
    await visit(path, mark);
    const failing = { ...migrations, "9998-later": good, "9999-bad": bad };
    const error = await failure(openDatabase({ path, migrations: failing }));
    expect(error).toMatchObject({ code: "MIGRATION_FAILED", message: expect.stringContaining("nowhere") });
    expect(error.cause).toBeInstanceOf(Error);
    await visit(path, ({ writer }) => {
      expect(versionOf(writer)).toBe(newest);
      expect(tablesOf(writer)).toContain("mark");
      expect(tablesOf(writer)).not.toContain("later");
      expect(tablesOf(writer)).not.toContain("half");
    });
    const db = await open(path, { migrations: { ...migrations, "9998-later": good, "9999-bad": mended } });
    expect(tablesOf(db.writer)).toEqual(expect.arrayContaining(["mark", "later", "mended"]));
  });
  test("failed ones on a new database leave it usable for working ones", async () => {
    const path = join(temporaryFolder(), "index.db");
    await failure(openDatabase({ path, migrations: { ...migrations, "9999-bad": bad } }));
    expect(await visit(path, ({ writer }) => expect(versionOf(writer)).toBe(newest))).toEqual([]);
  });
});

describe("an unusable database is quarantined with a notice when it", () => {
  /** Asserts one notice, a working new database, and the old bytes beside it. */
  async function expectMovedAside(path: string, reason: string): Promise<void> {
    const old = readFileSync(path);
    const notices = await visit(path, ({ writer }) => expect(tablesOf(writer)).not.toContain("mark"));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(reason);
    const [aside = ""] = readdirSync(join(path, "..")).filter((name) => name.includes(".broken-"));
    expect(notices[0]).toContain(aside);
    expect(readFileSync(join(path, "..", aside)).equals(old)).toBe(true);
    expect(await visit(path)).toEqual([]);
  }

  test.each([
    ["garbage", Buffer.from("garbage ".repeat(1000))],
    ["a few letters", Buffer.from("letters")],
    ["zeros", Buffer.alloc(8192)],
  ])("is %s", async (_, bytes) => {
    const path = join(temporaryFolder(), "index.db");
    writeFileSync(path, bytes);
    await expectMovedAside(path, "broken");
  });

  test("was truncated", async () => {
    const path = join(temporaryFolder(), "index.db");
    await visit(path, mark);
    truncateSync(path, Math.floor(statSync(path).size / 2));
    await expectMovedAside(path, "broken");
  });

  test("has side files, which are renamed with it", () => {
    const folder = temporaryFolder();
    const path = join(folder, "index.db");
    for (const side of ["", "-wal", "-shm"]) writeFileSync(path + side, `bytes${side}`);
    const first = quarantineFiles(path);
    expect(readdirSync(folder).sort()).toEqual(
      ["", "-shm", "-wal"].map((side) => first.slice(folder.length + 1) + side),
    );
    expect(readFileSync(`${first}-wal`, "utf8")).toBe("bytes-wal");
    writeFileSync(path, "again");
    expect(quarantineFiles(path)).not.toBe(first);
    expect(readFileSync(first, "utf8")).toBe("bytes");
  });
});

describe("a database of a newer pidex", () => {
  test("is left alone, and a separate database beside it is used and kept", async () => {
    const path = join(temporaryFolder(), "index.db");
    await visit(path, (db) => {
      mark(db);
      db.writer.pragma(`user_version = ${newest + 1}`);
    });
    const theirs = readFileSync(path);
    const notices = await visit(path, (db) => {
      expect(db.path).toBe(`${path}.v${newest}`);
      mark(db);
    });
    expect(notices).toEqual([expect.stringContaining("newer")]);
    expect(await visit(path, ({ writer }) => expect(tablesOf(writer)).toContain("mark"))).toEqual([]);
    expect(readFileSync(path).equals(theirs)).toBe(true);
  });

  test("is itself beside the database of an even newer version", async () => {
    const path = join(temporaryFolder(), "index.db");
    await visit(path, ({ writer }) => writer.pragma(`user_version = ${newest + 2}`));
    const newer = await open(path, { migrations: { ...migrations, "9999-later": noMigration } });
    expect(newer.path).toBe(`${path}.v${newest + 1}`);
    expect((await open(path)).path).toBe(`${path}.v${newest}`);
  });
});

test("corruption is distinguished from other errors", () => {
  const error = (code: string) => Object.assign(new Error(code), { code });
  const codes = [
    "SQLITE_CORRUPT",
    "SQLITE_CORRUPT_VTAB",
    "SQLITE_NOTADB",
    "SQLITE_BUSY",
    "SQLITE_FULL",
    "ENOENT",
  ];
  expect(codes.filter((code) => isCorruption(error(code)))).toEqual(codes.slice(0, 3));
  expect(isCorruption("SQLITE_CORRUPT")).toBe(false);
});

test("a database that another process has just created and not yet marked is accepted", async () => {
  const path = join(temporaryFolder(), "index.db");
  const created = new SQLite(path);
  created.pragma("auto_vacuum = INCREMENTAL"); // writes a header, without the application id
  created.close();
  expect(readFileSync(path).readInt32BE(68)).toBe(0);
  const database = await openDatabase({ path, migrations });
  await database.close();
});

test("the database of another program is refused, and its bytes stay", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "theirs.db");
  const theirs = new SQLite(path);
  theirs.exec("CREATE TABLE letter (x); INSERT INTO letter VALUES ('dear'); PRAGMA user_version = 999");
  theirs.close();
  const before = readFileSync(path);
  expect(await failure(openDatabase({ path, migrations }))).toMatchObject({ code: "FOREIGN_DATABASE" });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(folder)).toEqual(["theirs.db"]);
});

test.each(["notes.txt", "session.jsonl"])("%s, passed by mistake, is refused and unchanged", async (name) => {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, '{"type":"session","id":"a"}\n');
  expect(await failure(openDatabase({ path, migrations }))).toMatchObject({ code: "FOREIGN_DATABASE" });
  expect(readFileSync(path, "utf8")).toBe('{"type":"session","id":"a"}\n');
  expect(readdirSync(folder)).toEqual([name]);
});

test("an unwritable folder is DATABASE_UNAVAILABLE, with a hint", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "folder.db"));
  for (const path of ["file/index.db", "folder.db"]) {
    const error = await failure(openDatabase({ path: join(folder, path), migrations }));
    expect(error).toMatchObject({ code: "DATABASE_UNAVAILABLE", hint: expect.stringContaining("PIDEX_DB") });
    expect(error.message).toContain(join(folder, path));
    expect(error.cause).toBeInstanceOf(Error);
  }
});

test("closing closes a reader that was never used", async () => {
  const db = await open(join(temporaryFolder(), "index.db"));
  await db.close();
  expect(db.readerHandle.open).toBe(false);
});

test("closing closes both handles and leaves only the database and the lock files", async () => {
  const folder = temporaryFolder();
  const db = await open(join(folder, "index.db"));
  await query`SELECT * FROM file`.execute(db.reader);
  await db.close();
  expect([db.writer.open, db.readerHandle.open]).toEqual([false, false]);
  expect(readdirSync(folder)).toEqual(["index.db", "index.db.open"]);
});

test("a pipe at the database's path is refused without blocking", async () => {
  const path = join(temporaryFolder(), "index.db");
  execFileSync("mkfifo", [path]);
  expect(await failure(openDatabase({ path, migrations }))).toMatchObject({ code: "FOREIGN_DATABASE" });
});

test("the target of a link is opened, and quarantined beside the target if it is broken", async () => {
  const folder = temporaryFolder();
  const [link, real] = [join(folder, "index.db"), join(folder, "far", "real.db")];
  mkdirSync(join(folder, "far"));
  writeFileSync(real, Buffer.alloc(8192));
  symlinkSync(real, link);
  expect(await visit(link, ({ path }) => expect(path).toBe(real))).toHaveLength(1);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(await visit(link)).toEqual([]);
});
