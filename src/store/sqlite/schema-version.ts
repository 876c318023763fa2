/** Schema versions up to here were never released: their databases are rebuilt, not migrated. */
export const LAST_UNRELEASED_SCHEMA = 107;

/** The schema version (`user_version`) of a database after all of these migrations. */
export function schemaVersion(migrations: Readonly<Record<string, unknown>>): number {
  return LAST_UNRELEASED_SCHEMA + Object.keys(migrations).length;
}
