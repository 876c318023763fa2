import { join } from "node:path";
import type { Pool } from "pg";
import { postgresMigrations } from "../../../migrations/postgres/index.ts";
import { getDataFolder } from "../../../src/environment.ts";
import { connect } from "../../../src/store/postgres/connect.ts";
import { migratePostgres } from "../../../src/store/postgres/migrate.ts";
import { connectClient } from "../../../src/store/postgres/transaction.ts";

export interface HubDatabaseOptions {
  /** Connection string of PostgreSQL. Undefined means PGlite. */
  url?: string | undefined;
  /** Folder of PGlite. Default: `hub` in the user's folder for data. */
  folder?: string | undefined;
}

/** A migrated database. */
export interface HubDatabase {
  pool: Pool;
  kind: "postgresql" | "pglite";
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
/** Of PostgreSQL's usual 100. */
const MAX_CONNECTIONS = 20;

/**
 * Opens and migrates the database of a hub.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE`, `DATABASE_BUSY`, `MIGRATION_FAILED`
 */
export async function openHubDatabase({ url, folder }: HubDatabaseOptions): Promise<HubDatabase> {
  const database = url === undefined ? await openPglite(folder) : openPostgres(url);
  try {
    (await connectClient(database.pool)).release();
    await migratePostgres(database.pool, postgresMigrations);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openPglite(folder: string | undefined): Promise<HubDatabase> {
  const { openEmbedded } = await import("./embedded.ts");
  const path = folder ?? join(getDataFolder(process.env, process.platform), "hub");
  return { ...(await openEmbedded(path)), kind: "pglite" };
}

function openPostgres(url: string): HubDatabase {
  const pool = connect(url, { max: MAX_CONNECTIONS, connectionTimeoutMillis: CONNECT_MS });
  return { pool, kind: "postgresql", close: () => pool.end() };
}
