/** Numbers below this are no times of sessions: they would be of 1970. */
const FIRST = 1e8;
/** Milliseconds below this are of 1973 or before, seconds above it of the year 5138 or after. */
const FIRST_MILLISECOND = 1e11;
const LAST_MILLISECOND = 8.64e15; // what a Date can hold

/** Unix milliseconds of a Unix time that is in milliseconds, as pi writes it, or in seconds, as some programs do. */
export function toMilliseconds(time: number): number {
  return Math.trunc(time >= FIRST && time < FIRST_MILLISECOND ? time * 1000 : time);
}

/** Returns the object with an ISO `timestamp` where it has a number that is a Unix time, else as it is. */
export function withIsoTime(object: Record<string, unknown>): Record<string, unknown> {
  const { timestamp } = object;
  if (typeof timestamp !== "number" || !(timestamp >= FIRST && timestamp <= LAST_MILLISECOND)) return object;
  return { ...object, timestamp: new Date(toMilliseconds(timestamp)).toISOString() };
}
