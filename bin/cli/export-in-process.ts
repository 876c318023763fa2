/** Runs `pidex export` in a process of its own, for the picker: rendering a long session would delay its keys. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { PidexError } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import type { IndexLocation } from "../actions/index-location.ts";

/**
 * Exports a session to a new file, with likely secrets masked.
 *
 * @param file its ending is the format
 * @throws PidexError `FILE_UNWRITABLE` with the reason that the process printed
 */
export async function exportInProcess(
  { db, roots = [] }: IndexLocation,
  path: string,
  file: string,
): Promise<void> {
  const [, program = ""] = process.argv;
  const location = [...(db === undefined ? [] : ["--db", db]), ...roots.flatMap((root) => ["--root", root])];
  const argv = [program, "export", ...location, `--output=${file}`, "--", path];
  try {
    await promisify(execFile)(process.execPath, argv);
  } catch (error) {
    const [message = "", hint = ""] = (error as { stderr?: string }).stderr?.trim().split("\n") ?? [];
    const reason = message.replace(/^pidex: /, "") || toMessage(error);
    throw new PidexError("FILE_UNWRITABLE", reason, hint.trim(), { cause: error });
  }
}
