import { type Kysely, sql } from "kysely";

/**
 * Which database this is: a random text, another in each that is begun. The numbers of rows mean nothing in another one,
 * and a rebuild puts all pages of another under the handles that are open: who keeps numbers between two statements
 * looks here whether they still are what they were.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE generation (id TEXT NOT NULL) STRICT`.execute(db);
  await sql`INSERT INTO generation VALUES (lower(hex(randomblob(6))))`.execute(db);
}
