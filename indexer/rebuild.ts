import { existsSync, rmSync } from "node:fs";
import { PidexError } from "../src/errors.ts";
import { identityOf } from "../src/file-identity.ts";
import { isAtOrBelow } from "../src/path-bytes.ts";
import { isInRoot } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import { ReplacedDatabase } from "../src/store/sqlite/replaced.ts";
import { LOCK_FILES, takeTurn } from "../src/store/sqlite/turn.ts";
import { discoverFile, discoverInTurns, type Found } from "./discover.ts";
import type { SyncReport, SyncTask } from "./report.ts";
import { prepareRows } from "./rows.ts";
import { catchUp } from "./sync.ts";

/** Pages that are copied at once: 20 MB, so that others get a turn, and Ctrl+C is heard. */
const PAGES_A_TURN = 5_000;

export interface RebuildOptions extends SyncTask {
  /** Opens the database that is built beside. */
  open: (path: string) => Promise<Database>;
}

/**
 * Builds a fresh index beside the database and copies it over in one transaction: readers see the old rows until they see
 * the new ones, through the handles they have. Other syncs wait, or report that they are behind.
 *
 * @throws as `withFreshIndex`: then the database is as it was
 */
export function rebuild(db: Database, options: RebuildOptions): Promise<SyncReport> {
  return withFreshIndex(db, options, async (fresh, report) => {
    throwIfReplaced(db);
    await copyOver(fresh, db.path, options.signal);
    return report;
  });
}

/**
 * Builds a fresh index beside the database, and deletes it after its use. Nothing else syncs the database until then.
 * Files of other roots that the database knows are read too.
 *
 * @throws the signal's reason when aborted, PidexError `FILE_UNREADABLE` for a folder that cannot be listed, and what
 * `sync` throws
 */
export async function withFreshIndex<T>(
  db: Database,
  { roots, open, ...control }: RebuildOptions,
  use: (fresh: Database, report: SyncReport) => Promise<T>,
): Promise<T> {
  const { signal, patienceMs = Number.POSITIVE_INFINITY } = control;
  const turn = await takeTurn(db.path, "sync", { patienceMs, signal });
  if (!turn) throw new PidexError("DATABASE_BUSY", "another pidex is indexing", "Try again when it is done.");
  const beside = `${db.path}.rebuild`;
  try {
    remove(beside); // what a rebuild that was killed has left: nobody else is at it, as this has the turn
    const fresh = await open(beside);
    try {
      const found = await discoverInTurns(roots, signal);
      const known = prepareRows(db.writer).filesBelow("");
      for (const unseen of found.unlisted) {
        if (known.some(({ path }) => isAtOrBelow(path, unseen.path))) throw unlookedAt(unseen);
      }
      const elsewhere = known.filter(({ path }) => !roots.some((root) => isInRoot(path, root)));
      const unknown = new RealRoots([]); // of links there, nobody can say that they stay in their root
      for (const { path, subagent } of elsewhere) {
        const outside = unknown.isOutside(path) || undefined;
        discoverFile({ path, subagent: subagent ? 1 : 0, outside }, found);
      }
      const report = await catchUp(fresh, { known: new Map(), unchanged: [], found }, control);
      return await use(fresh, report);
    } finally {
      await fresh.close();
    }
  } finally {
    remove(beside);
    turn.release();
  }
}

/** The error where the lock for syncs is held, and the database is locked all the same. */
export function writtenByOthers(path: string): PidexError {
  return new PidexError("DATABASE_BUSY", `another program writes to ${path}`, "Try again when it is done.");
}

/** What cannot be looked at now may be there: a sync leaves its rows alone, a new index would not have them. */
function unlookedAt({ path, error }: Found["unlisted"][number]): PidexError {
  const hint = "Make it readable, or leave its root out: a new index would forget what is below it.";
  return new PidexError("FILE_UNREADABLE", `${path} could not be looked into: ${error}`, hint, {
    cause: error,
  });
}

/** @throws ReplacedDatabase when another database lies at the path of this one: it has to be opened again */
export function throwIfReplaced(db: Database): void {
  if (identityOf(db.path) !== db.identity) throw new ReplacedDatabase();
}

/** Replaces the content of a database by that of a fresh one, in one transaction. */
export async function copyOver(
  fresh: Database,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  fresh.writer.pragma("wal_checkpoint(TRUNCATE)");
  const { totalPages } = await fresh.writer.backup(path, {
    progress: () => {
      signal?.throwIfAborted(); // half a copy is rolled back
      return PAGES_A_TURN;
    },
  });
  // Where another program has the database locked, SQLite copies nothing, and better-sqlite3 takes that for the end.
  if (totalPages === 0) throw writtenByOthers(path);
}

function remove(path: string): void {
  for (const side of ["", "-wal", "-shm", ...LOCK_FILES]) {
    if (existsSync(path + side)) rmSync(path + side);
  }
}
