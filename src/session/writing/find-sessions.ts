/** Sessions found by their headers alone. */
import { closeSync, fstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PidexError } from "../../errors.ts";
import { fsPath, pathText } from "../../path-bytes.ts";
import { expandPath, isSessionFileName } from "../locations.ts";
import type { SessionHeader } from "../session-types.ts";
import { readFileLines } from "./file-lines.ts";
import { isCwdOf } from "./folders.ts";
import { kindOf, openSessionFile } from "./load.ts";

/** How much of a file is read to find its header, before all of it: mostly the first is enough. */
const HEADER_BYTES = [4 << 10, 64 << 10, 1 << 20];

/** How much of a file is read to find its header while a caller looks through a folder and is blocked. */
const LOOKUP_BYTES = 16 << 20;

/**
 * The header of a session file; undefined when it has none that ends within `maxBytes`.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function readSessionHeader(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): SessionHeader | undefined {
  const fd = openSessionFile(path);
  try {
    const size = Math.min(fstatSync(fd).size, maxBytes);
    const point = { offset: 0, unterminated: false };
    for (const end of [...HEADER_BYTES, size]) {
      for (const { object } of readFileLines(fd, point, Math.min(size, end), { objectsOnly: true })) {
        const kind = kindOf(object, false);
        if (kind === "header") return object as unknown as SessionHeader;
        if (kind === "stranger") return undefined;
      }
      if (end >= size) return undefined;
    }
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** A session file in a folder, and its header. */
interface FoundSession {
  path: string;
  header: SessionHeader;
}

/** The sessions of a folder, those of a working directory where one is named; files that cannot be read are passed over. */
function* sessionsIn(paths: Iterable<string>, cwd: string | undefined): Generator<FoundSession> {
  const wanted = cwd === undefined ? undefined : expandPath(cwd);
  for (const path of paths) {
    const header = headerOf(path);
    if (header && (wanted === undefined || isCwdOf(header.cwd, wanted))) yield { path, header };
  }
}

function headerOf(path: string): SessionHeader | undefined {
  try {
    return readSessionHeader(path, LOOKUP_BYTES);
  } catch (error) {
    if (error instanceof PidexError) return undefined; // one bad file does not hide the others
    throw error;
  }
}

function sessionFiles(folder: string): string[] {
  try {
    return readdirSync(fsPath(folder), "buffer")
      .map(pathText)
      .filter(isSessionFileName)
      .map((name) => join(folder, name));
  } catch {
    return []; // no such folder, or none that can be read, holds no session that could be found
  }
}

/**
 * The session file of a folder that was written last, by the file's own time; with `cwd` of that working directory. Null
 * where there is none.
 */
export function findMostRecentSession(sessionDir: string, cwd?: string): string | null {
  const files = sessionFiles(expandPath(sessionDir)).flatMap((path) => {
    try {
      return [{ path, written: statSync(fsPath(path)).mtimeMs }];
    } catch {
      return []; // a link that leads nowhere, or to itself, is none, and does not hide the others
    }
  });
  files.sort((a, b) => b.written - a.written);
  const paths = files.map(({ path }) => path);
  for (const { path } of sessionsIn(paths, cwd)) return path;
  return null;
}

/** The file of the session with this id in a folder, with `cwd` of that working directory. */
export function findSessionFile(sessionDir: string, id: string, cwd?: string): string | undefined {
  for (const { path, header } of sessionsIn(sessionFiles(expandPath(sessionDir)), cwd)) {
    if (header.id === id) return path;
  }
  return undefined;
}
