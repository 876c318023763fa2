import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import type { Touch } from "./touches.ts";

/** Number of cached path ids: a session touches the same few paths repeatedly. */
const PATH_CACHE_SIZE = 10_000;

/** The statements that write touches. Like everywhere in `rows.ts`, none is a REPLACE or an upsert. */
export function prepareTouches(db: StatementPreparer) {
  const selectPath = db.prepare<[string], number>("SELECT id FROM path WHERE path = ?").pluck();
  const insertPath = db.prepare("INSERT INTO path (path) VALUES (?)");
  const insertTouch = db.prepare("INSERT INTO touch VALUES (?, ?, ?, ?)");
  const pathsOf = db
    .prepare<[number], number>(
      "SELECT DISTINCT path_id FROM entry CROSS JOIN touch ON touch.entry = entry.id WHERE file_id = ?",
    )
    .pluck();
  const deletePath = db.prepare(
    "DELETE FROM path WHERE id = ? AND NOT EXISTS (SELECT 1 FROM touch WHERE path_id = path.id)",
  );
  const ids = new Map<string, number>();

  function idOf(path: string): number {
    let id = ids.get(path) ?? selectPath.get(path);
    id ??= Number(insertPath.run(path).lastInsertRowid);
    if (ids.size >= PATH_CACHE_SIZE) ids.clear();
    ids.set(path, id);
    return id;
  }

  return {
    add(entry: number, touches: readonly Touch[]): void {
      for (const { ordinal, path, action } of touches) insertTouch.run(entry, ordinal, idOf(path), action);
    },
    /** Call it first in each transaction: the last one may have been rolled back, and other processes delete paths. */
    forgetIds: () => ids.clear(),
    /** Ids of the paths that the entries of a file touched. Call it before its rows are deleted. */
    pathsOf: (fileId: number): number[] => pathsOf.all(fileId),
    /** Deletes the paths that are not touched any more. */
    deleteUntouched(paths: readonly number[]): void {
      ids.clear();
      for (const id of paths) deletePath.run(id);
    },
  };
}
