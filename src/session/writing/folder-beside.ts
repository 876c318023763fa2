import { basename, dirname, join } from "node:path";
import { isBelow } from "../../path-bytes.ts";
import { projectFolder } from "../locations.ts";
import { defaultSessionDirPath } from "./folders.ts";

/**
 * The folder for a session of `cwd` in the same tree of folders as another session: that of the project beside its own
 * project's, at whatever depth it lies there (subagents). In a folder of many projects, that folder; but for a
 * subagent's session that lies in none of a project, pi's own for `cwd`.
 *
 * @param roots the folders that it stays in, where they are given: the innermost of them that the session is in is its tree of
 * folders, and has the project's folder where pi's own is in none of them. Where the root is itself the folder of the session's
 * project, the folder of another project is beside the root: outside
 *
 * @example
 * const shop = { path: "/s/--home-ada-shop--/x.jsonl", cwd: "/home/ada/shop", subagent: false };
 * folderBeside(shop, "/home/ada/blog") === "/s/--home-ada-blog--";
 */
export function folderBeside(
  session: { path: string; cwd: string; subagent: boolean },
  cwd: string,
  roots: readonly string[] = [],
): string {
  const project = session.cwd === "" ? undefined : projectFolder(session.cwd);
  const [root] = roots.filter((each) => isBelow(session.path, each)).sort((a, b) => b.length - a.length);
  for (let folder = dirname(session.path); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === project) return join(dirname(folder), projectFolder(cwd));
    if (folder === root) break; // what is above it is none of the session's
  }
  if (!session.subagent) return dirname(session.path);
  const own = defaultSessionDirPath(cwd);
  return root === undefined || roots.some((each) => isBelow(own, each))
    ? own
    : join(root, projectFolder(cwd));
}
