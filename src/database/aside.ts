import { existsSync, renameSync, statSync } from "node:fs";
import { PidexError, systemCode } from "../errors.ts";
import { takeTurn } from "./turn.ts";

/** True when SQLite says that the database file itself is broken. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? "");
}

/** Which file a path leads to: device and inode. Undefined when to none. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** A database that was found broken: where it lies, and which file it is. */
interface Broken {
  path: string;
  identity: string;
}

/**
 * Moves a broken database out of the way, while nobody opens or syncs one there: who opened a new one meanwhile would
 * find the old one's log beside it. Where another process was faster, it is done already.
 *
 * @returns where it lies now, or undefined when another did it
 * @throws PidexError `DATABASE_BUSY` when somebody keeps it for longer than `patienceMs`
 */
export async function putAside({ path, identity }: Broken, patienceMs: number): Promise<string | undefined> {
  const turn = await takeTurn(path, "replace", { patienceMs });
  if (!turn) {
    const hint = "Try again in a moment, or end the other pidex processes.";
    throw new PidexError("DATABASE_BUSY", `${path} is broken, and another pidex is using it`, hint);
  }
  try {
    return identityOf(path) === identity ? moveAside(path) : undefined;
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
