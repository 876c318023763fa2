import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { readDictionary } from "../../../src/store/postgres/dictionary.ts";
import { comparePlaces } from "../../../src/store/postgres/posting-reads.ts";
import { Runner } from "../../../src/store/postgres/runner.ts";
import { findText } from "../../../src/store/postgres/text-search.ts";
import { sql } from "../../../src/store/sql.ts";
import { toFtsExpression } from "../../../src/store/sqlite/fts-expression.ts";
import type { Phrase, TextExpression } from "../../../src/store/text-expression.ts";
import { prepareQuery } from "../../../src/store/words/prepare-text.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile } from "./ingest.ts";

const WORDS = ["tax", "taxes", "total", "a", "the", "数据", "🎉"];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((all) => all.join(" "));
const sessions = fc.array(fc.array(fc.tuple(fc.boolean(), text, fc.nat(3)), { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 5,
});

const phrase: fc.Arbitrary<Phrase> = fc.record({
  kind: fc.constant("phrase" as const),
  words: fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((all) => prepareQuery(all.join(" "))?.words ?? ""),
  prefix: fc.boolean(),
});
const { expression } = fc.letrec<{ expression: TextExpression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    phrase,
    fc.record({
      kind: fc.constantFrom("all" as const, "any" as const),
      of: fc.array(tie("expression"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("without" as const),
      text: tie("expression"),
      excluded: tie("expression"),
    }),
    fc.record({
      kind: fc.constant("near" as const),
      phrases: fc.array(phrase, { minLength: 2, maxLength: 3 }),
      distance: fc.nat(4),
    }),
  ),
}));

const NEWEST = { from: undefined, before: undefined, newestFirst: true };

test.skipIf(!hasPostgres)(
  "a text is found in the entries in which FTS5 finds it, newest or oldest first",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const client = await pool.connect();
    const db = new Runner(client);
    try {
      await fc.assert(
        fc.asyncProperty(
          sessions,
          fc.array(expression, { minLength: 5, maxLength: 15 }),
          async (all, texts) => {
            const root = temporaryFolder();
            for (const [n, entries] of all.entries()) {
              const built = session({ id: `s${n}`, step: 40_000 });
              for (const [isUser, said] of entries) {
                if (isUser) built.user(said);
                else built.assistant(said);
              }
              built.write(join(root, `${n}.jsonl`));
            }
            const sqlite = await databaseIn(temporaryFolder());
            await syncFolders(sqlite, root);
            const machine = await addMachine(pool);
            for (const name of readdirSync(root)) await ingestFile(pool, machine, join(root, name));
            const { rows: files } = await sql<{ id: number; path: string }>`
          SELECT id, local_path AS path FROM file WHERE shelf = ${machine.shelf}`.execute(db);
            const paths = new Map(files.map(({ id, path }) => [id, path]));
            const dictionary = await readDictionary(db, [machine.shelf], texts);
            for (const text of texts) {
              const { rows } = await sql<{ path: string; line: number }>`
            SELECT file.path, entry.line FROM entry JOIN file ON file.id = entry.file_id WHERE entry.id IN
              (SELECT rowid FROM entry_text WHERE entry_text MATCH ${toFtsExpression(text)})`.execute(
                sqlite.reader,
              );
              for (const newestFirst of [true, false]) {
                const range = { ...NEWEST, shelves: [machine.shelf], newestFirst };
                const found = (await Array.fromAsync(findText(db, text, range, dictionary))).flat();
                const places = found.map(({ file, line }) => `${paths.get(file)}:${line}`);
                expect(places.toSorted()).toEqual(rows.map(({ path, line }) => `${path}:${line}`).sort());
                const inOrder = found.toSorted((a, b) =>
                  newestFirst ? comparePlaces(b, a) : comparePlaces(a, b),
                );
                expect(found).toEqual(inOrder);
              }
            }
          },
        ),
        { numRuns: 25 },
      );
    } finally {
      client.release();
    }
  },
);
