import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { LAST_POSITION } from "../../../src/store/postgres/positions.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Statement } from "../../../src/store/sql.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, type Machine } from "./ingest.ts";

const FILES = 100;
const ENTRIES = 1_000;
const WINDOW = 200;

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
      SELECT shelf, id, line, 20000, 0, 0, 'message', 0, 1, 1 FROM file, generate_series(1, lines) AS line`,
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

describe.skipIf(!hasPostgres)("a search with a condition on sessions", () => {
  test("reads no other entries of the sessions than those at the places of its words", async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const machine = await addMachine(pool, "ada");
    await addSessions(pool, machine);
    const statements: Statement[] = [];
    const { rows } = await withPostgresStore(
      pool,
      [machine.shelf],
      async (store) => {
        const search = await store.search();
        const conditions = {
          ...{ texts: [], scored: [], excluded: [], entry: [] },
          session: { kind: "not", of: { kind: "flag", flag: "subagent", value: true } },
        } as const;
        const within = { from: undefined, before: LAST_POSITION };
        return search.findMatches(conditions, { within, size: WINDOW, from: "newest" });
      },
      (statement) => statements.push(statement),
    );
    expect(rows.length).toBe(WINDOW);
    const atPlaces = statements.filter(({ sql }) => sql.includes("WITH ORDINALITY"));
    expect(atPlaces.length).toBe(1);
    expect(await countRead(pool, machine.shelf, atPlaces[0] as Statement)).toBe(WINDOW + 1);
  });
});
