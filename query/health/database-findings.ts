import { dirname } from "node:path";
import { quoteForShell } from "../../src/shell-word.ts";
import type { DatabaseHealth, Diagnosis, Finding } from "./diagnosis.ts";

type DatabaseFacts = Pick<Diagnosis, "database" | "versions" | "roots" | "freshness">;

/** Findings about the database file and its contents. */
export function* toDatabaseFindings({
  database,
  versions,
  roots,
  freshness,
}: DatabaseFacts): Generator<Finding> {
  yield* findStateProblems(database, versions);
  yield* findPermissionsProblems(database);
  yield* findDiskSpaceProblems(database, roots, freshness !== undefined);
  const broken = database.leftovers.filter(({ kind }) => kind === "broken");
  if (broken.length > 0) {
    const message = `${describeSize(broken)} can be deleted`;
    const todo = `rm ${broken.map(({ path }) => `${quoteForShell(path)}*`).join(" ")}`;
    yield { level: "info", code: "leftovers", message, todo, path: broken[0]?.path };
  }
  for (const { path, kind, bytes } of database.leftovers) {
    if (kind === "broken") continue;
    const { description, condition } = LEFTOVERS[kind];
    const message = `${path} (${formatBytes(bytes)}) ${description}: delete it ${condition}`;
    yield {
      level: "info",
      code: "leftovers",
      message,
      todo: `rm ${quoteForShell(path)}*`,
      path,
    };
  }
}

/** Leftover databases, and when they can be deleted. */
const LEFTOVERS = {
  version: {
    description: "belongs to another version of pidex",
    condition: "if you no longer use that version",
  },
  rebuild: {
    description: "is an unfinished rebuild",
    condition: "if no pidex rebuild or verify is running",
  },
};

function* findStateProblems(database: DatabaseHealth, { schema }: Diagnosis["versions"]): Generator<Finding> {
  const { path, state, reason, newer, orphans = [] } = database;
  const because = reason ? `: ${reason}` : "";
  if (newer !== undefined) {
    const message = `${newer} was written by a newer pidex: this one uses ${path} instead`;
    const todo = "Update pidex: npm install -g pidex@latest";
    yield { level: "info", code: "database-newer", message, todo, path: newer };
  }
  switch (state) {
    case "missing":
    case "empty": {
      if (orphans.length > 0) {
        const message = `there is no index at ${path}, but ${orphans.join(", ")} still exist: it was deleted while pidex had it open, or only partly deleted`;
        const todo = "pidex index creates a new one; processes that have the old one open will switch to it";
        yield { level: "warning", code: "database-deleted", message, todo, path };
        break;
      }
      const message = `there is no index yet at ${path}`;
      yield { level: "info", code: "database-missing", message, todo: "pidex index", path };
      break;
    }
    case "not a file": {
      const message = `${path} is not a regular file${because}`;
      const todo = "Set another path with --db or PIDEX_DB.";
      yield { level: "error", code: "database-not-a-file", message, todo, path };
      break;
    }
    case "foreign": {
      const todo = "Set another path with --db or PIDEX_DB.";
      yield { level: "error", code: "database-foreign", message: reason ?? path, todo, path };
      break;
    }
    case "unreadable": {
      const message = `${path} cannot be read${because}`;
      const todo = isOwnedByOther(database)
        ? chownCommand(database)
        : `chmod u+rx ${quoteForShell(dirname(path))}; chmod 600 ${quoteForShell(path)}`;
      yield { level: "error", code: "database-unreadable", message, todo, path };
      break;
    }
    case "broken": {
      const detail = database.checkMessages?.[0] ?? reason ?? "SQLite cannot read it";
      const message = `${path} is damaged: ${detail}`;
      yield { level: "error", code: "database-broken", message, todo: "pidex rebuild", path };
      break;
    }
    case "busy": {
      const message = `${path} is locked by another process${because}`;
      const todo = "Try again in a moment: pidex doctor";
      yield { level: "warning", code: "database-busy", message, todo, path };
      break;
    }
    case "older": {
      const message = `the index was written by an older pidex (schema ${database.schema}; the current one is ${schema}): the next command migrates it`;
      yield { level: "info", code: "database-older", message, todo: "pidex index", path };
      break;
    }
  }
  if (state === "unknown" && reason !== undefined) {
    const message = `${path} could not be read: ${reason}`;
    const todo = "Run pidex index to see whether it can be opened.";
    yield { level: "info", code: "database-unchecked", message, todo, path };
  } else if (database.check === "unfinished") {
    const message = "there was no time to check all pages of the database";
    const todo = "Try again when the machine is less busy, or compare the index with the files: pidex verify";
    yield { level: "info", code: "database-unchecked", message, todo, path };
  }
}

