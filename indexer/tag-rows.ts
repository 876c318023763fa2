import { foldTag } from "../src/session/tags.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";

/** The statements that read and write the tags of sessions. */
export function prepareTags(db: StatementPreparer) {
  const select = db
    .prepare<[number], string>("SELECT tag FROM tag WHERE file_id = ? ORDER BY ordinal")
    .pluck();
  const clear = db.prepare("DELETE FROM tag WHERE file_id = ?");
  const insert = db.prepare("INSERT INTO tag (file_id, ordinal, tag, folded) VALUES (?, ?, ?, ?)");
  return {
    of: (fileId: number): string[] => select.all(fileId),
    /** Sets a session's tags. Does nothing if they are unchanged. */
    save(fileId: number, tags: readonly string[]): void {
      const known = select.all(fileId);
      if (known.length === tags.length && known.every((tag, n) => tag === tags[n])) return;
      clear.run(fileId);
      tags.forEach((tag, n) => {
        insert.run(fileId, n, tag, foldTag(tag));
      });
    },
  };
}
