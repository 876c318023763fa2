/** Faults in the files beside a database, and in its folder. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
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
import { dirname, join } from "node:path";
import SQLite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Index } from "../../library/index.ts";
import { age } from "../indexer/synced.ts";
import { failure } from "../query/opened-queries.ts";
import { temporaryFolder } from "../temporary.ts";
import { deleteDatabase, type Indexed, open, queryAll, talk, twoSessions } from "./indexed.ts";
import { dumpDatabase, type Json } from "./run-faults.ts";

const ALL = process.env.PIDEX_FAULTS === "all";
const LOG_MB = ALL ? 400 : 2;

const folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
const workspace = twoSessions(folder);
/** The database after a first sync, and after a second sync that is only in the WAL. */
let [first, second, log, shm]: Buffer[] = [];
let truth: unknown;
/**
 * WALs of a database with other sessions, none of which is in the file itself, and of an older database with the same sessions.
 */
const logs: Record<string, Buffer> = {};

/** Syncs, and returns the files while the database is open, as a killed process leaves them. */
async function leftOpen(indexed: Indexed): Promise<[Buffer, Buffer, Buffer]> {
  await using index = await open(indexed);
  await index.sync();
  const files = ["", "-wal", "-shm"].map((side) => readFileSync(indexed.db + side));
  return files as [Buffer, Buffer, Buffer];
}

