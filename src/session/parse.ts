import { Entry, SessionHeader } from "./entries.ts";
import type { Problem } from "./problems.ts";
import { dropInvalid, type Schema } from "./schema.ts";
import { withIsoTime } from "./times.ts";

/**
 * Validates an entry. A field of the wrong shape is reported as a problem and dropped; the rest is kept. A valid entry is
 * returned as is, not copied. A numeric time becomes an ISO string, so that readers handle one format.
 */
export function parseEntry(object: Record<string, unknown>, at: LineLocation): Parsed<Entry> {
  const timed = withIsoTime(object);
  const typed = typeof object.type === "string" ? timed : { ...timed, type: "" };
  const parsed = parseWithSchema(Entry, typed, at);
  if (typed !== timed) parsed.problems.unshift(invalidField(at, "type: expected a string"));
  return parsed;
}

/** Validates a header, as `parseEntry` does an entry. */
export function parseHeader(object: Record<string, unknown>, at: LineLocation): Parsed<SessionHeader> {
  return parseWithSchema(SessionHeader, withIsoTime(object), at);
}

/** The position of a line in its file. */
export interface LineLocation {
  byteOffset: number;
  line: number;
}

/** A value that matches its schema, and a problem for each dropped field. */
export interface Parsed<T> {
  value: T;
  problems: Problem[];
}

/**
 * Validates an object by a schema in which every field is optional: an invalid field is reported as a problem and dropped.
 *
 * @param within the path of the object in its line, for the problem's message
 */
export function parseWithSchema<T>(
  schema: Schema<T>,
  object: Record<string, unknown>,
  at: LineLocation,
  within: readonly PropertyKey[] = [],
): Parsed<T> {
  const problems: Problem[] = [];
  const value = dropInvalid(schema, object, (path, message) => {
    problems.push(invalidField(at, `${[...within, ...path].join(".")}: ${message}`));
  });
  return { value, problems };
}

function invalidField(at: LineLocation, message: string): Problem {
  return { code: "invalid_field", ...at, message };
}
