import { existsSync, renameSync } from "node:fs";
import type SQLite from "better-sqlite3";
import { PidexError, systemCode } from "../../errors.ts";
import { identityOf } from "../../file-identity.ts";
import { ReplacedDatabase } from "./replaced.ts";
import { takeTurn } from "./turn.ts";
import { unavailable } from "./unavailable.ts";

/** What SQLite says of tables that are not those that our migrations made, or not as FTS5 left them. */
const NOT_OUR_TABLES = /^no such (table|column)|invalid fts5 file format|vtable constructor failed/;

/** True when SQLite says that the database file itself is broken. */
export function isCorruption(error: unknown): boolean {
  const code = systemCode(error) ?? "";
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return true;
  return code === "SQLITE_ERROR" && NOT_OUR_TABLES.test((error as Error).message);
}

/**
 * Whether a database is broken that made something fail which should not. Rows that cannot be are often all that tells of
 * damage, since pages have no checksums. Looks at all of it, so only to be asked where something went wrong.
 */
export function isDamaged(db: SQLite.Database, error: unknown): boolean {
  if (isCorruption(error)) return true;
  const isUnexplained = error instanceof Error && !(error instanceof PidexError) && !isKnownTrouble(error);
  if (!isUnexplained) return false;
  try {
    return db.pragma("integrity_check(1)", { simple: true }) !== "ok";
  } catch (damage) {
    return isCorruption(damage);
  }
}

/** What happens to whole databases too: the system's errors, SQLite's own of any other kind, a signal's reason. */
function isKnownTrouble(error: Error): boolean {
  const code = systemCode(error);
  return (
    (code !== undefined && code !== "SQLITE_ERROR") ||
    error.name === "AbortError" ||
    error instanceof ReplacedDatabase
  );
}

/** A database that was found broken: where it lies, and which file it is. */
interface Broken {
  path: string;
  identity: string;
}

/**
 * Moves a broken database out of the way, while nobody opens one there, who would find the old one's log beside a new
 * file. Where another process was faster, it is done already. Who has it open goes on with it, and sees that it moved.
 *
 * @returns where it lies now, or undefined when another did it
 * @throws PidexError `DATABASE_BUSY` when somebody opens it for longer than `patienceMs`, `DATABASE_UNAVAILABLE`
 */
export async function putAside({ path, identity }: Broken, patienceMs: number): Promise<string | undefined> {
  const turn = await takeTurn(path, "replace", { patienceMs });
  if (!turn) {
    const hint = "Try again in a moment, or end the other pidex processes.";
    throw new PidexError("DATABASE_BUSY", `${path} is broken, and another pidex is using it`, hint);
  }
  try {
    return identityOf(path) === identity ? moveAside(path) : undefined;
  } catch (error) {
    throw unavailable(path, error);
  } finally {
    turn.release();
  }
}

/** Moves a database and its side files to a free name beside it, and says which. */
export function moveAside(path: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  let aside = `${path}.broken-${stamp}`;
  for (let n = 2; existsSync(aside); n++) aside = `${path}.broken-${stamp}-${n}`;
  // The log first: without it the database is as it was a while ago; a new one must not find it.
  for (const side of ["-wal", "-shm", ""]) {
    if (existsSync(path + side)) renameSync(path + side, aside + side);
  }
  return aside;
}