beforeAll(async () => {
  const other = twoSessions(mkdtempSync(join(folder, "other-")));
  talk("stranger", "2026-02-01T09:00:00.000Z").writeUnder(other.root);
  [, logs["a database of other sessions"]] = await leftOpen(other);
  [, logs["the same sessions in another database"]] = await leftOpen({
    ...workspace,
    db: join(folder, "x", "index.db"),
  });
  [, logs["an older state of the database"]] = await leftOpen(workspace);
  first = readFileSync(workspace.db);
  age(talk("three", "2026-01-07T09:00:00.000Z").writeUnder(workspace.root), 500_000);
  [second, log, shm] = await leftOpen(workspace);
  await using index = await open(workspace);
  truth = await queryAll(index);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the files, opens the index and syncs, and asserts correct results. @returns the notices */
async function expectRight(files: Record<string, Buffer>): Promise<string[]> {
  deleteDatabase(workspace.db);
  for (const [side, bytes] of Object.entries(files)) writeFileSync(workspace.db + side, bytes);
  const notices: string[] = [];
  await using index = await open(workspace, notices);
  await index.sync();
  expect(await queryAll(index)).toEqual(truth);
  await index.close();
  // The WAL of another database may have added rows of other roots, which no query returns here.
  const own = dumpDatabase(workspace.db).session?.filter(({ file_id: path }: Json) =>
    path.startsWith(workspace.root),
  );
  expect(own?.map(({ id }) => id).sort()).toEqual(["one", "three", "two"]);
  return notices;
}

const at = (bytes: Buffer | undefined) => bytes as Buffer;

describe("a WAL", () => {
  test("that is complete is read", async () => {
    expect(at(second).equals(at(first))).toBe(true); // the second sync is only
    expect(await expectRight({ "": at(second), "-wal": at(log), "-shm": at(shm) })).toEqual([]);
  });

  test("that is missing is replaced by reading the sessions again", async () => {
    expect(await expectRight({ "": at(second), "-shm": at(shm) })).toEqual([]);
    expect(await expectRight({ "": at(second) })).toEqual([]);
  });

  test("that is truncated is used up to that point", async () => {
    const [HEAD, FRAME] = [32, 24 + 4096];
    const frames = Math.floor((at(log).length - HEAD) / FRAME);
    expect(frames).toBeGreaterThan(10);
    const cuts = [0, 1, HEAD - 1, HEAD];
    for (let n = 0; n < frames; n++)
      cuts.push(HEAD + n * FRAME + 24, HEAD + n * FRAME + 2_000, HEAD + (n + 1) * FRAME);
    const some = cuts.filter((_, n) => ALL || n < 4 || n % Math.ceil(cuts.length / 6) === 0);
    for (const cut of some) {
      expect(await expectRight({ "": at(second), "-wal": at(log).subarray(0, cut) })).toEqual([]);
    }
  });

  test("with a changed byte is used up to that point", async () => {
    for (let n = 0; n < (ALL ? 200 : 4); n++) {
      const bytes = Buffer.from(at(log));
      const where = Math.floor((bytes.length * n) / (ALL ? 200 : 4)) + 13;
      bytes.writeUInt8(bytes.readUInt8(where) ^ 0x10, where);
      expect(await expectRight({ "": at(second), "-wal": bytes })).toEqual([]);
    }
  });

  test.each([
    "a database of other sessions",
    "the same sessions in another database",
    "an older state of the database",
  ])("of %s does not affect results", async (whose) => {
    await expectRight({ "": at(second), "-wal": at(logs[whose]) });
    await expectRight({ "-wal": at(logs[whose]) });
  });

  test.each<[string, Buffer]>([
    ["garbage", Buffer.alloc(100_000, 0xa5)],
    ["zeros", Buffer.alloc(32_768)],
    ["a few letters", Buffer.from("letters")],
  ])("with %s in its shared-memory file is read anyway", async (_, bytes) => {
    expect(await expectRight({ "": at(second), "-wal": at(log), "-shm": bytes })).toEqual([]);
    expect(await expectRight({ "": at(second), "-wal": bytes })).toEqual([]);
  });

  test(`that is more than ${LOG_MB} MB long is read, and deleted on closing`, async () => {
    const big = twoSessions(temporaryFolder());
    const index = await open(big);
    await index.sync();
    const holder = new SQLite(big.db, { readonly: true });
    holder.exec("BEGIN"); // while a reader is active, the WAL cannot restart
    holder.prepare("SELECT count(*) FROM file").get();
    let files = 0;
    while (statSync(`${big.db}-wal`).size < LOG_MB * 1e6) {
      const long = talk(`long-${files}`, "2026-01-08T09:00:00.000Z");
      for (let n = 0; n < (ALL ? 4_000 : 700); n++) {
        long.user(Array.from({ length: 20 }, (_, word) => `w${(files + 1) * n * 20 + word}`).join(" "));
      }
      long.writeUnder(big.root);
      await index.sync();
      files++;
    }
    const copy = { ...big, db: join(big.folder, "copy", "index.db") };
    mkdirSync(dirname(copy.db));
    for (const side of ["", "-wal"]) copyFileSync(big.db + side, copy.db + side);
    holder.close();
    await index.close();
    expect(existsSync(`${big.db}-wal`)).toBe(false);
    await using again = await open(copy);
    expect(await again.sync()).toMatchObject({ added: 0, appended: 0, reindexed: 0 });
    expect((await again.listAll()).sessions).toHaveLength(2 + files);
  });
});

describe("a database that, while it is open, is", () => {
  /** Opens an index, changes its file, and queries it: before and after a sync. */
  async function whileOpen(act: (indexed: Indexed, index: Index) => unknown): Promise<string[]> {
    const target = twoSessions(temporaryFolder());
    const notices: string[] = [];
    await using index = await open(target, notices);
    await index.sync();
    const before = await queryAll(index);
    await act(target, index);
    expect(await queryAll(index)).toEqual(before);
    await index.sync();
    expect(await queryAll(index)).toEqual(before);
    const again = await open(target);
    await again.sync();
    expect(await queryAll(again)).toEqual(before);
    await again.close();
    return notices;
  }
  const sides = ({ db }: Indexed) => readdirSync(dirname(db)).filter((name) => name.startsWith("index.db"));

  test("deleted with its side files is created again", () =>
    whileOpen((target) => {
      for (const side of sides(target)) rmSync(join(dirname(target.db), side));
    }));

  test("emptied in place is created again", async () => {
    const notices = await whileOpen(({ db }) => truncateSync(db));
    expect(notices).toEqual([expect.stringContaining("was emptied")]);
  });

  test("deleted without its side files is created again", () => whileOpen(({ db }) => rmSync(db)));

  test("deleted with its folder is created again", () =>
    whileOpen(({ db }) => rmSync(dirname(db), { recursive: true })));

  test("replaced by the index of another root is synced to its own", () =>
    whileOpen(async (target) => {
      const other = twoSessions(temporaryFolder());
      talk("stranger", "2026-02-01T09:00:00.000Z").writeUnder(other.root);
      await using index = await open(other);
      await index.sync();
      await index.close();
      for (const side of sides(target)) rmSync(join(dirname(target.db), side));
      renameSync(other.db, target.db);
    }));

  test("replaced by garbage is set aside", async () => {
    const notices = await whileOpen((target) => {
      for (const side of sides(target)) rmSync(join(dirname(target.db), side));
      writeFileSync(target.db, Buffer.alloc(50_000, 0xa5));
    });
    expect(notices.join()).toContain("is damaged");
  });

  test("overwritten in place with zeros is read from memory, or set aside", async () => {
    const notices = await whileOpen(({ db }) => writeFileSync(db, Buffer.alloc(statSync(db).size)));
    expect(notices.filter((notice) => !notice.includes("is damaged"))).toEqual([]);
  });
});

describe("in place of the database,", () => {
  const createWorkspace = () => {
    const target = twoSessions(temporaryFolder());
    mkdirSync(dirname(target.db));
    return target;
  };
  /** Asserts an error with a hint, and that existing files stay. */
  const expectRefused = async (target: Indexed) => {
    const error = await failure(open(target));
    expect(error.code).toMatch(/^(DATABASE_UNAVAILABLE|FOREIGN_DATABASE)$/);
    expect(error.hint).toContain("PIDEX_DB");
  };

  test("there is a folder", async () => {
    const target = createWorkspace();
    mkdirSync(target.db);
    await expectRefused(target);
    expect(statSync(target.db).isDirectory()).toBe(true);
  });

  test.skipIf(process.platform === "win32")("a pipe is refused without waiting", async () => {
    const target = createWorkspace();
    execFileSync("mkfifo", [target.db]);
    await expectRefused(target);
    expect(statSync(target.db).isFIFO()).toBe(true);
  });

  test("a device is refused", () => expectRefused({ ...createWorkspace(), db: "/dev/null" }));

  test("a dangling link leads to where it is created", async () => {
    const target = createWorkspace();
    const other = join(target.folder, "there.db");
    symlinkSync(other, target.db);
    await using index = await open(target);
    await index.sync();
    expect((await index.listAll()).sessions).toHaveLength(2);
    expect([existsSync(other), statSync(other).mode & 0o777]).toEqual([true, 0o600]);
  });

  test("a link into a missing folder leads to where it is created", async () => {
    const target = createWorkspace();
    const other = join(target.folder, "nowhere", "there.db");
    symlinkSync(other, target.db);
    await using index = await open(target);
    await index.sync();
    expect((await index.listAll()).sessions).toHaveLength(2);
    expect(statSync(dirname(other)).mode & 0o777).toBe(0o700);
  });

  test("a link to itself is an error with a hint", async () => {
    const target = createWorkspace();
    symlinkSync("index.db", target.db);
    await expectRefused(target);
  });

  test("a link to a broken database: the target is set aside in its folder", async () => {
    const target = createWorkspace();
    const elsewhere = join(target.folder, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "real.db"), Buffer.alloc(50_000, 0xa5));
    symlinkSync(join(elsewhere, "real.db"), target.db);
    const notices: string[] = [];
    await using index = await open(target, notices);
    await index.sync();
    expect((await index.listAll()).sessions).toHaveLength(2);
    expect(notices).toEqual([expect.stringContaining("is damaged")]);
    const all = [...readdirSync(elsewhere), ...readdirSync(dirname(target.db))];
    expect(all.filter((name) => name.includes(".broken-") && !/-(wal|shm)$/.test(name))).toHaveLength(1);
  });

  test("a linked folder contains it", async () => {
    const target = createWorkspace();
    const elsewhere = join(target.folder, "elsewhere");
    renameSync(dirname(target.db), elsewhere);
    symlinkSync(elsewhere, dirname(target.db));
    await using index = await open(target);
    await index.sync();
    expect((await index.listAll()).sessions).toHaveLength(2);
    expect(existsSync(join(elsewhere, "index.db"))).toBe(true);
  });
});
