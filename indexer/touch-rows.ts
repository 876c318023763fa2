import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { prepareRowIds } from "./row-ids.ts";
import type { Touch } from "./touches.ts";

/** The row of an entry, its file and its time. */
interface TouchingEntry {
  id: number;
  fileId: number;
  timestamp: number | null;
}

/** The statements that write touches. Like everywhere in `rows.ts`, none is a REPLACE or an upsert. */
export function prepareTouches(db: StatementPreparer) {
  const ids = prepareRowIds(db, "path", ["path"]);
  const insertTouch = db.prepare("INSERT INTO touch VALUES (?, ?, ?, ?, ?, ?)");
  const pathsOf = db
    .prepare<[number], number>(
      "SELECT DISTINCT path_id FROM entry CROSS JOIN touch ON touch.entry = entry.id WHERE entry.file_id = ?",
    )
    .pluck();
  const deletePath = db.prepare(
    "DELETE FROM path WHERE id = ? AND NOT EXISTS (SELECT 1 FROM touch WHERE path_id = path.id)",
  );

  return {
    add({ id, fileId, timestamp }: TouchingEntry, touches: readonly Touch[]): void {
      for (const { ordinal, path, action } of touches)
        insertTouch.run(id, ordinal, ids.idOf(path), action, fileId, timestamp);
    },
    /** Call it first in each transaction. */
    forgetIds: ids.forget,
    /** Ids of the paths that the entries of a file touched. Call it before its rows are deleted. */
    pathsOf: (fileId: number): number[] => pathsOf.all(fileId),
    /** Deletes the paths that are not touched any more. */
    deleteUntouched(paths: readonly number[]): void {
      ids.forget();
      for (const id of paths) deletePath.run(id);
    },
  };
}
