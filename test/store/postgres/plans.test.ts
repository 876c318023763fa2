import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { forgetFile } from "../../../src/store/postgres/files.ts";
import { encodePosition, LAST_POSITION } from "../../../src/store/postgres/positions.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import type { Statement } from "../../../src/store/sql.ts";
import type { Store } from "../../../src/store/store.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, type Machine } from "./ingest.ts";

const FILES = 100;
const ENTRIES = 1_000;
const WINDOW = 200;
const DAY = 20_000;

/** Adds sessions with many entries each, which is what makes a wrong plan slow. */
async function addSessions(pool: Pool, { shelf, machine }: Machine): Promise<void> {
  await pool.query(
    `INSERT INTO file (shelf, machine, path, local_path, ledger_path, subagent, extraction, version, cursor, lines, parsed, terminated, header, chain, digest)
      SELECT $1, $2, 'ada-laptop:/' || n, '/' || n, '/' || n, 0, 1, 3, 0, $4, $4, 1, 'read', '', '' FROM generate_series(1, $3::int) AS n`,
    [shelf, machine, FILES, ENTRIES],
  );
  await pool.query(
    `INSERT INTO session (shelf, file_id, id, cwd, internal, modified, entry_count, message_count, user_count, assistant_count, pinned, archived)
      SELECT shelf, id, 's' || id, '/', 0, 0, lines, 0, 0, 0, 0, 0 FROM file`,
  );
  await pool.query(
    `INSERT INTO entry (shelf, file_id, line, day, byte_offset, byte_length, type, failed, has_text, words)
      SELECT shelf, id, line, ${DAY}, 0, 0, 'message', 0, 1, 1 FROM file, generate_series(1, lines) AS line`,
  );
  await pool.query("INSERT INTO path (shelf, path) SELECT $1, '/' || n FROM generate_series(1, 20) AS n", [
    shelf,
  ]);
  await pool.query(
    `INSERT INTO touch (shelf, path_id, file_id, line, ordinal, action)
      SELECT shelf, path.id, file.id, 20 * n + path.id, 0, 'read' FROM file JOIN path USING (shelf), generate_series(0, 9) AS n`,
  );
  await pool.query("VACUUM ANALYZE");
}

/** How many entries a statement reads by a plan for any values, as PostgreSQL makes it after a few executions. */
async function countRead(pool: Pool, shelf: number, { sql, values }: Statement): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
    await client.query(
      "SELECT set_config('pidex.shelves', $1, true), set_config('role', 'pidex_reader', true)",
      [`{${shelf}}`],
    );
    await client.query(`PREPARE measured AS ${sql}`);
    const literals = values.map((value) => (Array.isArray(value) ? `'{${value.join()}}'` : `'${value}'`));
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE measured (${literals.join()})`,
    );
    return countEntries(rows[0]["QUERY PLAN"][0].Plan);
  } finally {
    await client.query("ROLLBACK");
    await client.query("DEALLOCATE ALL");
    client.release();
  }
}

interface PlanStep {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: PlanStep[];
}

function countEntries(step: PlanStep): number {
  const own = step["Relation Name"] === "entry" ? step["Actual Rows"] * step["Actual Loops"] : 0;
  return (step.Plans ?? []).reduce((sum, each) => sum + countEntries(each), own);
}

/** Runs reads on such sessions. @returns the statement that has a text, and how many entries it reads */
async function measure(
  reads: (store: Store) => Promise<unknown[]>,
  text: string,
): Promise<{ rows: number; entries: number }> {
  await using database = await createDatabase();
  const { pool } = database;
  const machine = await addMachine(pool, "ada");
  await addSessions(pool, machine);
  const statements: Statement[] = [];
  const rows = await withPostgresStore(pool, [machine.shelf], reads, (statement) =>
    statements.push(statement),
  );
  const measured = statements.filter(({ sql }) => sql.includes(text));
  expect(measured.length).toBe(1);
  return { rows: rows.length, entries: await countRead(pool, machine.shelf, measured[0] as Statement) };
}

const session = { kind: "not", of: { kind: "flag", flag: "subagent", value: true } } as const;

describe.skipIf(!hasPostgres)("other entries of the same sessions are not read", () => {
  test("by a search with a condition on sessions", async () => {
    const search = async (store: Store) => {
      const conditions = { texts: [], scored: [], excluded: [], entry: [], session };
      const within = { from: undefined, before: LAST_POSITION };
      const window = { within, size: WINDOW, from: "newest" } as const;
      return (await (await store.search()).findMatches(conditions, window)).rows;
    };
    expect(await measure(search, "WITH ORDINALITY")).toEqual({ rows: WINDOW, entries: WINDOW + 1 });
  });

  test("by a list of the touches of a file", async () => {
    const touches = async (store: Store) =>
      (await (await store.entries()).sumTouches({ paths: [1], session })).sums;
    expect(await measure(touches, "FROM touch")).toEqual({ rows: 10 * FILES, entries: 10 * FILES });
  });

  test("by the locations of hits", async () => {
    const positions = Array.from({ length: FILES }, (_, n) =>
      encodePosition({ day: DAY, file: n + 1, line: 7 }),
    );
    const locations = async (store: Store) =>
      (await store.entries()).getLocations(positions, { copies: false });
    expect(await measure(locations, "ORDER BY file.path")).toEqual({ rows: FILES, entries: FILES });
  });
});

const POSTINGS = `INSERT INTO posting (shelf, word, day, file_id, first_line, lines, places)
  SELECT $1, $2 || n % $4, ${DAY}, $3, n, 1, '' FROM generate_series(1, 4000) AS n`;

test.skipIf(!hasPostgres)(
  "a file is forgotten without reading the shelf's other postings, also when statistics are older than most of them",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const { shelf } = await addMachine(pool, "ada");
    const [forgotten, other] = [1, 2];
    await pool.query(POSTINGS, [shelf, "same", other, 1]);
    await pool.query("ANALYZE posting");
    // In one transaction, which autovacuum does not see.
    await inTransaction(pool, async (client) => {
      for (const [word, file] of [
        ["shared", forgotten],
        ["only", forgotten],
        ["shared", other],
      ]) {
        await client.query(POSTINGS, [shelf, word, file, 4000]);
      }
      await client.query("INSERT INTO vocabulary SELECT DISTINCT shelf, word FROM posting");
      const countScans = async () => {
        const { rows } = await client.query(
          "SELECT seq_tup_read::int AS n FROM pg_stat_xact_user_tables WHERE relname = 'posting'",
        );
        return rows[0].n as number;
      };
      const before = await countScans();
      await forgetFile(client, { shelf, id: forgotten });
      expect(await countScans()).toBe(before);
      const { rows } = await client.query(
        "SELECT left(word, 4) AS word, count(*)::int AS n FROM vocabulary GROUP BY 1 ORDER BY 1",
      );
      expect(rows).toEqual([
        { word: "same", n: 1 },
        { word: "shar", n: 4000 },
      ]);
    });
  },
);
