/**
 * The keys of sessions that were deleted from a hub on request. A key is a SHA-256 over the person and the id of the session, so that it is
 * the same for every copy of the session on every machine of the person; of a file without a session id, over its machine and path.
 */
import { createHash } from "node:crypto";

/** A session file of a machine of a person. */
export interface KeyedFile {
  /** The id of the person on the hub. */
  person: number;
  /** The name of the machine on the hub. */
  machine: string;
  /** On the machine. */
  path: string;
  /** Undefined or empty without a header. */
  sessionId: string | undefined;
}

/** The key under which a deleted file is recorded, as 64 hex digits. */
export function toForgottenKey({ person, machine, path, sessionId }: KeyedFile): string {
  const parts = sessionId ? ["session", person, sessionId] : ["file", machine, path];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** All keys under which a file may be recorded: its header may have been missing when it was deleted. */
export function listForgottenKeys(file: KeyedFile): string[] {
  const keys = [toForgottenKey(file), toForgottenKey({ ...file, sessionId: undefined })];
  return [...new Set(keys)];
}
