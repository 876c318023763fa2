import type { Migration } from "kysely/migration";
import type { Pool } from "pg";
import { PidexError, toMessage } from "../../errors.ts";

/** All migrations by name, in order, as SQL texts. */
export type PostgresMigrations = Record<string, () => Promise<string>>;

/**
 * Runs the missing migrations in one transaction. Hubs that start at the same time wait for each other.
 *
 * @throws PidexError `MIGRATION_FAILED`
 */
export async function migratePostgres(pool: Pool, migrations: PostgresMigrations): Promise<void> {
  const [{ Kysely, PostgresDialect, sql }, { Migrator }] = await Promise.all([
    import("kysely"),
    import("kysely/migration"),
  ]);
  // Never destroyed: that would close the pool.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const steps = Object.entries(migrations).map(([name, load]): [string, Migration] => [
    name,
    { up: async (transaction) => void (await sql.raw(await load()).execute(transaction)) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (!error) return;
  throw new PidexError(
    "MIGRATION_FAILED",
    `cannot migrate the hub's database: ${toMessage(error)}`,
    "The database is unchanged. Check that its user may create tables and roles.",
    { cause: error },
  );
}
