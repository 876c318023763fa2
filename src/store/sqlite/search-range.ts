import type { EntryCondition, HitConditions } from "../conditions.ts";
import type { Position, PositionRange } from "../position.ts";
import { sql } from "../sql.ts";
import { toEntrySql, toNonTextSql } from "./entry-conditions.ts";
import { findRowsOfFiles, type RowRange, toRowRange } from "./hits.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import { allOf, toSessionSql } from "./session-conditions.ts";

/** Maximum number of files by which a range of entries is narrowed; many sessions span the whole index. */
const MAX_FILES = 300;

/** The range of the entries of sessions that satisfy the conditions on sessions; undefined if no entry satisfies all conditions. */
export async function findRange(
  db: Reader,
  scope: Scope,
  conditions: Pick<HitConditions, "session" | "entry">,
  before: Position,
): Promise<PositionRange | undefined> {
  const all: PositionRange = { from: undefined, before };
  const isSession = allOf([
    inScope(scope),
    toSessionSql(conditions.session),
    ...conditions.entry.filter(isOfSession).map(toEntrySql),
  ]);
  const { rows: files } = await sql<{ id: number }>`
    SELECT file.id FROM file JOIN session ON session.file_id = file.id
      JOIN entry ON entry.id = (SELECT min(first.id) FROM entry AS first WHERE first.file_id = file.id)
    WHERE ${isSession} LIMIT ${sql.lit(MAX_FILES + 1)}`.execute(db);
  if (files.length === 0) return undefined;
  const isWhole = files.length > MAX_FILES;
  const range: RowRange = isWhole
    ? toRowRange(all)
    : await findRowsOfFiles(
        db,
        files.map(({ id }) => id),
        all,
      );
  const { rows: some } = await sql`
    SELECT 1 FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE ${allOf([inScope(scope), ...toNonTextSql(conditions)])}
      AND entry.id BETWEEN ${range.first} AND ${range.last} LIMIT 1`.execute(db);
  if (some.length === 0) return undefined;
  return isWhole ? all : { from: range.first, before: range.last + 1 };
}

/** Whether a condition is the same for all entries of a session. */
function isOfSession(condition: EntryCondition): boolean {
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.of.every(isOfSession);
    case "not":
      return isOfSession(condition.of);
    default:
      return condition.kind === "session" || condition.kind === "file";
  }
}