function* findPermissionsProblems(database: DatabaseHealth): Generator<Finding> {
  const { path, state, mode, folderMode, from, unwritable } = database;
  if (isOwnedByOther(database)) {
    const message = `${path} belongs to another user (${database.owner})`;
    const todo = chownCommand(database);
    yield { level: "warning", code: "database-of-another-user", message, todo, path };
  }
  const isOurs = state !== "foreign" && state !== "not a file";
  if (unwritable !== undefined && isOurs) {
    const message = `${path} or its folder is not writable: ${unwritable}`;
    const chmod = `chmod u+rwx ${quoteForShell(dirname(path))}; chmod u+rw ${quoteForShell(path)}`;
    const todo = unwritable.startsWith("EROFS")
      ? "Set a path on a writable disk with --db or PIDEX_DB."
      : isOwnedByOther(database)
        ? chownCommand(database)
        : chmod;
    yield { level: "error", code: "database-unwritable", message, todo, path };
  }
  if (isOurs && mode !== undefined && hasBits(mode, 0o077) && !isOwnedByOther(database)) {
    const message = `other users can read the index (mode ${mode}), which contains text from your sessions`;
    const todo = `chmod 600 ${quoteForShell(path)}`;
    yield { level: "warning", code: "database-open-to-others", message, todo, path };
  }
  if (folderMode === undefined) return;
  const folder = dirname(path);
  // Only the default folder belongs to pidex. In any other, it is enough that other users can't replace the file.
  const isOpen =
    from === "default"
      ? hasBits(folderMode, 0o077)
      : hasBits(folderMode, 0o022) && !hasBits(folderMode, 0o1000);
  if (isOpen) {
    const message = `other users can access ${folder}, the folder of the index (mode ${folderMode})`;
    const todo =
      from === "default"
        ? `chmod 700 ${quoteForShell(folder)}`
        : "Set a path in a folder that only you can write.";
    yield { level: "warning", code: "folder-open-to-others", message, todo, path: folder };
  }
}

/** Size of an index relative to its sessions. During a rebuild there are two of them. */
const SHARE_OF_SESSIONS = 1 / 4;
/** Space for the log and for sorting. */
const SPARE_BYTES = 64 * 1024 * 1024;
/** With less, even the smallest sync fails. */
const MIN_FREE_BYTES = 4 * 1024 * 1024;

function* findDiskSpaceProblems(
  { path, bytes = 0, diskFreeBytes }: DatabaseHealth,
  roots: Diagnosis["roots"],
  hasRows: boolean,
): Generator<Finding> {
  if (diskFreeBytes === undefined) return;
  const sessions = roots.reduce((sum, root) => sum + root.bytes, 0);
  const needed = SPARE_BYTES + Math.max(hasRows ? bytes : 0, sessions * SHARE_OF_SESSIONS);
  if (diskFreeBytes >= needed) return;
  const message = `${formatBytes(diskFreeBytes)} free on the disk of the index: a rebuild needs ${formatBytes(needed)}`;
  const todo = `Free some space: df -h ${quoteForShell(dirname(path))}`;
  const level = diskFreeBytes < MIN_FREE_BYTES ? "error" : "warning";
  yield { level, code: "disk-full", message, todo, path };
}

/** Whether it is known to belong to another user. */
function isOwnedByOther({ yours }: DatabaseHealth): boolean {
  return yours === false;
}

function chownCommand({ path }: DatabaseHealth): string {
  return `sudo chown "$(id -un)" ${quoteForShell(path)}*`;
}

function hasBits(octal: string, mask: number): boolean {
  return (Number.parseInt(octal, 8) & mask) !== 0;
}

function describeSize(leftovers: DatabaseHealth["leftovers"]): string {
  const bytes = leftovers.reduce((sum, each) => sum + each.bytes, 0);
  return `${leftovers.length} quarantined database${leftovers.length === 1 ? "" : "s"} (${formatBytes(bytes)})`;
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
