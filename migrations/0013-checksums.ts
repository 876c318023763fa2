import { type Kysely, sql } from "kysely";

/**
 * Checksums of all blocks before the cursor take the place of a hash of the first and last bytes, which did not notice
 * an edit in between when the file also grew. They can only be made by reading a file: until then an empty text makes
 * the next change of a file read it from the start.
 *
 * Of large files a sync compares some blocks: `check_from` is the next one, `unchecked` how many are left since the file
 * last changed, `unchecked_since` how long some have waited, in Unix milliseconds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE file RENAME COLUMN prefix_hash TO checksums`.execute(db);
  await sql`UPDATE file SET checksums = ''`.execute(db);
  await sql`ALTER TABLE file ADD COLUMN check_from INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`ALTER TABLE file ADD COLUMN unchecked INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`ALTER TABLE file ADD COLUMN unchecked_since INTEGER`.execute(db);
}
