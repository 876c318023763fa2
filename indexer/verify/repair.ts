import { PidexError } from "../../src/errors.ts";
import { UNFINISHED } from "../../src/store/sqlite/extraction.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { identityOf, ReplacedDatabase } from "../../src/store/sqlite/replaced.ts";
import { takeTurn } from "../../src/store/sqlite/turn.ts";
import type { PlacedFile } from "../discover.ts";
import { prepareRows } from "../rows.ts";
import { syncFiles } from "../sync.ts";
import { dropLooseRows } from "./whole-index.ts";

/** Deletes rows that belong to nothing. @throws as `inTurn` */
export function repairWhole(db: Database, signal?: AbortSignal): Promise<void> {
  return inTurn(db, signal, () => dropLooseRows(db.writer));
}

/**
 * Has files indexed from their first byte on, whatever their rows say. Their rows are marked as of no extraction, so that
 * the next sync does it where this is stopped before.
 *
 * @throws as `inTurn`
 */
export async function indexAgain(
  db: Database,
  files: readonly PlacedFile[],
  signal?: AbortSignal,
): Promise<void> {
  const rows = prepareRows(db.writer);
  await inTurn(db, signal, () => {
    // By their paths, and only now: what was compared may be another database than this one, with other numbers.
    for (const { path } of files) {
      const row = rows.file(path);
      if (row) rows.saveFile({ ...row, extraction: UNFINISHED });
    }
  });
  await catchUpWith(db, files, signal);
}

/**
 * Syncs files, however long it takes until that may be done.
 *
 * @throws the signal's reason when aborted; PidexError `DATABASE_BUSY` where a program that knows of no turns locks it
 */
export async function catchUpWith(
  db: Database,
  files: readonly PlacedFile[],
  signal?: AbortSignal,
): Promise<void> {
  const { busy } = await syncFiles(db, files, {
    patienceMs: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  });
  if (busy) throw writtenByOthers(db);
}

/** @throws ReplacedDatabase where another database lies at the path of this one: whoever opened it begins again */
export function throwIfReplaced(db: Database): void {
  if (identityOf(db.path) !== db.identity) throw new ReplacedDatabase();
}

/** What there is to say where a turn was given, and the database is locked all the same. */
export function writtenByOthers({ path }: Database): PidexError {
  return new PidexError("DATABASE_BUSY", `another program writes to ${path}`, "Try again when it is done.");
}

/**
 * Writes in one transaction, while nobody else syncs: it waits for them. What syncs takes the turn itself, and must not
 * be called by `write`.
 *
 * @throws the signal's reason when aborted; SQLite's error when the database fails
 */
async function inTurn(db: Database, signal: AbortSignal | undefined, write: () => void): Promise<void> {
  const turn = await takeTurn(db.path, "sync", { patienceMs: Number.POSITIVE_INFINITY, signal });
  try {
    throwIfReplaced(db);
    prepareRows(db.writer).transaction(write);
  } finally {
    turn?.release();
  }
}
