import { isUtf8 } from "node:buffer";
import type { z } from "zod";
import { Entry, SessionHeader } from "./entries.ts";
import { fits } from "./fits.ts";
import { firstSentence, isRecord } from "./json.ts";
import { type Line, MAX_LINE_BYTES } from "./lines.ts";
import type { Problem, ProblemCode } from "./problems.ts";

/** A line, read: a JSON object (header or entry, not yet told apart), or nothing, with what was wrong. */
interface ParsedLine {
  /** The object as the file has it, or undefined for a line that holds none. */
  object?: Record<string, unknown>;
  /**
   * Whether the line counts among the "parsed lines" that version 1's `firstKeptEntryIndex` counts: any JSON
   * value but null does.
   */
  counted: boolean;
  problems: Problem[];
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK = /^\s*$/;

/**
 * Reads one line as JSON. Never throws: what is wrong comes back as problems. `lineNumber` counts from 1.
 */
export function parseLine(line: Line, lineNumber: number): ParsedLine {
  const problems: Problem[] = [];
  const note = (code: ProblemCode, message: string) =>
    problems.push({ code, byteOffset: line.offset, line: lineNumber, message });

  let { bytes } = line;
  if (line.offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
    note("byte_order_mark", "the file starts with a byte order mark");
    bytes = bytes.subarray(3);
  }
  if (line.length > MAX_LINE_BYTES && line.terminated) {
    note("long_line", `${line.length} bytes in one line: only its first fields were read`);
    const object = firstFields(bytes);
    return { object, counted: object !== undefined, problems };
  }
  if (line.length > MAX_LINE_BYTES) {
    // Its head alone cannot say that it is whole.
    note("torn_line", torn(line));
    return { counted: false, problems };
  }
  const text = bytes.toString("utf8");
  if (text.length <= 1024 && BLANK.test(text)) return { counted: false, problems };

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (BLANK.test(text)) return { counted: false, problems };
    if (line.terminated) note("malformed_line", `no JSON: ${firstSentence(error)}`);
    else note("torn_line", torn(line));
    return { counted: false, problems };
  }
  // What is no UTF-8 was read as U+FFFD, which is quickly looked for.
  if (text.includes("\ufffd") && !isUtf8(bytes))
    note("invalid_utf8", "bytes that are no UTF-8 were read as U+FFFD");
  if (!isRecord(value)) {
    note(
      "not_an_entry",
      `JSON, but no object: ${Array.isArray(value) ? "an array" : String(value).slice(0, 40)}`,
    );
    return { counted: value !== null && value !== false && value !== 0 && value !== "", problems };
  }
  return { object: value, counted: true, problems };
}

function torn(line: Line): string {
  return `${line.length} bytes without a newline: a write in progress, or a crash`;
}

/**
 * Types an entry. A field of the wrong shape becomes a problem and is left out of the result; the rest stays.
 * An entry without fault is returned as it is, not copied.
 */
export function parseEntry(object: Record<string, unknown>, at: Place): Parsed<Entry> {
  const typed = typeof object.type === "string" ? object : { ...object, type: "" };
  const parsed = parseBy(Entry, typed, at);
  if (typed !== object) parsed.problems.unshift(invalidField(at, "type: expected a string"));
  return parsed;
}

/** Types a header, as `parseEntry` does an entry. */
export function parseHeader(object: Record<string, unknown>, at: Place): Parsed<SessionHeader> {
  return parseBy(SessionHeader, object, at);
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

/** The scalar fields that pi writes first, read from the head of a line too long to parse. */
function firstFields(head: Buffer): Record<string, unknown> | undefined {
  const text = head.toString("utf8");
  const fields: Record<string, unknown> = {};
  const scalar = /[{,]\s*"(type|id|parentId|timestamp)"\s*:\s*("(?:[^"\\]|\\.)*"|null|-?\d+)\s*(?=[,}])/y;
  try {
    for (let match = scalar.exec(text); match; match = scalar.exec(text)) {
      fields[match[1] as string] = JSON.parse(match[2] as string);
    }
  } catch {
    return undefined; // an escape or a number that JSON does not know: the line is no JSON
  }
  return typeof fields.type === "string" ? fields : undefined;
}
