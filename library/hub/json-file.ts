import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { PidexError, systemCode, toMessage } from "../../src/errors.ts";

/**
 * The content of a JSON file; undefined if there is no file.
 *
 * @throws PidexError `FILE_UNREADABLE` if the file cannot be read, or is not what the schema describes
 */
export function readJsonFile<S extends z.ZodType>(path: string, schema: S): z.output<S> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return undefined;
    const reason = systemCode(cause) === undefined ? "its content is invalid" : toMessage(cause);
    const hint = "Correct the file, or delete it.";
    throw new PidexError("FILE_UNREADABLE", `cannot read ${path}: ${reason}`, hint, { cause });
  }
}

/**
 * Writes a JSON file that only its owner can read. A crash leaves the old file or the new one.
 *
 * @throws PidexError `FILE_UNWRITABLE`
 */
export function writeJsonFile(path: string, value: object, indent?: number): void {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    createPrivateFolder(dirname(path));
    writeFileSync(temporary, `${JSON.stringify(value, null, indent)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const hint = "Check the permissions of the folder, and that the disk is not full.";
    throw new PidexError("FILE_UNWRITABLE", `cannot write ${path}: ${toMessage(cause)}`, hint, { cause });
  }
}

/** Creates a folder that only its owner can open. An existing one keeps its permissions. */
export function createPrivateFolder(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
}
