import { dirname } from "node:path";
import { shellWord } from "../../src/shell-word.ts";
import type { DatabaseHealth, Diagnosis, Finding } from "./diagnosis.ts";

type About = Pick<Diagnosis, "database" | "versions" | "roots" | "freshness">;

/** What is wrong with the database as a file, and as a database. */
export function* judgeDatabase({ database, versions, roots, freshness }: About): Generator<Finding> {
  yield* judgeState(database, versions);
  yield* judgeRights(database);
  yield* judgeRoom(database, roots, freshness !== undefined);
  const broken = database.leftovers.filter(({ kind }) => kind === "broken");
  if (broken.length > 0) {
    const message = `${sized(broken)} that were found broken and moved aside: nothing needs them`;
    const todo = `rm ${broken.map(({ path }) => `${shellWord(path)}*`).join(" ")}`;
    yield { level: "remark", code: "leftovers", message, todo, path: broken[0]?.path };
  }
  for (const { path, kind, bytes } of database.leftovers) {
    if (kind === "broken") continue;
    const { what, only } = LEFT[kind];
    const message = `${path} (${megabytes(bytes)}) ${what}`;
    yield { level: "remark", code: "leftovers", message, todo: `rm ${shellWord(path)}*, ${only}`, path };
  }
}

/** What databases are that were left, and when nothing needs them. */
const LEFT = {
  version: { what: "belongs to a pidex of another version", only: "if you no longer use that one" },
  rebuild: { what: "was being built and is not done", only: "if no pidex rebuild or verify is running" },
};

function* judgeState(database: DatabaseHealth, { schema }: Diagnosis["versions"]): Generator<Finding> {
  const { path, state, reason, newer, orphans = [] } = database;
  const because = reason ? `: ${reason}` : "";
  if (newer !== undefined) {
    const message = `${newer} was made by a newer pidex: this one keeps ${path} beside it`;
    const todo = "Bring pidex up to date: npm install -g pidex@latest";
    yield { level: "remark", code: "database-newer", message, todo, path: newer };
  }
  switch (state) {
    case "missing":
    case "empty": {
      if (orphans.length > 0) {
        const message = `there is no index at ${path}, but its ${orphans.join(", ")} lie there: it was deleted while a pidex had it open, or not as a whole`;
        const todo = "pidex index makes a new one; what still has the old one open goes on with the new one";
        yield { level: "warning", code: "database-deleted", message, todo, path };
        break;
      }
      const message = `there is no index yet at ${path}`;
      yield { level: "remark", code: "database-missing", message, todo: "pidex index", path };
      break;
    }
    case "not a file": {
      const message = `${path} is no file${because}`;
      const todo = "Name another file with --db or PIDEX_DB.";
      yield { level: "error", code: "database-not-a-file", message, todo, path };
      break;
    }
    case "foreign": {
      const todo = "Name another file with --db or PIDEX_DB.";
      yield { level: "error", code: "database-foreign", message: reason ?? path, todo, path };
      break;
    }
    case "unreadable": {
      const message = `${path} cannot be read${because}`;
      const todo = isStrange(database)
        ? takeOver(database)
        : `chmod u+rx ${shellWord(dirname(path))}; chmod 600 ${shellWord(path)}`;
      yield { level: "error", code: "database-unreadable", message, todo, path };
      break;
    }
    case "broken": {
      const said = database.checkMessages?.[0] ?? reason ?? "SQLite cannot read it";
      const message = `${path} is broken: ${said}`;
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
      const message = `the index is of an older pidex (schema ${database.schema}, this one wants ${schema}): the next command migrates it`;
      yield { level: "remark", code: "database-older", message, todo: "pidex index", path };
      break;
    }
  }
  if (state === "unknown" && reason !== undefined) {
    const message = `${path} could not be looked into: ${reason}`;
    const todo = "pidex index says whether it can be opened.";
    yield { level: "remark", code: "database-unchecked", message, todo, path };
  } else if (database.check === "unfinished") {
    const message = "there was no time to check all pages of the database";
    const todo = "Try again while the machine has less to do, or compare with the files: pidex verify";
    yield { level: "remark", code: "database-unchecked", message, todo, path };
  }
}

