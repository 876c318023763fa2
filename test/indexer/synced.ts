import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";

export const isRoot = process.getuid?.() === 0;
/** The program of a separate process that syncs. */
export const CHILD = join(import.meta.dirname, "sync-child.ts");

/** Gives a file an old mtime. */
export function age(path: string, seconds = 1_000_000): string {
  const time = Date.now() / 1000 - seconds + 0.123;
  utimesSync(path, time, time);
  return path;
}

/** A session with one question and one response. */
export const talk = (options: Parameters<typeof session>[0] = {}): Session =>
  session(options).user("Is it whole?").assistant("It is.");

/** A root with three old sessions, and a synced database. */
export async function indexed() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const sessions = ["one", "two", "three"].map((id) => talk({ id }));
  const paths = sessions.map((session) => age(session.writeUnder(root)));
  const db = await databaseIn(folder);
  const report = await syncFolders(db, root);
  const expectRebuilt = async (roots: string | string[] = root) =>
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), roots));
  return { folder, root, sessions, paths, path: paths[0] as string, db, report, expectRebuilt };
}

/** The change counts of a report without changes. */
export const NO_CHANGES = { added: 0, appended: 0, reindexed: 0, moved: 0, forgotten: 0, faulty: 0 };
export const countOf = (db: Database, table: string): number =>
  db.writer.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
export const pathsIn = (db: Database): string[] =>
  db.writer.prepare("SELECT path FROM file ORDER BY path").pluck().all() as string[];
export const problemsOf = (db: Database, path: string) =>
  db.writer
    .prepare("SELECT code FROM problem JOIN file ON file.id = file_id WHERE path = ?")
    .pluck()
    .all(path);

/** Writes more sessions than one transaction has. */
export function manySessions(root: string): string[] {
  mkdirSync(root, { recursive: true });
  return Array.from({ length: 1_002 }, (_, n) => {
    const path = join(root, `${n}.jsonl`);
    session({ id: `${n}` })
      .user(`Number ${n}`)
      .write(path);
    return age(path, 1_000_000 - n);
  });
}
