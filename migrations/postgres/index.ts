/** All migrations of the hub's database by name, in order. A released one is never changed; add a new one. */
export const postgresMigrations = {
  "0001-initial": async () => (await import("./0001-initial.ts")).SCHEMA,
};
