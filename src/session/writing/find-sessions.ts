/** Finds sessions by their headers. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PidexError } from "../../errors.ts";
import { decodePath, encodePath } from "../../path-bytes.ts";
import { expandPath, isSessionFileName } from "../locations.ts";
import { closeBytes, getByteCount } from "../session-bytes.ts";
import type { SessionHeader } from "../session-types.ts";
import { readFileLines } from "./file-lines.ts";
import { isSameCwd } from "./folders.ts";
import { classifyLine, openSessionFile } from "./load.ts";

/** Bytes read to find a header, in increasing steps: the first is usually enough. */
const HEADER_STEPS_BYTES = [4 << 10, 64 << 10, 1 << 20];

/** Bytes read per file to find its header while searching a folder, which blocks the caller. */
const MAX_LOOKUP_BYTES = 16 << 20;

/**
 * The header of a session file; undefined if there is none within `maxBytes`.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function readSessionHeader(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): SessionHeader | undefined {
  const fd = openSessionFile(path);
  try {
    const size = Math.min(getByteCount(fd), maxBytes);
    const point = { offset: 0, unterminated: false };
    for (const end of [...HEADER_STEPS_BYTES, size]) {
      for (const { object } of readFileLines(fd, point, Math.min(size, end), { objectsOnly: true })) {
        const lineKind = classifyLine(object, false);
        if (lineKind === "header") return object as unknown as SessionHeader;
        if (lineKind === "foreign") return undefined;
      }
      if (end >= size) return undefined;
    }
    return undefined;
  } finally {
    closeBytes(fd);
  }
}

/** A session file in a folder, and its header. */
interface FoundSession {
  path: string;
  header: SessionHeader;
}

/** The sessions among some files, of one working directory if `cwd` is set. Skips unreadable files. */
function* findIn(paths: Iterable<string>, cwd: string | undefined): Generator<FoundSession> {
  const resolvedCwd = cwd === undefined ? undefined : expandPath(cwd);
  for (const path of paths) {
    const header = tryReadHeader(path);
    if (header && (resolvedCwd === undefined || isSameCwd(header.cwd, resolvedCwd))) yield { path, header };
  }
}

function tryReadHeader(path: string): SessionHeader | undefined {
  try {
    return readSessionHeader(path, MAX_LOOKUP_BYTES);
  } catch (error) {
    if (error instanceof PidexError) return undefined; // one unreadable file must not hide the others
    throw error;
  }
}

function listSessionFiles(folder: string): string[] {
  try {
    return readdirSync(encodePath(folder), "buffer")
      .map(decodePath)
      .filter(isSessionFileName)
      .map((name) => join(folder, name));
  } catch {
    return []; // a missing or unreadable folder has no sessions
  }
}

/**
 * The most recently modified session file in a folder, of one working directory if `cwd` is set. Null if there is none.
 */
export function findMostRecentSession(sessionDir: string, cwd?: string): string | null {
  const files = listSessionFiles(expandPath(sessionDir)).flatMap((path) => {
    try {
      return [{ path, written: statSync(encodePath(path)).mtimeMs }];
    } catch {
      return []; // a broken link must not hide the others
    }
  });
  files.sort((a, b) => b.written - a.written);
  const paths = files.map(({ path }) => path);
  for (const { path } of findIn(paths, cwd)) return path;
  return null;
}

/** The session file with this id in a folder, of one working directory if `cwd` is set. */
export function findSessionFile(sessionDir: string, id: string, cwd?: string): string | undefined {
  for (const { path, header } of findIn(listSessionFiles(expandPath(sessionDir)), cwd)) {
    if (header.id === id) return path;
  }
  return undefined;
}
