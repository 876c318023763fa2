/** Read-only folders in which a killed process left a write-ahead log. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import SQLite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnose } from "../../library/index.ts";
import { age } from "../indexer/synced.ts";
import { type Indexed, open, talk, twoSessions } from "./indexed.ts";
import { asOrdinaryUser } from "./machine.ts";

/** Offset of the first frame in a WAL, and size of a frame: a header of 24 bytes and a page. */
const [LOG_HEADER, FRAME] = [32, 24 + 4096];

const folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
const workspace = twoSessions(folder);
/** A read-only folder with a database that is half in the WAL. */
let place: Indexed;
/** The same, after a checkpoint that was killed when it had copied some pages of the WAL. */
let torn: Indexed;

const notWritable = async (name: string, files: (db: string) => void): Promise<Indexed> => {
  const db = join(folder, name, "index.db");
  mkdirSync(dirname(db));
  files(db);
  chmodSync(dirname(db), 0o555);
  for (const each of readdirSync(dirname(db))) chmodSync(join(dirname(db), each), 0o444);
  return { ...workspace, db };
};

beforeAll(async () => {
  chmodSync(folder, 0o755);
  const first = await open(workspace);
  await first.sync();
  await first.close();
  for (let n = 0; n < 20; n++)
    age(talk(`later-${n}`, `2026-02-${10 + n}T09:00:00.000Z`).writeUnder(workspace.root));
  const second = await open(workspace);
  await second.sync();
  place = await notWritable("place", (db) => {
    for (const side of ["", "-wal"]) copyFileSync(workspace.db + side, db + side);
  });
  torn = await notWritable("torn", (db) => {
    copyFileSync(`${workspace.db}-wal`, `${db}-wal`);
    copyFileSync(workspace.db, db);
    killedInCheckpoint(db);
  });
  await second.close();
}, 60_000);
afterAll(() => {
  for (const name of ["place", "torn"]) chmodSync(join(folder, name), 0o755);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the pages of every second WAL frame to the database, like an interrupted checkpoint. */
function killedInCheckpoint(db: string): void {
  const [bytes, log] = [readFileSync(db), readFileSync(`${db}-wal`)];
  const frames = Math.floor((log.length - LOG_HEADER) / FRAME);
  for (let n = 0; n < frames; n += 2) {
    const at = LOG_HEADER + n * FRAME;
    const page = log.readUInt32BE(at);
    if (page * 4096 <= bytes.length) log.copy(bytes, (page - 1) * 4096, at + 24, at + FRAME);
  }
  writeFileSync(db, bytes);
  const handle = new SQLite(bytes, { readonly: true });
  expect(handle.memory).toBe(true);
  handle.close();
}

describe("in a read-only folder where a killed process left a WAL,", () => {
  test("all sessions in the WAL are found", () =>
    asOrdinaryUser(async () => {
      await using index = await open(place);
      expect((await index.listAll({ limit: 100 })).sessions).toHaveLength(22);
      expect((await index.search("needle")).sessionCount).toBe(22);
    }));

  test("a database with an interrupted checkpoint is complete", () =>
    asOrdinaryUser(async () => {
      const notices: string[] = [];
      await using index = await open(torn, notices);
      expect((await index.listAll({ limit: 100 })).sessions).toHaveLength(22);
      expect((await index.search("needle")).sessionCount).toBe(22);
      expect(notices).toEqual([]);
    }));

  test.each([
    ["place", () => place],
    ["torn", () => torn],
  ])("doctor reports the database of %s as current", (_, at) =>
    asOrdinaryUser(async () => {
      const { database, freshness, findings } = await diagnose({ db: at().db, roots: [workspace.root] });
      expect([database.state, database.check]).toEqual(["current", "ok"]);
      expect(freshness).toMatchObject({ new: 0, gone: 0 });
      expect(findings.map(({ code }) => code)).not.toContain("database-broken");
    }),
  );

  test("no temporary files are left", () =>
    asOrdinaryUser(async () => {
      const before = readdirSync(tmpdir()).filter((name) => /^pidex-\w{6}$/.test(name));
      const index = await open(place);
      await index.listAll();
      await diagnose({ db: place.db, roots: [workspace.root] });
      const after = readdirSync(tmpdir()).filter((name) => /^pidex-\w{6}$/.test(name));
      await index.close();
      expect(after).toEqual(before);
    }));
});
