/** Files and folders that only their owner can read. */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError, toMessage } from "../../src/errors.ts";

/** Creates a folder that only its owner can open. An existing one keeps its permissions. */
export function createPrivateFolder(path: string): void {
  const created = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (created !== undefined) chmodSync(path, 0o700);
}

/**
 * Writes a file that only its owner can read, in place of another one, and creates its folder.
 *
 * @throws PidexError `FILE_UNWRITABLE`
 */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    createPrivateFolder(dirname(path));
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (cause) {
    if (existsSync(temporary)) rmSync(temporary); // also false if the folder is a file
    const hint = "Check the permissions of the folder, or set PIDEX_CONFIG to another one.";
    throw new PidexError("FILE_UNWRITABLE", `cannot write ${path}: ${toMessage(cause)}`, hint, { cause });
  }
}
