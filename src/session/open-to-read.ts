import { constants, openSync } from "node:fs";
import { fsPath } from "../path-bytes.ts";

/**
 * Opens a session file to read it. Does not wait for a pipe that has a session's name: whether it is a file is for the
 * caller to check.
 *
 * @throws the error of `fs`
 */
export function openToRead(path: string): number {
  return openSync(fsPath(path), constants.O_RDONLY | constants.O_NONBLOCK);
}
