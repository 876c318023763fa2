import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { findPrograms, type Server, startServer } from "../../../fixtures/postgres-server.ts";
import { openEmbedded } from "../../../library/hub/server/embedded.ts";
import { postgresMigrations } from "../../../migrations/postgres/index.ts";
import { connect } from "../../../src/store/postgres/connect.ts";
import { migratePostgres } from "../../../src/store/postgres/migrate.ts";

const programs = findPrograms();

/** Whether PostgreSQL is installed. CI installs it, so that it fails there instead of skipping tests. */
export const hasPostgres = programs !== undefined || process.env.CI !== undefined;

let server: Promise<Server> | undefined;
let databases = 0;

/** The server of this worker, which ends with it. It has a database that others are copied from: that is faster than to migrate each. */
function start(): Promise<Server> {
  server ??= startServer(programs ?? "").then(async (started) => {
    const admin = connect(started.urlOf("postgres"), { max: 1 });
    await admin.query("CREATE DATABASE migrated");
    await admin.end();
    const pool = connect(started.urlOf("migrated"));
    await migratePostgres(pool, postgresMigrations);
    await pool.end();
    return started;
  });
  return server;
}

/** A database with all tables and no rows. Disposing it deletes it. */
export interface TestDatabase extends AsyncDisposable {
  pool: Pool;
}

/** @returns `url`: its connection string */
export async function createDatabase(): Promise<TestDatabase & { url: string }> {
  const { urlOf } = await start();
  const name = `test_${++databases}`;
  const admin = connect(urlOf("postgres"), { max: 1 });
  await admin.query(`CREATE DATABASE ${name} TEMPLATE migrated`);
  const pool = connect(urlOf(name));
  return {
    pool,
    url: urlOf(name),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** Opens PGlite on a folder of its own, which takes up to 20 seconds on a busy machine. */
export async function createEmbedded(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  const { pool, close } = await openEmbedded(join(folder, "hub"));
  await migratePostgres(pool, postgresMigrations);
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
