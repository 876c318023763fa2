/**
 * All migrations by name, in order. The first is SQL text, the others are Kysely migrations. A released one is never
 * changed; add a new one, `"0002-name": { up: async (db) => (await import("./0002-name.ts")).up(db) }`. A migration imports
 * only kysely, so that its meaning never changes, and is loaded only when it runs.
 */
export const migrations = {
  "0001-initial": { loadSchema: async () => (await import("./0001-initial.ts")).SCHEMA },
};
