import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toRoot } from "../../../src/session/locations.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { sql } from "../../../src/store/sql.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { openThrowaway, syncFolders } from "../../indexer/index-at.ts";
import { ROOTS } from "../../query/opened-queries.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile } from "./ingest.ts";

describe.skipIf(!hasPostgres)("PostgreSQL gives the same answers as SQLite to", () => {
  const closing = new AsyncDisposableStack();
  let sqlite: Store;
  let askPostgres: (ask: (store: Store) => Promise<unknown>) => Promise<unknown>;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    const db = await openThrowaway(join(folder, "index.db"));
    closing.defer(() => db.close());
    await syncFolders(db, ROOTS);
    sqlite = new SqliteStore(db.reader, { roots: ROOTS.map(toRoot) });
    const { pool } = closing.use(await createDatabase());
    const machine = await addMachine(pool);
    const { rows: files } = await sql<{ path: string; subagent: number }>`
      SELECT path, subagent FROM file ORDER BY id`.execute(db.reader);
    for (const { path, subagent } of files) await ingestFile(pool, machine, path, { subagent });
    askPostgres = (ask) => withPostgresStore(pool, [machine.shelf], ask);
  });
  afterAll(() => closing.disposeAsync());

  test.each(QUESTIONS)("$name", async ({ ask }) => {
    const expected = await ask(sqlite);
    const answer = await askPostgres(ask);
    expect(answer).toEqual(expected);
  });
});
