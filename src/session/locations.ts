import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Environment, getHomeFolder, getWorkingFolder } from "../environment.ts";
import { PidexError } from "../errors.ts";
import { isMachinePath } from "../machine-path.ts";

/** A folder that is searched for sessions: every file below `folder` with a path that starts with `prefix`. */
export interface Root {
  folder: string;
  prefix: string;
  /** If set, only files exactly this many folders below `folder` belong to the root. */
  depth?: number;
  /** The root that contains this one. It decides whether a file is a subagent's, so that both roots agree. */
  parentRoot?: Root;
}

/** The root of a whole folder. Resolves `~` and `file://`. */
export function toRoot(folder: string): Root {
  const path = expandPath(folder);
  return { folder: path, prefix: path.endsWith(sep) ? path : path + sep };
}

/** The root of one level of a folder: 0 is the files directly in it, 1 the files directly in its subfolders. */
export function toRootLevel(folder: string, depth: number): Root {
  return { ...toRoot(folder), depth };
}

/** The root, as a part of the innermost of `roots` that contains it, if any. */
export function withParentRoot(root: Root, roots: readonly Root[]): Root {
  const partOf = findInnermostRoot(root.prefix, roots);
  return partOf ? { ...root, parentRoot: partOf } : root;
}

/** The innermost root that contains a path. */
export function findInnermostRoot(path: string, roots: readonly Root[]): Root | undefined {
  return roots
    .filter((root) => isInRoot(path, root))
    .reduce<Root | undefined>(
      (innermost, root) => (innermost && innermost.prefix.length >= root.prefix.length ? innermost : root),
      undefined,
    );
}

/** Finds the innermost root of a path, in time independent of the number of roots. */
export class RootFinder {
  readonly #byPrefix: ReadonlyMap<string, readonly Root[]>;
  /** Roots with a prefix that ends within a file name. */
  readonly #others: readonly Root[];

  constructor(roots: readonly Root[]) {
    this.#byPrefix = Map.groupBy(
      roots.filter(({ prefix }) => prefix.endsWith(sep)),
      ({ prefix }) => prefix,
    );
    this.#others = roots.filter(({ prefix }) => !prefix.endsWith(sep));
  }

  /** The innermost root that contains a path, as `findInnermostRoot` returns it. */
  findInnermost(path: string): Root | undefined {
    const other = findInnermostRoot(path, this.#others);
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
 * The absolute path for a path from a user: resolves `~`, `file://` and relative paths. On other systems a Windows path is
 * returned unchanged, because sessions may have been copied from Windows, and so are paths on other machines (`laptop:/home/…`).
 *
 * @throws PidexError `BAD_OPTION` for a URL that is not a local file, `NO_HOME`, `FOLDER_GONE`
 */
export function expandPath(path: string, environment: Environment = process.env): string {
  if (path.startsWith("file://")) return fromUrl(path);
  if (path === "~") return getHomeFolder(environment);
  if (path.startsWith("~/") || path.startsWith("~\\")) return join(getHomeFolder(environment), path.slice(2));
  if (isMachinePath(path) || (sep === "/" && /^[A-Za-z]:[\\/]/.test(path))) return path;
  return isAbsolute(path) ? resolve(path) : resolve(getWorkingFolder(), path);
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const hint = "Use a path, or a URL such as file:///home/ada/sessions.";
    throw new PidexError("BAD_OPTION", `${url} is not the URL of a local file`, hint, { cause });
  }
}

/**
 * The name of the folder in which pi keeps a project's sessions. Lossy: `/a/b-c` and `/a/b/c` share a name, so the header's
 * `cwd` is authoritative.
 *
 * @example toProjectFolderName("/home/ada/shop") === "--home-ada-shop--"
 */
export function toProjectFolderName(cwd: string): string {
  return `--${expandPath(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-")}--`;
}

/** OpenClaw's name for the old session of a chat that was reset. */
const RESET_NAME = /\.jsonl\.reset\.\d{4}-\d\d-\d\dT[\d-]+(?:\.\d+)?Z$/;

/**
 * True for the file name of a possible session: pi lists `*.jsonl`, dotfiles too, but not `*.JSONL`. OpenClaw writes traces
 * without a header as `*.trajectory.jsonl`, which are not sessions, and renames the session of a chat that is reset to
 * `*.jsonl.reset.TIME`, which is one. Sessions it deleted, renamed in the same way, are not listed.
 */
export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") ? !name.endsWith(".trajectory.jsonl") : RESET_NAME.test(name);
}

/** The end of a compressed session's file name: the file is `NAME.jsonl.zst`, the session's path stays `NAME.jsonl`. */
const COMPRESSED_SUFFIX = ".zst";

/** The path of a session's compressed file. */
export function toCompressedPath(path: string): string {
  return path + COMPRESSED_SUFFIX;
}

/** The name of an original between its compression and its removal. */
export function toRetiredPath(path: string): string {
  return `${path}.retired`;
}

/** The name of lines that an agent wrote to a compressed session, once a new file with all lines is being written. Counts from 1. */
export function toTailPath(path: string, number: number): string {
  return `${path}.tail-${number}`;
}

/** Whether a path ends as that of a compressed file. */
export function hasCompressedName(path: string): boolean {
  return path.endsWith(COMPRESSED_SUFFIX);
}

/** The session's name or path, by that of its compressed file; undefined for any other name. */
export function toDecompressedName(name: string): string | undefined {
  if (!hasCompressedName(name)) return undefined;
  const logical = name.slice(0, -COMPRESSED_SUFFIX.length);
  return isSessionFileName(logical) ? logical : undefined;
}

/** prime-agent's folder of child sessions, next to `sessions`, with a folder for each parent's id. */
export const CHILD_SESSIONS_FOLDER = "session-artifacts";

/**
 * Whether a session file is a subagent's. pi keeps sessions in a root or one folder below it; those of subagents are deeper,
 * in `subagent-artifacts`, in prime-agent's `session-artifacts`, or in the temporary folder of a run.
 */
export function isSubagentPath(path: string, root: Root): boolean {
  const { prefix } = root.parentRoot ?? root;
  if (!prefix.endsWith(sep) || basename(prefix) === CHILD_SESSIONS_FOLDER) return true;
  const folders = path.slice(prefix.length).split(sep).slice(0, -1);
  return folders.length > 1 || folders.includes("subagent-artifacts");
}
