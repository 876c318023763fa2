import { type Kysely, sql } from "kysely";

/**
 * The words of entries, one row an entry under the entry's id. Contentless: the text itself stays in the
 * session files. What goes in was prepared by `src/store/sqlite/words.ts`, which leaves the tokenizer little to do.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE VIRTUAL TABLE entry_text USING fts5 (
      said, thought, called, output,
      content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    )`.execute(db);
}
