/** What belongs to a session beside its file. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fsPath, pathText } from "../path-bytes.ts";

/**
 * A name that pi gives to a session. Only a folder of such a name is surely a session's: beside a `notes.jsonl` that
 * somebody named, `notes/` may hold anything.
 */
const GIVEN_BY_PI = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$/;

/** Whether a path is one that a session's companions have. Of a folder only its name is known. */
export function isCompanionOf(file: string, path: string): boolean {
  if (path.startsWith(file)) return IS_BACKUP.test(path.slice(file.length));
  return GIVEN_BY_PI.test(basename(file)) && path === file.slice(0, -".jsonl".length);
}

/** What follows the name of a session's file that was kept from before it was upgraded. */
const IS_BACKUP = /^\.bak(-\d+)?$/;

/** The folder into which a session's subagents wrote, and what was kept of its file from before it was upgraded. */
export function companionsOf(file: string): string[] {
  const [folder, name] = [dirname(file), basename(file)];
  const isBackup = (other: string) => other.startsWith(name) && IS_BACKUP.test(other.slice(name.length));
  const backups = readdirSync(fsPath(folder), "buffer")
    .map(pathText)
    .filter(isBackup)
    .map((other) => join(folder, other));
  const subagents = file.slice(0, -".jsonl".length);
  const isTheirs =
    GIVEN_BY_PI.test(name) && statSync(fsPath(subagents), { throwIfNoEntry: false })?.isDirectory();
  return isTheirs ? [subagents, ...backups] : backups;
}
