import { randomBytes, randomUUID } from "node:crypto";
import { PidexError } from "../../errors.ts";

/** A new entry id: 8 hex digits, unique in the session; after 100 collisions, a UUID. */
export function newEntryId(taken: { has(id: string): boolean }): string {
  for (let tries = 0; tries < 100; tries++) {
    const id = randomBytes(4).toString("hex");
    if (!taken.has(id)) return id;
  }
  return randomUUID();
}

/**
 * Validates a session id, which becomes part of a file name.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function assertValidSessionId(id: string): void {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(id)) return;
  throw new PidexError(
    "BAD_OPTION",
    // pi's own text: programs and pi's tests match it.
    "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an " +
      "alphanumeric character",
    `Choose another id than ${JSON.stringify(id)}.`,
  );
}
