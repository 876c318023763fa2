import { HubClient } from "../client.ts";
import { listLocalSessions, type SessionLister } from "../local-sessions.ts";
import { createProjectFinder, readHubSettings, type SharedProject } from "../settings.ts";
import { requireSignIn } from "../sign-in.ts";
import { openPushState } from "./push-index.ts";

/** A folder in the settings, with the number of its sessions here, and of those of which something was pushed. */
export interface SharedFolderCounts {
  project: SharedProject;
  sessions: number;
  pushed: number;
}

/** The folders in the settings. Sync the index first. @throws PidexError `FILE_UNREADABLE` */
export async function listSharedFolders(index: SessionLister): Promise<SharedFolderCounts[]> {
  const { projects } = readHubSettings();
  const counts = new Map(projects.map((project) => [project, { project, sessions: 0, pushed: 0 }]));
  const state = openPushState();
  const findProject = createProjectFinder(projects);
  for (const { path, cwd } of await listLocalSessions(index)) {
    const project = findProject(cwd);
    const count = project && counts.get(project);
    if (!count) continue;
    count.sessions++;
    if (state.get(path)) count.pushed++;
  }
  return [...counts.values()];
}

/** The number of sessions of a folder that were pushed. */
export async function countPushed(index: SessionLister, folder: string): Promise<number> {
  return (await listSharedFolders(index)).find(({ project }) => project.folder === folder)?.pushed ?? 0;
}

/** Paths per request. */
const PATHS_PER_REQUEST = 1000;

/**
 * Deletes from the hub what was pushed of a folder.
 *
 * @returns the number of sessions that the hub had
 * @throws PidexError `NOT_SIGNED_IN`, `HUB_UNAVAILABLE`
 */
export async function forgetFolder(index: SessionLister, folder: string): Promise<number> {
  const hub = new HubClient(requireSignIn());
  const findProject = createProjectFinder(readHubSettings().projects);
  const sessions = await listLocalSessions(index);
  const paths = sessions.flatMap(({ path, cwd }) => (findProject(cwd)?.folder === folder ? [path] : []));
  const state = openPushState();
  let forgotten = 0;
  for (let n = 0; n < paths.length; n += PATHS_PER_REQUEST) {
    const some = paths.slice(n, n + PATHS_PER_REQUEST);
    forgotten += await hub.forget(some);
    for (const path of some) state.delete(path);
  }
  state.save();
  return forgotten;
}
