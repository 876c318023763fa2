/** How long searches take with ten times the sessions, relative to those that were pushed. */
import type { Pool } from "pg";
import type { Server } from "../../fixtures/postgres-server.ts";
import type { HitConditions } from "../../src/store/conditions.ts";
import { connect } from "../../src/store/postgres/connect.ts";
import { LAST_POSITION } from "../../src/store/postgres/positions.ts";
import { withPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";
import { type TextExpression, toPhrase } from "../../src/store/text-expression.ts";
import { median, p95 } from "../distribution.ts";

const TIMES = 10;
const QUERIES_PER_CLASS = 20;
const WINDOW = 1_000;
const ROUNDS = 5;
const EVERYTHING = { from: undefined, before: LAST_POSITION };
/** What a search reads. */
const TABLES = ["file", "session", "current_range", "entry", "posting"];

/** Texts that each hit contains. */
type Query = readonly TextExpression[];

interface QueryClass {
  name: string;
  queries: Query[];
}

/**
 * Copies the database of a hub that has stopped, multiplies the sessions in the copy, and times the first window of each query in both,
 * as a reader, in turn. The history becomes ten times as long: copies are older, and each day has as many entries as before.
 */
export async function measureGrowth(server: Server): Promise<void> {
  const once = connect(server.urlOf("postgres"), { max: 1 });
  const many = connect(server.urlOf("tenfold"), { max: 1 });
  try {
    for (const table of TABLES) await once.query(`REINDEX TABLE ${table}`); // those of the copy will be new, too
    await once.query(`VACUUM ANALYZE ${TABLES.join()}`);
    const { classes, uncopied } = await chooseQueries(once);
    await once.query("CREATE DATABASE tenfold TEMPLATE postgres");
    await multiply(many, uncopied);
    for (const { name, queries } of classes) {
      const hits = [await countHits(once, queries), await countHits(many, queries)];
      const [before, after]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        for (const query of queries) {
          before.push(await time(once, query));
          after.push(await time(many, query));
        }
      }
      const ratio = (of: (ms: readonly number[]) => number) => (of(after) / of(before)).toFixed(1);
      const format = (ms: readonly number[]) => `${median(ms).toFixed(2)}/${p95(ms).toFixed(2)} ms`;
      console.log(`growth, ${name} (${queries.length} queries, ${hits.map((of) => Math.round(median(of))).join(" → ")} hits): p50/p95 ${format(before)}
  ${TIMES} x the sessions: ${format(after)}; ${ratio(median)} x p50, ${ratio(p95)} x p95`);
    }
  } finally {
    await Promise.all([once.end(), many.end()]);
  }
}

/** Chooses queries by the number of entries that contain their words. @returns `uncopied`: words to leave out of the copies */
async function chooseQueries(pool: Pool): Promise<{ classes: QueryClass[]; uncopied: string[] }> {
  const { rows } = await pool.query<{ word: string; entries: number }>(
    "SELECT word, sum(lines)::integer AS entries FROM posting GROUP BY word ORDER BY entries DESC, word",
  );
  const { rows: counted } = await pool.query("SELECT count(*)::integer AS entries FROM entry");
  const words = rows.filter(({ word }) => /^[a-z]{4,}$/.test(word));
  const around = (entries: number, count: number) =>
    words
      .toSorted((a, b) => Math.abs(Math.log(a.entries / entries)) - Math.abs(Math.log(b.entries / entries)))
      .slice(0, count)
      .map(({ word }) => word);
  const rare = around(1, 2 * QUERIES_PER_CLASS);
  const thousand = around(1_000, 2 * QUERIES_PER_CLASS);
  const common = words.slice(0, QUERIES_PER_CLASS).map(({ word }) => word);
  const frequent = around(counted[0].entries / 40, 2 * QUERIES_PER_CLASS);
  const chinese = rows.filter(({ word }) => /^\p{Script=Han}{2}$/u.test(word)).map(({ word }) => word);
  const [copied, uncopied] = [isEven, isOdd];
  const toWord = (word: string): Query => [toPhrase(word, false)];
  const phrases = [...toPairs(common), ...toPairs(frequent)].map((pair) => toWord(pair.join(" ")));
  const found = await countHits(pool, phrases);
  const prefixes = new Set(frequent.map((word) => word.slice(0, 4)));
  const classes = [
    { name: "a rare word", queries: rare.filter(copied).map(toWord) },
    { name: "a rare word that is not copied", queries: rare.filter(uncopied).map(toWord) },
    { name: "about 1,000 hits", queries: thousand.filter(copied).map(toWord) },
    { name: "about 1,000 hits that are not copied", queries: thousand.filter(uncopied).map(toWord) },
    { name: "the most common words", queries: common.map(toWord) },
    { name: "two words", queries: toPairs(frequent).map((pair) => pair.flatMap(toWord)) },
    { name: "a phrase", queries: phrases.filter((_, n) => (found[n] as number) > 0) },
    { name: "a prefix", queries: [...prefixes].map((letters): Query => [toPhrase(letters, true)]) },
    { name: "two Chinese characters", queries: chinese.map(toWord) },
  ].map(({ name, queries }) => ({ name, queries: queries.slice(0, QUERIES_PER_CLASS) }));
  return { classes, uncopied: [...rare, ...thousand].filter(uncopied) };
}

