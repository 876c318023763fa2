import type { Migration } from "kysely/migration";

interface InitialMigration {
  /** The SQL of the schema that a new index begins with. */
  loadSchema: () => Promise<string>;
}

/**
 * Every migration by name, in order: the first is a text of SQL, the others are Kysely's. One that was released is never
 * changed: a new one follows it, `"0002-name": { up: async (db) => (await import("./0002-name.ts")).up(db) }`. Each imports
 * only kysely, so that it keeps its meaning, and is loaded when it runs: as a rule none is.
 */
export const migrations: Record<string, InitialMigration | Migration> = {
  "0001-initial": { loadSchema: async () => (await import("./0001-initial.ts")).SCHEMA },
};
