import { shellWord } from "../../src/shell-word.ts";
import { howToRaise, type WatchLimits } from "../../src/watch-limits.ts";
import type { Diagnosis, Finding } from "./diagnosis.ts";
import { judgeDatabase } from "./judge-database.ts";

/** All that was found out, and what only findings tell of. */
export interface Facts extends Omit<Diagnosis, "findings"> {
  /** What is wrong with this Node, if anything is. */
  nodeComplaint?: string | undefined;
  /** Why SQLite cannot be loaded. */
  sqliteReason?: string | undefined;
  /** The limit that is reached, where a folder cannot be watched for that. */
  watchLimit?: keyof WatchLimits | undefined;
  /** True when the system does not say where the user's own folder is, and it is needed. */
  homeless: boolean;
  /** What was said of settings that could not be read. */
  notices: readonly string[];
  /** Folders and files below the roots that could not be looked at. */
  unlisted: readonly { path: string; reason: string }[];
}

/** What is wrong, worst first. */
export function judge(facts: Facts): Finding[] {
  const findings = [
    ...judgeMachine(facts),
    ...judgeRoots(facts),
    ...judgeDatabase(facts),
    ...judgeRows(facts),
    ...judgeWatching(facts),
  ];
  return findings.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

const LEVELS: readonly Finding["level"][] = ["error", "warning", "remark"];

function* judgeMachine({ nodeComplaint, sqliteReason, homeless }: Facts): Generator<Finding> {
  if (nodeComplaint) {
    const todo = "Install a newer Node, or run pidex with one: npx -p node@24 -p pidex pidex";
    yield { level: "error", code: "node-too-old", message: nodeComplaint, todo };
  }
  if (sqliteReason) {
    const message = `SQLite cannot be loaded: ${sqliteReason}`;
    const todo = "Install pidex again with this Node and on this machine: npm install -g pidex";
    yield { level: "error", code: "sqlite-unusable", message, todo };
  }
  if (homeless) {
    const message = "the system does not say where your home folder is";
    const todo = "Set HOME, or PIDEX_DB and PIDEX_ROOTS to full paths.";
    yield { level: "error", code: "no-home", message, todo };
  }
}

function* judgeRoots({ roots, unlisted, notices, openToOthers }: Facts): Generator<Finding> {
  for (const notice of notices) {
    const todo = "Mend that file: until then its sessionDir is not looked at.";
    yield { level: "warning", code: "settings-unreadable", message: notice, todo };
  }
  for (const { path, from, state, reason } of roots) {
    const named = `${path}, named by ${from === "option" ? "an option" : from},`;
    const that = from === "default" || from === "option" ? "that" : from;
    if (state === "missing" && from !== "default") {
      const todo = `Correct ${that}, or make the folder: mkdir -p ${shellWord(path)}`;
      yield { level: "warning", code: "root-missing", message: `${named} does not exist`, todo, path };
    } else if (state === "not a folder") {
      const todo = `Correct ${that}: sessions lie in a folder.`;
      yield { level: "error", code: "root-not-a-folder", message: `${named} is not a folder`, todo, path };
    } else if (state === "unreadable") {
      const message = `${named} cannot be looked into: ${reason ?? "no permission"}`;
      const todo = `chmod u+rx ${shellWord(path)}`;
      yield { level: "error", code: "root-unreadable", message, todo, path };
    }
  }
  const [first] = unlisted;
  if (first) {
    const others = unlisted.length > 1 ? `, and ${unlisted.length - 1} more` : "";
    const message = `${first.path} could not be looked at (${first.reason})${others}: what is below it is as it was`;
    const todo = `chmod u+rX ${shellWord(first.path)}`;
    yield { level: "warning", code: "folder-unreadable", message, todo, path: first.path };
  }
  // Where something could not be looked into, there may be.
  const sawAll = unlisted.length === 0 && roots.every(({ state }) => state !== "unreadable");
  if (sawAll && roots.length > 0 && roots.every(({ files }) => files === 0)) {
    const message = "there are no session files in any of the roots";
    const todo = "Name the folder that holds them: pidex doctor --root FOLDER, then PIDEX_ROOTS";
    yield { level: "warning", code: "no-sessions", message, todo };
  }
  const [open] = openToOthers.first;
  if (open !== undefined) {
    const message = `everybody on this machine may read ${counted(openToOthers.count, "session file")}`;
    const folders = roots.filter(({ path }) => openToOthers.first.some((file) => file.startsWith(path)));
    const todo = `chmod -R o= ${folders.map(({ path }) => shellWord(path)).join(" ") || shellWord(open)}`;
    yield { level: "remark", code: "sessions-open-to-others", message, todo, path: open };
  }
}

function* judgeRows({ freshness, problems = [], indexing, database }: Facts): Generator<Finding> {
  if (indexing) {
    const message = "a pidex is indexing at this moment";
    yield { level: "remark", code: "indexing", message, todo: "Nothing: what is behind soon is not." };
  }
  if (freshness) {
    const parts = (["new", "changed", "gone"] as const)
      .filter((what) => freshness[what] > 0)
      .map((what) => `${freshness[what]} ${what}`);
    // Of an index that is not there yet, that is all there is to say.
    const isNew = database.state === "missing" || database.state === "empty";
    if (parts.length > 0 && !isNew) {
      const message = `the index is behind the session files: ${parts.join(", ")}`;
      yield { level: "remark", code: "files-behind", message, todo: "pidex index" };
    }
    if (freshness.rereading > 0) {
      const message = `${counted(freshness.rereading, "file")} indexed by an older pidex: read again by the next command`;
      yield { level: "remark", code: "files-of-older-extraction", message, todo: "pidex index" };
    }
  }
  if (freshness && freshness.unfinished > 0 && !indexing) {
    const message = `${counted(freshness.unfinished, "file")} indexed in part, because a run was interrupted: the next command goes on`;
    yield { level: "remark", code: "files-unfinished", message, todo: "pidex index" };
  }
  if (problems.length > 0) {
    const all = problems.reduce((sum, { count }) => sum + count, 0);
    const codes = problems.map(({ code, count }) => `${count} ${code}`).join(", ");
    const message = `${counted(all, "problem")} in session files: ${codes}`;
    yield { level: "remark", code: "problems", message, todo: "pidex stats --problems" };
  }
}

/** Other programs watch folders too: editors do so by the ten thousand. */
const SHARE_OF_WATCHES = 0.8;

function* judgeWatching({ watching, watchLimit }: Facts): Generator<Finding> {
  const { folders, maxWatches, works, reason } = watching;
  if (works === false) {
    const message = `folders cannot be watched now: ${reason}`;
    const raised = watchLimit && `${howToRaise(watchLimit, watching, folders)}; or `;
    const todo = `${raised ?? ""}pidex watch --poll`;
    yield { level: "warning", code: "watching-fails", message, todo };
  } else if (maxWatches !== undefined && folders > maxWatches * SHARE_OF_WATCHES) {
    const message = `${counted(folders, "folder")} to watch, and the system allows ${maxWatches} for all programs`;
    const todo = howToRaise("maxWatches", watching, folders);
    yield { level: "warning", code: "watches-too-few", message, todo };
  }
}

/** A number and what it counts. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