const isEven = (_: unknown, n: number) => n % 2 === 0;
const isOdd = (_: unknown, n: number) => n % 2 === 1;

function toPairs(words: readonly string[]): [string, string][] {
  return words.filter(isEven).map((word, n) => [word, words[2 * n + 1] as string]);
}

/** Adds nine older copies of each session, under other ids. */
async function multiply(pool: Pool, uncopied: readonly string[]): Promise<void> {
  const { rows } = await pool.query(
    "SELECT max(file_id) AS files, max(day) - min(day) + 1 AS days FROM entry WHERE day > 0",
  );
  const { files, days } = rows[0] as { files: number; days: number };
  const toCopied = (table: string, column: string, copy: number) => {
    if (column === "file_id" || (column === "id" && table === "file")) return `${column} + ${copy * files}`;
    if (column === "day") return `day - ${copy * days}`;
    if (["timestamp", "created", "last_message", "modified"].includes(column))
      return `${column} - ${copy * days}::bigint * 86400000`;
    return column === "id" || column.endsWith("path") ? `${column} || '.${copy}'` : column;
  };
  await pool.query("SET maintenance_work_mem = '1GB'");
  for (const table of TABLES) {
    const { rows: indexes } = await pool.query<{ drop: string; create: string }>(DEFINITIONS, [table]);
    for (const { drop } of indexes) await pool.query(drop);
    await pool.query(`ALTER TABLE ${table} SET UNLOGGED`);
    const { rows: columns } = await pool.query<{ name: string }>(
      "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum",
      [table],
    );
    const names = columns.map(({ name }) => name);
    const id = names.includes("file_id") ? "file_id" : "id";
    const isCopied =
      table === "posting" ? `AND word NOT IN (${uncopied.map((word) => `'${word}'`).join()})` : "";
    for (let copy = TIMES - 1; copy > 0; copy--) {
      await pool.query(`INSERT INTO ${table} (${names.join()}) OVERRIDING SYSTEM VALUE
        SELECT ${names.map((name) => toCopied(table, name, copy)).join()} FROM ${table} WHERE ${id} <= ${files} ${isCopied}`);
    }
    for (const { create } of indexes) await pool.query(create);
  }
  await pool.query(`VACUUM ANALYZE ${TABLES.join()}`);
}

/** Statements that delete the indexes of a table and create them again. */
const DEFINITIONS = `
  SELECT CASE WHEN conname IS NULL THEN format('DROP INDEX %s', indexrelid::regclass) ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', indrelid::regclass, conname) END AS drop,
    CASE WHEN conname IS NULL THEN pg_get_indexdef(indexrelid) ELSE format('ALTER TABLE %s ADD %s', indrelid::regclass, pg_get_constraintdef(pg_constraint.oid)) END AS create
  FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid WHERE indrelid = $1::regclass`;

/** Runs reads as a reader of all shelves. */
async function read<T>(pool: Pool, reads: (search: SearchReads) => Promise<T>): Promise<T> {
  const { rows } = await pool.query<{ id: number }>("SELECT id FROM shelf");
  return withPostgresStore(
    pool,
    rows.map(({ id }) => id),
    async (store) => reads(await store.search()),
  );
}

function countHits(pool: Pool, queries: readonly Query[]): Promise<number[]> {
  return read(pool, async (search) => {
    const counts: number[] = [];
    for (const texts of queries) {
      counts.push((await search.findPositions({ kind: "all", of: texts }, EVERYTHING)).length);
    }
    return counts;
  });
}

/** Milliseconds that the newest hits take, in a transaction of their own: what a store has read is not read again. */
function time(pool: Pool, texts: Query): Promise<number> {
  const conditions: HitConditions = {
    ...{ texts, scored: texts, excluded: [], entry: [] },
    session: { kind: "not", of: { kind: "flag", flag: "subagent", value: true } }, // as searches have it
  };
  return read(pool, async (search) => {
    const startedAt = performance.now();
    await search.findHits(conditions, { within: EVERYTHING, size: WINDOW, from: "newest" });
    return performance.now() - startedAt;
  });
}
