import { constants, openSync } from "node:fs";
import { encodePath } from "../path-bytes.ts";

/**
 * Opens a session file for reading, without blocking on a pipe with a session's name. Callers must check that it is a regular
 * file.
 *
 * @throws the error of `fs`
 */
export function openForReading(path: string): number {
  return openSync(encodePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
}
