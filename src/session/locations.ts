import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { PidexError } from "../errors.ts";
import { homeFolder, workingFolder } from "../surroundings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A place to look for sessions: every file below `folder` whose path starts with `prefix`. */
export interface Root {
  folder: string;
  prefix: string;
  /** Only the files exactly this many folders below `folder` belong to it; without it all, however deep. */
  depth?: number;
  /** The root that this is a part of: by it is told whose session a file is, so that both tell the same. */
  partOf?: Root;
}

/** The root that is a whole folder. `~` and `file://` are understood. */
export function rootAt(folder: string): Root {
  const path = expandPath(folder);
  return { folder: path, prefix: path.endsWith(sep) ? path : path + sep };
}

/** The root that is one level of a folder: 0 the files directly in it, 1 those directly in the folders in it. */
export function levelOf(folder: string, depth: number): Root {
  return { ...rootAt(folder), depth };
}

/** A root as a part of the innermost of those that are looked at as a rule, where it lies in any. */
export function within(root: Root, roots: readonly Root[]): Root {
  const partOf = nearestRoot(root.prefix, roots);
  return partOf ? { ...root, partOf } : root;
}

/** The innermost of the roots that a path lies in. */
export function nearestRoot(path: string, roots: readonly Root[]): Root | undefined {
  return roots
    .filter((root) => isInRoot(path, root))
    .reduce<Root | undefined>(
      (near, root) => (near && near.prefix.length >= root.prefix.length ? near : root),
      undefined,
    );
}

/** Finds the innermost root of many paths: in time that does not grow with the number of roots. */
export class RootFinder {
  readonly #byPrefix: ReadonlyMap<string, readonly Root[]>;
  /** Those whose prefix ends within a name. */
  readonly #others: readonly Root[];

  constructor(roots: readonly Root[]) {
    this.#byPrefix = Map.groupBy(
      roots.filter(({ prefix }) => prefix.endsWith(sep)),
      ({ prefix }) => prefix,
    );
    this.#others = roots.filter(({ prefix }) => !prefix.endsWith(sep));
  }

  /** The innermost of the roots that a path lies in, as `nearestRoot` tells it. */
  nearest(path: string): Root | undefined {
    const other = nearestRoot(path, this.#others);
    for (let end = path.lastIndexOf(sep) + 1; end > 0; end = path.slice(0, end - 1).lastIndexOf(sep) + 1) {
      if (other && other.prefix.length > end) return other;
      const found = this.#byPrefix.get(path.slice(0, end))?.find((root) => isInRoot(path, root));
      if (found) return found;
    }
    return other;
  }
}

/** Whether a file's path belongs to a root. */
export function isInRoot(path: string, { prefix, depth }: Root): boolean {
  if (!path.startsWith(prefix)) return false;
  return depth === undefined || path.slice(prefix.length).split(sep).length === depth + 1;
}

/**
 * A path as a user may give it: `~` and `file://` are understood, the rest is resolved against the cwd. A Windows
 * path stays as it is on other systems: sessions may have come from there.
 *
 * @throws PidexError `BAD_OPTION` for the URL of no file, `NO_HOME`, `FOLDER_GONE`
 */
export function expandPath(path: string, environment: Environment = process.env): string {
  if (path.startsWith("file://")) return fromUrl(path);
  if (path === "~") return homeFolder(environment);
  if (path.startsWith("~/") || path.startsWith("~\\")) return join(homeFolder(environment), path.slice(2));
  if (sep === "/" && /^[A-Za-z]:[\\/]/.test(path)) return path;
  return isAbsolute(path) ? resolve(path) : resolve(workingFolder(), path);
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const hint = "Give a path, or a URL such as file:///home/ada/sessions.";
    throw new PidexError("BAD_OPTION", `${url} is not the URL of a local file`, hint, { cause });
  }
}

/**
 * The name of the folder pi keeps a project's sessions in. Lossy: `/a/b-c` and `/a/b/c` share one, so the
 * header's `cwd` is the truth.
 *
 * @example projectFolder("/home/ada/shop") === "--home-ada-shop--"
 */
export function projectFolder(cwd: string): string {
  return `--${expandPath(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-")}--`;
}

/** OpenClaw's name for a session that a new one took the place of in its chat. */
const RESET = /\.jsonl\.reset\.\d{4}-\d\d-\d\dT[\d-]+(?:\.\d+)?Z$/;

/**
 * True for the name of a file that may be a session: pi lists `*.jsonl`, dotfiles too, but not `*.JSONL`. OpenClaw keeps
 * traces of a run beside its session, in `*.trajectory.jsonl`, which have no header; and what was said before a chat
 * began anew, under the old name with `.reset.` and the time behind it. What it deleted it keeps in the same way, but that is
 * no longer meant to be found.
 */
export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") ? !name.endsWith(".trajectory.jsonl") : RESET.test(name);
}

/** The folder beside `sessions` in which prime-agent keeps the sessions of children, a folder for each parent's id. */
export const CHILD_SESSIONS = "session-artifacts";

/**
 * Whether a session file belongs to a subagent rather than to a person: pi keeps sessions in a root or one
 * folder below it, subagents lie deeper, in `subagent-artifacts`, in prime-agent's folder for children, or in a run's
 * temporary folder.
 */
export function isSubagentPath(path: string, root: Root): boolean {
  const { prefix } = root.partOf ?? root;
  if (!prefix.endsWith(sep) || basename(prefix) === CHILD_SESSIONS) return true;
  const folders = path.slice(prefix.length).split(sep).slice(0, -1);
  return folders.length > 1 || folders.includes("subagent-artifacts");
}
