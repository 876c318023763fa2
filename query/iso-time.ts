/** Times with a four-digit year. */
const [FIRST_TIME, LAST_TIME] = [Date.parse("0000-01-01T00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Converts Unix milliseconds to an ISO time; undefined for null and for years outside 0 to 9999. */
export function toIsoTime(milliseconds: number | null): string | undefined {
  if (milliseconds === null || milliseconds < FIRST_TIME || milliseconds > LAST_TIME) return undefined;
  return new Date(milliseconds).toISOString();
}
