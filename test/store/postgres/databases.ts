import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Pool } from "pg";
import { findPrograms, type Server, startServer } from "../../../fixtures/postgres-server.ts";
import { openEmbedded } from "../../../library/hub/server/embedded.ts";
import { postgresMigrations } from "../../../migrations/postgres/index.ts";
import packageJson from "../../../package.json" with { type: "json" };
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

/** A folder of a new PGlite, without tables. It is kept between runs, because creating one takes ten times as long as opening it. */
const NEW_PGLITE = join(
  import.meta.dirname,
  `../../../node_modules/.cache/pglite-${packageJson.devDependencies["@electric-sql/pglite"]}`,
);

async function createNewPglite(): Promise<void> {
  mkdirSync(dirname(NEW_PGLITE), { recursive: true });
  const folder = mkdtempSync(`${NEW_PGLITE}-`);
  try {
    await (await openEmbedded(folder)).close();
    renameSync(folder, NEW_PGLITE);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(NEW_PGLITE)) throw error; // otherwise another worker was faster
  }
}

/** Opens PGlite on a folder of its own. */
export async function createEmbedded(): Promise<TestDatabase> {
  if (!existsSync(NEW_PGLITE)) await createNewPglite();
  const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  cpSync(NEW_PGLITE, join(folder, "hub"), { recursive: true });
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
