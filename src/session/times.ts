/** Smaller numbers are not times of sessions: as seconds, they are before March 1973. */
const MIN_TIME = 1e8;
/** As milliseconds in 1973, as seconds in the year 5138: smaller numbers are seconds. */
const MIN_MILLISECONDS = 1e11;
const MAX_MILLISECONDS = 8.64e15; // the range of Date

/** Unix milliseconds for a Unix time in milliseconds, as pi writes it, or in seconds, as some programs do. */
export function toMilliseconds(time: number): number {
  return Math.trunc(time >= MIN_TIME && time < MIN_MILLISECONDS ? time * 1000 : time);
}

/** Returns the object with a numeric `timestamp` replaced by an ISO time, or the object itself. */
export function withIsoTime(object: Record<string, unknown>): Record<string, unknown> {
  const { timestamp } = object;
  if (typeof timestamp !== "number" || !(timestamp >= MIN_TIME && timestamp <= MAX_MILLISECONDS))
    return object;
  return { ...object, timestamp: new Date(toMilliseconds(timestamp)).toISOString() };
}
