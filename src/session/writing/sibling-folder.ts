import { basename, dirname, join } from "node:path";
import { isBelow } from "../../path-bytes.ts";
import { toProjectFolderName } from "../locations.ts";
import { defaultSessionDirPath } from "./folders.ts";

/**
 * The folder for a session of `cwd` in the same folder tree as another session: next to the folder of that session's project, at
 * any depth (subagents). If the session is not in a project folder, its own folder; for a subagent's session, pi's folder for
 * `cwd`.
 *
 * @param roots folders to stay in. The search stops at the innermost root that contains the session. If pi's folder is outside all
 * roots, the project folder is in that root instead. If the root is itself the project's folder, the result is next to the root,
 * outside it
 *
 * @example
 * const shop = { path: "/s/--home-ada-shop--/x.jsonl", cwd: "/home/ada/shop", subagent: false };
 * toSiblingFolder(shop, "/home/ada/blog") === "/s/--home-ada-blog--";
 */
export function toSiblingFolder(
  session: { path: string; cwd: string; subagent: boolean },
  cwd: string,
  roots: readonly string[] = [],
): string {
  const project = session.cwd === "" ? undefined : toProjectFolderName(session.cwd);
  const [root] = roots.filter((each) => isBelow(session.path, each)).sort((a, b) => b.length - a.length);
  for (let folder = dirname(session.path); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === project) return join(dirname(folder), toProjectFolderName(cwd));
    if (folder === root) break;
  }
  if (!session.subagent) return dirname(session.path);
  const own = defaultSessionDirPath(cwd);
  return root === undefined || roots.some((each) => isBelow(own, each))
    ? own
    : join(root, toProjectFolderName(cwd));
}
