import { basename, dirname, join } from "node:path";
import { projectFolder } from "../locations.ts";
import { defaultSessionDirPath } from "./folders.ts";

/**
 * The folder for a session of `cwd` in the same tree of folders as another session: that of the project beside its own
 * project's, at whatever depth it lies there (subagents). In a folder of many projects, that folder; but beside a
 * subagent's session that lies in none of a project, pi's own for `cwd`.
 *
 * @example
 * const shop = { path: "/s/--home-ada-shop--/x.jsonl", cwd: "/home/ada/shop", subagent: false };
 * folderBeside(shop, "/home/ada/blog") === "/s/--home-ada-blog--";
 */
export function folderBeside(session: { path: string; cwd: string; subagent: boolean }, cwd: string): string {
  const project = session.cwd === "" ? undefined : projectFolder(session.cwd);
  for (let folder = dirname(session.path); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === project) return join(dirname(folder), projectFolder(cwd));
  }
  return session.subagent ? defaultSessionDirPath(cwd) : dirname(session.path);
}