function* judgeRights(database: DatabaseHealth): Generator<Finding> {
  const { path, state, mode, folderMode, from, unwritable } = database;
  if (isStrange(database)) {
    const message = `${path} belongs to another user (${database.owner})`;
    const todo = takeOver(database);
    yield { level: "warning", code: "database-of-another-user", message, todo, path };
  }
  const isOurs = state !== "foreign" && state !== "not a file";
  if (unwritable !== undefined && isOurs) {
    const message = `${path} or its folder cannot be written: ${unwritable}`;
    const chmod = `chmod u+rwx ${shellWord(dirname(path))}; chmod u+rw ${shellWord(path)}`;
    const todo = unwritable.startsWith("EROFS")
      ? "Name a file on a disk that may be written with --db or PIDEX_DB."
      : isStrange(database)
        ? takeOver(database)
        : chmod;
    yield { level: "error", code: "database-unwritable", message, todo, path };
  }
  if (isOurs && mode !== undefined && bits(mode, 0o077) && !isStrange(database)) {
    const message = `others may read the index (mode ${mode}), and it holds words of your sessions`;
    const todo = `chmod 600 ${shellWord(path)}`;
    yield { level: "warning", code: "database-open-to-others", message, todo, path };
  }
  if (folderMode === undefined) return;
  const folder = dirname(path);
  // The folder is pidex's own only where pidex chose it. In a shared one others must not be able to swap the file.
  const isOpen =
    from === "default" ? bits(folderMode, 0o077) : bits(folderMode, 0o022) && !bits(folderMode, 0o1000);
  if (isOpen) {
    const message = `the index's folder ${folder} is open to others (mode ${folderMode})`;
    const todo =
      from === "default" ? `chmod 700 ${shellWord(folder)}` : "Name a file in a folder of your own.";
    yield { level: "warning", code: "folder-open-to-others", message, todo, path: folder };
  }
}

/** An index takes about a quarter of what its sessions do, and a rebuild has two at a time. */
const SHARE_OF_SESSIONS = 1 / 4;
/** What a log, and what sorting takes, may need besides. */
const SPARE_BYTES = 64 * 1024 * 1024;
/** With less there is no room for the smallest sync. */
const LEAST_BYTES = 4 * 1024 * 1024;

function* judgeRoom(
  { path, bytes = 0, diskFreeBytes }: DatabaseHealth,
  roots: Diagnosis["roots"],
  hasRows: boolean,
): Generator<Finding> {
  if (diskFreeBytes === undefined) return;
  const sessions = roots.reduce((sum, root) => sum + root.bytes, 0);
  const needed = SPARE_BYTES + Math.max(hasRows ? bytes : 0, sessions * SHARE_OF_SESSIONS);
  if (diskFreeBytes >= needed) return;
  const message = `${megabytes(diskFreeBytes)} are left on the disk of the index: a rebuild needs ${megabytes(needed)}`;
  const todo = `Free some room: df -h ${shellWord(dirname(path))}`;
  const level = diskFreeBytes < LEAST_BYTES ? "error" : "warning";
  yield { level, code: "disk-full", message, todo, path };
}

/** Whether the system says that it is another user's. */
function isStrange({ yours }: DatabaseHealth): boolean {
  return yours === false;
}

function takeOver({ path }: DatabaseHealth): string {
  return `sudo chown "$(id -un)" ${shellWord(path)}*`;
}

function bits(octal: string, mask: number): boolean {
  return (Number.parseInt(octal, 8) & mask) !== 0;
}

function sized(leftovers: DatabaseHealth["leftovers"]): string {
  const bytes = leftovers.reduce((sum, each) => sum + each.bytes, 0);
  return `${leftovers.length === 1 ? "a database" : `${leftovers.length} databases`} (${megabytes(bytes)})`;
}

function megabytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
