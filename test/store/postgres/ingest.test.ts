import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { forgetFile } from "../../../src/store/postgres/files.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ROOTS } from "../../query/opened-queries.ts";
import { temporaryFolder } from "../../temporary.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile, type Machine, withoutMachines } from "./ingest.ts";

const SESSIONS = ROOTS.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, name)),
);

/** The rows of a shelf, without what a file's history may change: its id, ids of paths, and how lines are cut into segments. */
async function rowsOn(pool: Pool, { shelf }: Machine): Promise<Record<string, unknown[]>> {
  const tables = [
    "session",
    "entry",
    "current_range",
    "label",
    "tag",
    "session_model",
    "problem",
    "tool_call",
  ];
  const all: Record<string, unknown[]> = {};
  for (const table of tables) {
    const { rows } = await pool.query(`SELECT * FROM ${table} WHERE shelf = $1`, [shelf]);
    all[table] = rows.map(({ shelf: _, file_id: __, ...row }) => JSON.stringify(row)).sort();
  }
  const { rows: touches } = await pool.query(
    `SELECT line, ordinal, action, path.path FROM touch JOIN path ON path.shelf = touch.shelf AND path.id = touch.path_id
     WHERE touch.shelf = $1`,
    [shelf],
  );
  all.touch = touches.map((row) => JSON.stringify(row)).sort();
  const { rows: words } = await pool.query(
    `SELECT word, sum(lines)::integer AS lines FROM posting WHERE shelf = $1 GROUP BY 1`,
    [shelf],
  );
  all.posting = words.map((row) => JSON.stringify(row)).sort();
  const { rows: files } = await pool.query(
    "SELECT cursor, terminated, lines, parsed, header, version, leaf_id FROM file WHERE shelf = $1",
    [shelf],
  );
  all.file = files;
  return all;
}

test.skipIf(!hasPostgres)("a file that is indexed as it grows has the rows of the whole file", async () => {
  await using database = await createDatabase();
  const { pool } = database;
  expect(SESSIONS.length).toBeGreaterThan(30);
  for (const path of SESSIONS) {
    const [whole, grown] = [await addMachine(pool), await addMachine(pool)];
    await ingestFile(pool, whole, path);
    const { size } = statSync(path);
    for (const part of [0.1, 0.35, 0.36, 0.8])
      await ingestFile(pool, grown, path, { end: Math.floor(part * size) });
    await ingestFile(pool, grown, path);
    expect([path, await rowsOn(pool, grown)]).toEqual([path, await rowsOn(pool, whole)]);
  }
});

test.skipIf(!hasPostgres)("a forgotten file leaves no row, and no word that only it had", async () => {
  await using database = await createDatabase();
  const { pool } = database;
  const folder = temporaryFolder();
  const [kept, forgotten] = [join(folder, "kept.jsonl"), join(folder, "forgotten.jsonl")];
  session({ id: "kept" }).user("the common word").tool("read", { path: "/x/both.ts" }, "fine").write(kept);
  session({ id: "gone" })
    .user("the common word and a canary")
    .tool("read", { path: "/x/both.ts" }, "fine")
    .tool("edit", { path: "/x/canary.ts" }, "done")
    .write(forgotten);
  const [machine, alone] = [await addMachine(pool), await addMachine(pool)];
  await ingestFile(pool, machine, kept);
  await ingestFile(pool, machine, forgotten);
  const { rows } = await pool.query("SELECT shelf, id FROM file WHERE local_path = $1", [forgotten]);
  const client = await pool.connect();
  await client.query("BEGIN");
  await forgetFile(client, rows[0]);
  await client.query("COMMIT");
  client.release();
  await ingestFile(pool, alone, kept);
  expect(await rowsOn(pool, machine)).toEqual(await rowsOn(pool, alone));
  for (const table of ["path", "vocabulary"]) {
    const { rows: left } = await pool.query(`SELECT * FROM ${table}`);
    expect(JSON.stringify(left)).not.toContain("canary");
  }
  for (const { ask } of QUESTIONS.slice(0, 60)) {
    const [left, expected] = [
      await withPostgresStore(pool, [machine.shelf], ask),
      await withPostgresStore(pool, [alone.shelf], ask),
    ];
    expect(withoutMachines(left)).toEqual(withoutMachines(expected));
  }
});
