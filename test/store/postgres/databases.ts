import type { Pool } from "pg";
import { postgresMigrations } from "../../../migrations/postgres/index.ts";
import { connect } from "../../../src/store/postgres/connect.ts";
import { migratePostgres } from "../../../src/store/postgres/migrate.ts";
import { findPrograms, type Server, startServer } from "./server.ts";

const programs = findPrograms();

/** Whether PostgreSQL is installed. CI installs it, so that it fails there instead of skipping tests. */
export const hasPostgres = programs !== undefined || process.env.CI !== undefined;

let server: Promise<Server> | undefined;
let databases = 0;

/** The server of this worker, which is stopped when the worker exits. */
function start(): Promise<Server> {
  server ??= startServer(programs ?? "").then((started) => {
    process.once("exit", started.kill);
    return started;
  });
  return server;
}

/** Creates an empty database with all tables. Disposing it deletes it. */
export async function createDatabase(): Promise<{ pool: Pool } & AsyncDisposable> {
  const { urlOf } = await start();
  const name = `test_${++databases}`;
  const admin = connect(urlOf("postgres"), { max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  const pool = connect(urlOf(name));
  await migratePostgres(pool, postgresMigrations);
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
