import type SQLite from "better-sqlite3";
import type { Migration } from "kysely/migration";
import { PidexError, systemCode } from "../../errors.ts";
import { schemaVersion } from "./schema-version.ts";

/** All migrations by name, in order. The first one is the schema of a new database, as SQL. */
export type Migrations = Record<string, InitialMigration | Migration>;

interface InitialMigration {
  loadSchema: () => Promise<string>;
}

/**
 * Runs the migrations that a database lacks, in one transaction: a failed one leaves it as it was.
 *
 * @throws PidexError `MIGRATION_FAILED`; SQLite's own error where the cause is outside the migrations
 */
export function migrate(writer: SQLite.Database, migrations: Migrations): Promise<void> {
  return inTurn(() => migrateToNewest(writer, migrations));
}

let turns: Promise<unknown> = Promise.resolve();

/** One after the other: two migrations in one process would each wait for the other's lock and never yield. */
function inTurn(migration: () => Promise<void>): Promise<void> {
  const turn = turns.then(migration);
  turns = turn.catch(() => {});
  return turn;
}

/**
 * Runs what is missing in one transaction of ours, so that two processes that start at once don't both do it,
 * and `user_version` never says more than what was done.
 */
async function migrateToNewest(writer: SQLite.Database, migrations: Migrations): Promise<void> {
  const wanted = schemaVersion(migrations);
  // A table that is made anew is dropped first: with foreign keys on, all that hangs from it would go with it.
  writer.pragma("foreign_keys = OFF");
  try {
    writer.exec("BEGIN IMMEDIATE");
    const version = writer.pragma("user_version", { simple: true }) as number;
    if (version < wanted) {
      if (version === 0) await createSchema(writer, migrations);
      if (Object.keys(migrations).length > 1) await runMigrations(writer, migrations);
      writer.pragma(`user_version = ${wanted}`);
    }
    writer.exec("COMMIT");
  } catch (error) {
    if (writer.inTransaction) writer.exec("ROLLBACK");
    if (isOutside(error)) throw error;
    throw new PidexError(
      "MIGRATION_FAILED",
      `the index could not be migrated: ${error instanceof Error ? error.message : error}`,
      "Nothing was changed. Please report this; deleting the database lets pidex build a new one.",
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
  // A Kysely of its own that is never destroyed: destroying it would close the writer.
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: writer }) });
  const steps = Object.entries(migrations).map(([name, step]): [string, Migration] => [
    name,
    "up" in step ? step : { up: async () => {} }, // recorded by `createSchema`: never run
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error } = await new Migrator({ db, provider, disableTransactions: true }).migrateToLatest();
  if (error) throw error;
  const [broken] = writer.pragma("foreign_key_check") as object[];
  if (broken) throw new Error(`rows without what they belong to: ${JSON.stringify(broken)}`);
}

/** Whether a disk, another process, or damage kept it from being done, rather than what stands in a migration. */
function isOutside(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|BUSY|FULL|IOERR|READONLY|CANTOPEN|NOMEM)/.test(systemCode(error) ?? "");
}
