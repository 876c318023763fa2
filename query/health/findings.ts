import { formatCount, formatInteger } from "../../src/format-count.ts";
import { getProblemName } from "../../src/session/problem-names.ts";
import { quoteForShell } from "../../src/shell-word.ts";
import { raiseLimitCommand, type WatchLimits } from "../../src/watch-limits.ts";
import { toDatabaseFindings } from "./database-findings.ts";
import type { Diagnosis, Finding } from "./diagnosis.ts";

/** Everything that findings are derived from: the diagnosis and facts that are not part of it. */
export interface DiagnosisFacts extends Omit<Diagnosis, "findings"> {
  /** Why this Node is not supported. */
  nodeError?: string | undefined;
  /** Why SQLite cannot be loaded. */
  sqliteError?: string | undefined;
  /** The system limit that prevents watching a folder. */
  watchLimit?: keyof WatchLimits | undefined;
  /** True if the home folder is needed but unknown. */
  isHomeUnknown: boolean;
  /** Errors from settings files that could not be read. */
  notices: readonly string[];
  /** Indexed files below no root. */
  filesOutside: readonly string[];
  /** Folders and files below the roots that could not be read. */
  unreadablePaths: readonly { path: string; reason: string }[];
}

/** Findings, worst first. */
export function toFindings(facts: DiagnosisFacts): Finding[] {
  const findings = [
    ...findMachineProblems(facts),
    ...findRootsProblems(facts),
    ...toDatabaseFindings(facts),
    ...findRowsProblems(facts),
    ...findWatchingProblems(facts),
  ];
  return findings.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

const LEVELS: readonly Finding["level"][] = ["error", "warning", "info"];

function* findMachineProblems({ nodeError, sqliteError, isHomeUnknown }: DiagnosisFacts): Generator<Finding> {
  if (nodeError) {
    const todo = "Install a newer Node, or run pidex with a temporary one: npx -p node@24 -p pidex pidex";
    yield { level: "error", code: "node-too-old", message: nodeError, todo };
  }
  if (sqliteError) {
    const message = `SQLite cannot be loaded: ${sqliteError}`;
    const todo = "Reinstall pidex on this machine with this Node: npm install -g pidex";
    yield { level: "error", code: "sqlite-unusable", message, todo };
  }
  if (isHomeUnknown) {
    const message = "your home folder is unknown";
    const todo = "Set HOME, or set PIDEX_DB and PIDEX_ROOTS to absolute paths.";
    yield { level: "error", code: "no-home", message, todo };
  }
}

function* findRootsProblems({
  roots,
  unreadablePaths,
  notices,
  openToOthers,
}: DiagnosisFacts): Generator<Finding> {
  for (const notice of notices) {
    const todo = "Fix the file: until then its sessionDir is ignored.";
    yield { level: "warning", code: "settings-unreadable", message: notice, todo };
  }
  for (const { path, from, state, reason } of roots) {
    const source = from === "option" ? "--root" : from;
    const root = `${path} (from ${source})`;
    const setting = from === "default" ? "the path" : source;
    if (state === "missing" && from !== "default") {
      const todo = `Correct ${setting}, or create the folder: mkdir -p ${quoteForShell(path)}`;
      yield { level: "warning", code: "root-missing", message: `${root} does not exist`, todo, path };
    } else if (state === "not a folder") {
      const todo = `Correct ${setting}: it must be a folder.`;
      yield { level: "error", code: "root-not-a-folder", message: `${root} is not a folder`, todo, path };
    } else if (state === "unreadable") {
      const message = `${root} cannot be read: ${reason ?? "no permission"}`;
      const todo = `chmod u+rx ${quoteForShell(path)}`;
      yield { level: "error", code: "root-unreadable", message, todo, path };
    }
  }
  const [first] = unreadablePaths;
  if (first) {
    const others = unreadablePaths.length > 1 ? `, and ${unreadablePaths.length - 1} more` : "";
    const message = `${first.path} cannot be read (${first.reason})${others}: sessions below it are not updated`;
    const todo = `chmod u+rX ${quoteForShell(first.path)}`;
    yield { level: "warning", code: "folder-unreadable", message, todo, path: first.path };
  }
  // Folders that can't be read may contain session files.
  const isComplete = unreadablePaths.length === 0 && roots.every(({ state }) => state !== "unreadable");
  if (isComplete && roots.length > 0 && roots.every(({ files }) => files === 0)) {
    const message = "no session files found in any root";
    const todo = "Try the folder that contains them: pidex doctor --root FOLDER, then set PIDEX_ROOTS to it";
    yield { level: "warning", code: "no-sessions", message, todo };
  }
  const [open] = openToOthers.first;
  if (open !== undefined) {
    const message = `all users of this machine can read ${formatCount(openToOthers.count, "session file")}`;
    const todo = `chmod -R o= ${openToOthers.roots.map(quotePattern).join(" ")}`;
    yield { level: "info", code: "sessions-open-to-others", message, todo, path: open };
  }
}

function* findRowsProblems({
  freshness,
  problems = [],
  indexing,
  database,
  roots,
  filesOutside,
}: DiagnosisFacts): Generator<Finding> {
  if (indexing) {
    const message = "another pidex process is indexing";
    yield { level: "info", code: "indexing", message, todo: "Wait until it is done." };
  }
  if (freshness) {
    const parts = (["new", "changed", "gone"] as const)
      .filter((what) => freshness[what] > 0)
      .map((what) => `${freshness[what]} ${what}`);
    // If there is no index yet, all files are new.
    const isNew = database.state === "missing" || database.state === "empty";
    if (parts.length > 0 && !isNew) {
      const message = `the index is behind the session files: ${parts.join(", ")}`;
      yield { level: "info", code: "files-behind", message, todo: "pidex index" };
    }
    if (freshness.rereading > 0) {
      const message = `${formatCount(freshness.rereading, "file")} ${freshness.rereading === 1 ? "was" : "were"} indexed by an older pidex; the next command reindexes ${freshness.rereading === 1 ? "it" : "them"}`;
      yield { level: "info", code: "files-of-older-extraction", message, todo: "pidex index" };
    }
  }
  if (freshness && freshness.unfinished > 0 && !indexing) {
    const message = `${formatCount(freshness.unfinished, "file")} partly indexed because indexing was interrupted: the next command continues`;
    yield { level: "info", code: "files-unfinished", message, todo: "pidex index" };
  }
  const [outside] = filesOutside;
  // With `--root`, the other folders are not meant this time. If a setting is wrong, they may be the right ones.
  const areSettled = roots.every(
    ({ from, state }) => from !== "option" && (state === "folder" || from === "default"),
  );
  if (outside !== undefined && areSettled) {
    const files = formatCount(filesOutside.length, "indexed file");
    const message = `${files} ${filesOutside.length === 1 ? "is" : "are"} in none of your session folders, such as ${outside}: they slow searches down`;
    const todo = `rm ${quoteForShell(database.path)}*, if you don't need them: the next command builds the index again`;
    yield { level: "info", code: "files-of-other-folders", message, todo, path: outside };
  }
  if (problems.length > 0) {
    const all = problems.reduce((sum, { count }) => sum + count, 0);
    const kinds = problems.map(({ code, count }) => `${getProblemName(code)} (${formatInteger(count)})`);
    const message = `${formatCount(all, "problem")} in session files: ${kinds.join(", ")}`;
    yield { level: "info", code: "problems", message, todo: "pidex stats --problems" };
  }
}

/** Quotes a root for a shell, except the `*` at its end. */
function quotePattern(path: string): string {
  return path.endsWith("*") ? `${quoteForShell(path.slice(0, -1))}*` : quoteForShell(path);
}

/** Part of the limit that pidex may use: editors watch tens of thousands of folders too. */
const SHARE_OF_WATCHES = 0.8;

function* findWatchingProblems({ watching, watchLimit }: DiagnosisFacts): Generator<Finding> {
  const { folders, maxWatches, works, reason } = watching;
  if (works === false) {
    const message = `folders cannot be watched: ${reason}`;
    const raiseCommand = watchLimit && `${raiseLimitCommand(watchLimit, watching, folders)}; or `;
    const todo = `${raiseCommand ?? ""}pidex watch --poll`;
    yield { level: "warning", code: "watching-fails", message, todo };
  } else if (maxWatches !== undefined && folders > maxWatches * SHARE_OF_WATCHES) {
    const message = `${formatCount(folders, "folder")} to watch, but the system allows only ${maxWatches} for all programs`;
    const todo = raiseLimitCommand("maxWatches", watching, folders);
    yield { level: "warning", code: "watches-too-few", message, todo };
  }
}
