import type { z } from "zod";
import { Entry, SessionHeader } from "./entries.ts";
import { isRecord } from "./json.ts";
import { matchesSchema } from "./matches-schema.ts";
import type { Problem } from "./problems.ts";
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
  schema: z.ZodType<T>,
  object: Record<string, unknown>,
  at: LineLocation,
  within: readonly PropertyKey[] = [],
): Parsed<T> {
  const problems: Problem[] = [];
  // No schema here transforms, so a matching value needs no parsing.
  if (matchesSchema(schema, object)) return { value: object as T, problems };
  let value = object;
  let result = schema.safeParse(value);
  while (!result.success) {
    if (value === object) value = { ...object };
    const copied = new Set<unknown>([value]);
    const removed = result.error.issues.filter(({ path }) => removeAt(value, path, copied));
    // A schema with a required field would loop forever.
    if (removed.length === 0) throw result.error;
    for (const { path, message } of removed) {
      problems.push(invalidField(at, `${[...within, ...path].join(".")}: ${message}`));
    }
    result = schema.safeParse(value);
  }
  // Not `result.data`, because zod copies it and reorders keys.
  return { value: value as T, problems };
}

function invalidField(at: LineLocation, message: string): Problem {
  return { code: "invalid_field", ...at, message };
}

/**
 * Removes the value at `path`: deletes a key, or replaces an array element by an unknown block. Copies only the objects on the
 * path, once each (`copied`): a deep copy overflows the stack on deep nesting.
 */
function removeAt(
  root: Record<string, unknown>,
  path: readonly PropertyKey[],
  copied: Set<unknown>,
): boolean {
  let holder: unknown = root;
  for (const key of path.slice(0, -1)) {
    const above = holder as Record<PropertyKey, unknown>;
    const inner = above[key];
    if (!copied.has(inner)) {
      above[key] = Array.isArray(inner) ? [...inner] : { ...(inner as object) };
      copied.add(above[key]);
    }
    holder = above[key];
  }
  const last = path.at(-1) as PropertyKey;
  if (Array.isArray(holder)) {
    holder[last as number] = { type: "" };
    return true;
  }
  return isRecord(holder) && last in holder && delete holder[last as string];
}
