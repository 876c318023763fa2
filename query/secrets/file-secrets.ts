import { closeSync, fstatSync } from "node:fs";
import { PidexError } from "../../src/errors.ts";
import { MAX_LINE_BYTES, readLines } from "../../src/session/lines.ts";
import { openToRead } from "../../src/session/open-to-read.ts";
import { unreadable } from "../unreadable.ts";
import type { Detector } from "./detector.ts";
import { rawSecrets } from "./raw-text.ts";
import { stringsIn, writtenPlace } from "./strings.ts";
import type { Match } from "./text-rule.ts";

/** A secret, and where in a file it stands. */
export interface FileSecret {
  match: Match;
  secret: string;
  /** From 1. */
  line: number;
  byteOffset: number;
  /** What the line holds, where it is JSON. */
  object: unknown;
  /** Where in that it stands. */
  place: string | undefined;
}

/**
 * All secrets in a session file as it is now, line by line and string by string, as JSON means them. A line that is no
 * JSON, or is longer than is read whole, is looked through as it is. Yields nothing now and then, so that the caller can
 * stop; `onBytes` is told how far the file is read.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function* secretsInFile(
  path: string,
  detector: Detector,
  onBytes: (bytes: number) => void,
): Generator<FileSecret | undefined> {
  let fd: number | undefined;
  try {
    fd = openToRead(path);
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("it is no file");
    let line = 0;
    for (const { offset, length, bytes } of readLines(fd, 0, stat.size)) {
      line++;
      const at = { line, byteOffset: offset };
      const read = length > MAX_LINE_BYTES ? undefined : parsed(bytes);
      if (read) {
        for (const found of inValue(read.value, detector)) yield found && { ...found, ...at };
      } else {
        for (const found of rawSecrets(fd, { offset, length }, (text) => detector.find(text))) {
          for (const each of found) yield { ...each, ...at, object: undefined, place: undefined };
          yield undefined;
        }
      }
      onBytes(offset + length);
      yield undefined;
    }
  } catch (error) {
    throw error instanceof PidexError ? error : unreadable(path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function parsed(bytes: Buffer): { value: unknown } | undefined {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; // a byte order mark
  try {
    return { value: JSON.parse(bytes.toString("utf8", start)) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // `pidex stats --problems` tells of it
    throw error;
  }
}

function* inValue(
  value: unknown,
  detector: Detector,
): Generator<Omit<FileSecret, "line" | "byteOffset"> | undefined> {
  for (const { text, field, place } of stringsIn(value)) {
    const matches = yield* detector.finding(text, field);
    for (const match of matches) {
      const secret = text.slice(match.start, match.end);
      // The names of fields on the way may be secrets themselves.
      const where = writtenPlace(place, (name) => (detector.find(name).length > 0 ? "…" : name));
      yield { match, secret, object: value, place: where };
    }
  }
}
