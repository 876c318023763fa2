import { isUtf8 } from "node:buffer";
import { describeJsonError, isRecord } from "./json.ts";
import { type Line, MAX_LINE_BYTES } from "./lines.ts";
import type { Problem, ProblemCode } from "./problems.ts";

/** The JSON object of a line (a header or an entry), if it holds one, and the problems found. */
interface ParsedLine {
  /** As it is in the file; undefined for a line without a JSON object. */
  object?: Record<string, unknown>;
  /**
   * Whether the line is counted by version 1's `firstKeptEntryIndex`: it holds a JSON value that is not falsy.
   */
  counted: boolean;
  problems: Problem[];
}

/**
 * Lines before the header are reported one by one, and a title among them is used, only if they begin within this many bytes.
 * pi lists no session with a later header, but opens it.
 */
export const MAX_HEADER_OFFSET_BYTES = 1 << 20;

const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/**
 * Whether a line may hold a JSON object, judged by its first and last bytes, to skip garbage without parsing it. Always true
 * for the first line, which may start with a byte order mark, and for a last line without a newline, which may be incomplete.
 */
export function mayHoldObject({ offset, bytes, length, terminated }: Line): boolean {
  if (offset === 0 || !terminated) return true;
  const first = bytes.findIndex((byte) => !isJsonBlank(byte));
  if (bytes[first] !== OPENING_BRACE) return false;
  return length > bytes.length || bytes[bytes.findLastIndex((byte) => !isJsonBlank(byte))] === CLOSING_BRACE;
}

function isJsonBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK = /^\s*$/;

/** Parses one line as JSON. Never throws; errors are returned as problems. `lineNumber` starts at 1. */
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
    note("long_line", `line of ${line.length} bytes: only its first fields were read`);
    const object = parseFirstFields(bytes);
    return { object, counted: object !== undefined, problems };
  }
  if (line.length > MAX_LINE_BYTES) {
    // The head alone does not show whether the line is complete.
    note("torn_line", describeTornLine(line));
    return { counted: false, problems };
  }
  const text = bytes.toString("utf8");
  if (text.length <= 1024 && BLANK.test(text)) return { counted: false, problems };

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (BLANK.test(text)) return { counted: false, problems };
    if (line.terminated) note("malformed_line", `invalid JSON: ${describeJsonError(error)}`);
    else note("torn_line", describeTornLine(line));
    return { counted: false, problems };
  }
  // Invalid UTF-8 was decoded as U+FFFD, and searching for that is fast.
  if (text.includes("\ufffd") && !isUtf8(bytes)) note("invalid_utf8", "invalid UTF-8 was read as U+FFFD");
  if (!isRecord(value)) {
    note(
      "not_an_entry",
      `not a JSON object: ${Array.isArray(value) ? "an array" : String(value).slice(0, 40)}`,
    );
    return { counted: value !== null && value !== false && value !== 0 && value !== "", problems };
  }
  return { object: value, counted: true, problems };
}

function describeTornLine(line: Line): string {
  return `incomplete last line of ${line.length} bytes: a write in progress, or a crash`;
}

/** The scalar fields that pi writes first, from the head of a line too long to parse. */
function parseFirstFields(head: Buffer): Record<string, unknown> | undefined {
  const text = head.toString("utf8");
  const fields: Record<string, unknown> = {};
  const scalar = /[{,]\s*"(type|id|parentId|timestamp)"\s*:\s*("(?:[^"\\]|\\.)*"|null|-?\d+)\s*(?=[,}])/y;
  try {
    for (let match = scalar.exec(text); match; match = scalar.exec(text)) {
      fields[match[1] as string] = JSON.parse(match[2] as string);
    }
  } catch {
    return undefined; // an invalid escape or number: not JSON
  }
  return typeof fields.type === "string" ? fields : undefined;
}
