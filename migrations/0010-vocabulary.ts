import { type Kysely, sql } from "kysely";

/**
 * Every word that the full-text index has or had, for spelling and other forms of words. FTS5 itself can list its words,
 * but counts the entries of each while it does, and looks into every segment for each: a hundred times slower.
 *
 * A word stays when its last entry goes: that costs a lookup, and never a wrong answer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE vocabulary (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`.execute(db);
}
