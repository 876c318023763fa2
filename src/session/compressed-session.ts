/** Tells compressed sessions from others, and protects them from writes. */
import { closeSync, statSync } from "node:fs";
import { PidexError } from "../errors.ts";
import { encodePath } from "../path-bytes.ts";
import { toCompressedPath } from "./locations.ts";
import { hasHeader } from "./plain-header.ts";
import { hasCompressedFile, tryOpenPlain } from "./session-bytes.ts";

/** Whether a session is compressed: its plain file does not exist, or has only what was appended since. */
export function isCompressed(path: string): boolean {
  if (!hasCompressedFile(path)) return false;
  const plain = tryOpenPlain(path);
  if (plain === undefined) return true;
  try {
    return !hasHeader(plain);
  } finally {
    closeSync(plain);
  }
}

/** The files of a session on disk. */
export interface SessionFiles {
  /** Bytes on disk of the plain file and the compressed one together. */
  bytes: number;
  isCompressed: boolean;
  modifiedMs: number;
}

/** Undefined if there are none. */
export function statSessionFiles(path: string): SessionFiles | undefined {
  const plain = statSync(encodePath(path), { throwIfNoEntry: false });
  const compressed = hasCompressedFile(path) ? statSync(encodePath(toCompressedPath(path))) : undefined;
  const newest = plain ?? compressed;
  const bytes = (plain?.size ?? 0) + (compressed?.size ?? 0);
  return newest && { bytes, isCompressed: !plain, modifiedMs: newest.mtimeMs };
}

/** @throws PidexError `SESSION_COMPRESSED` for a compressed session: agents do not know it, and nothing can be appended to it */
export function assertNotCompressed(path: string): void {
  if (!isCompressed(path)) return;
  const hint = "Restore it first: pidex restore SESSION.";
  throw new PidexError("SESSION_COMPRESSED", `${path} is compressed, so it cannot be changed`, hint);
}
