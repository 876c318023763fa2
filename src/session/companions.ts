/** Companions: files and folders beside a session file that belong to the session. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { decodePath, encodePath } from "../path-bytes.ts";

/**
 * A file name that pi generates. Only then does the folder of the same name belong to the session: next to a hand-named
 * `notes.jsonl`, `notes/` may hold anything.
 */
const GENERATED_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$/;

/** Whether a path is the path of a companion of a session file. Compares paths only, so `path` may be a file or a folder. */
export function isCompanionPath(file: string, path: string): boolean {
  if (path.startsWith(file) && path !== file) return IS_BACKUP.test(path.slice(file.length));
  return GENERATED_NAME.test(basename(file)) && path === file.slice(0, -".jsonl".length);
}

/**
 * The suffix of a backup made before an upgrade, or of what an interrupted compression left: without the session file, it would be
 * the session again.
 */
const IS_BACKUP = /^\.(bak(-\d+)?|zst|retired|tail-\d+)$/;

/** The folder of a session's subagents, and the backups of its file made before upgrades. */
export function findCompanions(file: string): string[] {
  const [folder, name] = [dirname(file), basename(file)];
  const isBackup = (other: string) => other.startsWith(name) && IS_BACKUP.test(other.slice(name.length));
  const backups = readdirSync(encodePath(folder), "buffer")
    .map(decodePath)
    .filter(isBackup)
    .map((other) => join(folder, other));
  const subagents = file.slice(0, -".jsonl".length);
  const hasSubagents =
    GENERATED_NAME.test(name) && statSync(encodePath(subagents), { throwIfNoEntry: false })?.isDirectory();
  return hasSubagents ? [subagents, ...backups] : backups;
}
