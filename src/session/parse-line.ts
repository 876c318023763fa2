import { isUtf8 } from "node:buffer";
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

/**
 * Lines before the header that begin within this many bytes are reported one by one, and may name the session. pi's own lists
 * give up there, while it opens such a session.
 */
export const HEADER_SCAN_BYTES = 1 << 20;

const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/**
 * Whether a line may hold a JSON object, by its first and last bytes: to pass over garbage without parsing it. True for a first
 * line, which may begin with a byte order mark, and for a last one without its newline, which may still be written.
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
