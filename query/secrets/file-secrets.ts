import { PidexError } from "../../src/errors.ts";
import { MAX_LINE_BYTES, readLines } from "../../src/session/lines.ts";
import { openForReading } from "../../src/session/open-for-reading.ts";
import { closeBytes, getByteCount, type SessionBytes, statBytes } from "../../src/session/session-bytes.ts";
import { toUnreadableError } from "../../src/unreadable-error.ts";
import type { Detector } from "./detector.ts";
import { formatJsonPath, walkStrings } from "./json-strings.ts";
import { findSecretsInRawLine } from "./raw-text.ts";
import type { Match } from "./text-rule.ts";

/** A secret and its location in a file. */
export interface FileSecret {
  match: Match;
  secret: string;
  /** From 1. */
  line: number;
  /** Of the line. */
  byteOffset: number;
  /** The parsed line; undefined if it is not JSON. */
  value: unknown;
  /** Path within the parsed line, such as `message.content[0].text`. */
  jsonPath: string | undefined;
}

/**
 * All secrets in a session file as it is now, line by line, in the decoded JSON strings. A line that isn't JSON, or is
 * too long to parse, is searched as raw text. Yields undefined regularly so that the caller can pause or stop; calls
 * `onBytes` with the number of bytes read so far.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function* findSecretsInFile(
  path: string,
  detector: Detector,
  onBytes: (bytes: number) => void,
): Generator<FileSecret | undefined> {
  let fd: SessionBytes | undefined;
  try {
    fd = openForReading(path);
    if (!statBytes(fd).isFile()) throw new Error("not a regular file");
    let line = 0;
    for (const { offset, length, bytes } of readLines(fd, 0, getByteCount(fd))) {
      line++;
      const location = { line, byteOffset: offset };
      const parsed = length > MAX_LINE_BYTES ? undefined : parseJson(bytes);
      if (parsed) {
        for (const found of secretsInValue(parsed.value, detector)) yield found && { ...found, ...location };
      } else {
        for (const found of findSecretsInRawLine(fd, { offset, length }, (text) => detector.find(text))) {
          for (const each of found) yield { ...each, ...location, value: undefined, jsonPath: undefined };
          yield undefined;
        }
      }
      onBytes(offset + length);
      yield undefined;
    }
  } catch (error) {
    throw error instanceof PidexError ? error : toUnreadableError(path, error);
  } finally {
    if (fd !== undefined) closeBytes(fd);
  }
}

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; // a byte order mark
  try {
    return { value: JSON.parse(bytes.toString("utf8", start)) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // `pidex stats --problems` reports it
    throw error;
  }
}

function* secretsInValue(
  value: unknown,
  detector: Detector,
): Generator<Omit<FileSecret, "line" | "byteOffset"> | undefined> {
  for (const { text, field, path } of walkStrings(value)) {
    const matches = yield* detector.findInWindows(text, field);
    for (const match of matches) {
      const secret = text.slice(match.start, match.end);
      // Field names along the path may be secrets themselves.
      const jsonPath = formatJsonPath(path, (name) => (detector.find(name).length > 0 ? "…" : name));
      yield { match, secret, value, jsonPath };
    }
  }
}
