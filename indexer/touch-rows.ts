import type { Preparer } from "../src/store/sqlite/statements.ts";
import type { Touch } from "./touches.ts";

/** So many ids of paths are remembered: a session names the same few again and again. */
const REMEMBERED = 10_000;

/** The statements that write which files entries touched. Like all of `rows.ts`, none is a REPLACE or an upsert. */
export function prepareTouches(db: Preparer) {
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
    if (ids.size >= REMEMBERED) ids.clear();
    ids.set(path, id);
    return id;
  }

  return {
    add(entry: number, touches: readonly Touch[]): void {
      for (const { ordinal, path, action } of touches) insertTouch.run(entry, ordinal, idOf(path), action);
    },
    /** To be called when a transaction begins: the last may have been rolled back, and others delete paths. */
    forgetIds: () => ids.clear(),
    /** The paths the entries of a file touched, to be asked for before its rows go. */
    pathsOf: (fileId: number): number[] => pathsOf.all(fileId),
    /** Deletes those paths that nothing touches any more. */
    deleteUntouched(paths: readonly number[]): void {
      ids.clear();
      for (const id of paths) deletePath.run(id);
    },
  };
}
