import { type Kysely, sql } from "kysely";

/**
 * Whether words of entries that are gone may still be in the full-text index: 0 no; 1 yes; 2 yes, and the merge that drops
 * them has begun; 3 as 2, and more entries went since. FTS5 only marks entries of a contentless table as deleted, and keeps their words until it merges.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE generation ADD COLUMN unerased INTEGER NOT NULL DEFAULT 0`.execute(db);
}
