import type SQLite from "better-sqlite3";
import type { Migration } from "kysely/migration";
import { PidexError, systemCode, toMessage } from "../../errors.ts";
import { schemaVersion } from "./schema-version.ts";

/** All migrations by name, in order. The first one is the schema of a new database, as SQL. */
export type Migrations = Record<string, InitialMigration | Migration>;

interface InitialMigration {
  loadSchema: () => Promise<string>;
}

/**
 * Runs the missing migrations of a database in one transaction: if one fails, nothing changes. Calls within a process run
 * one after the other, because two of them would wait for each other's lock and never yield.
 *
 * @throws PidexError `MIGRATION_FAILED`; SQLite's own error if the cause is outside the migrations
 */
export function migrate(writer: SQLite.Database, migrations: Migrations): Promise<void> {
  const migration = lastMigration.then(() => migrateToNewest(writer, migrations));
  lastMigration = migration.catch(() => {});
  return migration;
}

let lastMigration: Promise<unknown> = Promise.resolve();

/** One transaction, so that two processes don't run the same migration, and `user_version` is true after a failure. */
async function migrateToNewest(writer: SQLite.Database, migrations: Migrations): Promise<void> {
  const newest = schemaVersion(migrations);
  // A migration that recreates a table drops it first: with foreign keys on, the rows that refer to it would be deleted.
  writer.pragma("foreign_keys = OFF");
  try {
    writer.exec("BEGIN IMMEDIATE");
    const version = writer.pragma("user_version", { simple: true }) as number;
    if (version < newest) {
      if (version === 0) await createSchema(writer, migrations);
      if (Object.keys(migrations).length > 1) await runMigrations(writer, migrations);
      writer.pragma(`user_version = ${newest}`);
    }
    writer.exec("COMMIT");
  } catch (error) {
    if (writer.inTransaction) writer.exec("ROLLBACK");
    if (isExternal(error)) throw error;
    throw new PidexError(
      "MIGRATION_FAILED",
      `cannot migrate the index: ${toMessage(error)}`,
      "The database is unchanged. Please report this. If you delete the database, pidex builds a new one.",
      { cause: error },
    );
  } finally {
    writer.pragma("foreign_keys = ON");
  }
}

/** Executes the initial schema as one text, without loading Kysely, and records it as Kysely would. */
async function createSchema(writer: SQLite.Database, migrations: Migrations): Promise<void> {
  const [name, initial] = Object.entries(migrations)[0] ?? [];
  if (!initial || !("loadSchema" in initial)) throw new Error("the first migration has no schema");
  writer.exec(await initial.loadSchema());
  const record = writer.prepare("INSERT INTO kysely_migration (name, timestamp) VALUES (?, ?)");
  record.run(name, new Date().toISOString());
}

async function runMigrations(writer: SQLite.Database, migrations: Migrations): Promise<void> {
  const [{ Kysely, SqliteDialect }, { Migrator }] = await Promise.all([
    import("kysely"),
    import("kysely/migration"),
  ]);
  // Never destroyed: that would close the writer.
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: writer }) });
  const steps = Object.entries(migrations).map(([name, step]): [string, Migration] => [
    name,
    "up" in step ? step : { up: async () => {} }, // recorded by `createSchema`: never run
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error } = await new Migrator({ db, provider, disableTransactions: true }).migrateToLatest();
  if (error) throw error;
  const [broken] = writer.pragma("foreign_key_check") as object[];
  if (broken) throw new Error(`rows that violate a foreign key: ${JSON.stringify(broken)}`);
}

/** Whether the disk, another process or a damaged file caused an error, rather than a migration. */
function isExternal(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|BUSY|FULL|IOERR|READONLY|CANTOPEN|NOMEM)/.test(systemCode(error) ?? "");
}
