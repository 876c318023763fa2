import type { z } from "zod";
import { Entry, SessionHeader } from "./entries.ts";
import { fits } from "./fits.ts";
import { isRecord } from "./json.ts";
import type { Problem } from "./problems.ts";
import { withIsoTime } from "./times.ts";

/**
 * Types an entry. A field of the wrong shape becomes a problem and is left out of the result; the rest stays.
 * An entry without fault is returned as it is, not copied. A time that is a number becomes an ISO string: so no reader has
 * to know of both.
 */
export function parseEntry(object: Record<string, unknown>, at: Place): Parsed<Entry> {
  const timed = withIsoTime(object);
  const typed = typeof object.type === "string" ? timed : { ...timed, type: "" };
  const parsed = parseBy(Entry, typed, at);
  if (typed !== timed) parsed.problems.unshift(invalidField(at, "type: expected a string"));
  return parsed;
}

/** Types a header, as `parseEntry` does an entry. */
export function parseHeader(object: Record<string, unknown>, at: Place): Parsed<SessionHeader> {
  return parseBy(SessionHeader, withIsoTime(object), at);
}

/** Where in its file a parsed object stands. */
export interface Place {
  byteOffset: number;
  line: number;
}

/** A value that fits its schema, and what had to be left out for that. */
export interface Parsed<T> {
  value: T;
  problems: Problem[];
}

/**
 * Fits an object to a schema of which every field may be missing: a wrong field becomes a problem and is left
 * out. `within` is the path of the object in its line, for the problem's message.
 */
export function parseBy<T>(
  schema: z.ZodType<T>,
  object: Record<string, unknown>,
  at: Place,
  within: readonly PropertyKey[] = [],
): Parsed<T> {
  const problems: Problem[] = [];
  // No schema here transforms, so what fits is the value already.
  if (fits(schema, object)) return { value: object as T, problems };
  let value = object;
  let result = schema.safeParse(value);
  while (!result.success) {
    if (value === object) value = { ...object };
    const copied = new Set<unknown>([value]);
    const removed = result.error.issues.filter(({ path }) => removeAt(value, path, copied));
    // A schema that asks for a field to be there would keep us here forever.
    if (removed.length === 0) throw result.error;
    for (const { path, message } of removed) {
      problems.push(invalidField(at, `${[...within, ...path].join(".")}: ${message}`));
    }
    result = schema.safeParse(value);
  }
  // Not `result.data`: zod copies, and reorders keys.
  return { value: value as T, problems };
}

function invalidField(at: Place, message: string): Problem {
  return { code: "invalid_field", ...at, message };
}

/**
 * Takes the value at `path` out: a key is deleted, an array element becomes an unknown block. Only what lies on
 * the path is copied, once (`copied` knows what was): a copy of everything overflows where nesting is deep.
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
