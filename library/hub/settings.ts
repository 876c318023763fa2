/** Which projects are pushed to the hub, and where the folders of other machines are on this one. */
import { basename, dirname, join, win32 } from "node:path";
import { z } from "zod";
import { type Environment, findHome, getConfigFolder } from "../../src/environment.ts";
import { badOption } from "../../src/errors.ts";
import { isAtOrBelow, resolveExistingLinks } from "../../src/path-bytes.ts";
import { expandPath } from "../../src/session/locations.ts";
import { readJsonFile, writeJsonFile } from "./json-file.ts";
import type { ShelfName } from "./protocol.ts";

const folder = z.string().min(1);
const projectName = z.string().trim().min(1).max(200);

const sharedProject = z.discriminatedUnion("share", [
  /** Not pushed, even if a folder above it is. */
  z.strictObject({ folder, share: z.literal("off") }),
  /** On the private shelf of the person. */
  z.strictObject({ folder, share: z.literal("mine") }),
  /** On the shelf of a project of the team, with secrets masked. */
  z.strictObject({ folder, share: z.literal("team"), project: projectName }),
]);

/** A folder, and what becomes of the sessions in it and below. */
export type SharedProject = z.infer<typeof sharedProject>;

const folderMap = z.strictObject({ from: folder, to: folder });

/** A folder on other machines, and the same on this one. */
export type FolderMap = z.infer<typeof folderMap>;

const settingsSchema = z.strictObject({
  projects: z.array(sharedProject).default([]),
  folders: z.array(folderMap).default([]),
});

/** The content of `projects.json`. */
export type HubSettings = z.infer<typeof settingsSchema>;

/** The file that `pidex share` and `pidex pull --map` write. */
export function getSettingsPath(environment: Environment = process.env): string {
  return join(getConfigFolder(environment, process.platform), "projects.json");
}

/** The stored settings: nothing is pushed without them. @throws PidexError `FILE_UNREADABLE` */
export function readHubSettings(environment: Environment = process.env): HubSettings {
  return readJsonFile(getSettingsPath(environment), settingsSchema) ?? { projects: [], folders: [] };
}

/** Stores settings in place of the old ones. @throws PidexError `FILE_UNWRITABLE` */
export function writeHubSettings(settings: HubSettings, environment: Environment = process.env): void {
  writeJsonFile(getSettingsPath(environment), settingsSchema.parse(settings), 2);
}

/** Returns a function that finds the project with the longest folder that contains a working directory. */
export function createProjectFinder(
  projects: readonly SharedProject[],
): (cwd: string) => SharedProject | undefined {
  const longestFirst = projects
    .map((project) => ({ project, real: resolveExistingLinks(project.folder) ?? project.folder }))
    .sort((a, b) => b.project.folder.length - a.project.folder.length);
  return (cwd) =>
    longestFirst.find(
      ({ project, real }) => cwd !== "" && (isAtOrBelow(cwd, project.folder) || isAtOrBelow(cwd, real)),
    )?.project;
}

/** The shelf for the sessions of a project; undefined if they are not pushed. */
export function toShelf(project: SharedProject | undefined): ShelfName | undefined {
  if (!project || project.share === "off") return undefined;
  return project.share === "mine" ? "mine" : { project: project.project };
}

/** The settings with a project added, or in place of the one with the same folder. */
export function withProject(settings: HubSettings, project: SharedProject): HubSettings {
  const others = settings.projects.filter(({ folder }) => folder !== project.folder);
  return { ...settings, projects: [...others, project].sort((a, b) => (a.folder < b.folder ? -1 : 1)) };
}

/** The settings with a map added, or in place of the one from the same folder. */
export function withFolderMap(settings: HubSettings, map: FolderMap): HubSettings {
  return { ...settings, folders: [...settings.folders.filter(({ from }) => from !== map.from), map] };
}

/** The default name of the project in a folder. */
export function toProjectName(folder: string): string {
  return basename(folder) || folder;
}

/**
 * The absolute path of a folder to share.
 *
 * @param allowsAll whether the root of the file system, the home folder and folders above it are accepted
 * @throws PidexError `BAD_OPTION`
 */
export function parseSharedFolder(text: string, allowsAll: boolean): string {
  const path = expandPath(text);
  const home = findHome();
  if (allowsAll || (dirname(path) !== path && (home === undefined || !isAtOrBelow(home, path)))) return path;
  const hint = "Share the folders of projects, or pass --yes to share everything in it.";
  throw badOption(`${path} contains more than projects`, hint);
}

/**
 * A map of a folder on other machines to one on this machine, from `FROM=TO`.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function parseFolderMap(text: string): FolderMap {
  const [, from = "", to = ""] = /^(.+?)=(.+)$/s.exec(text) ?? [];
  if (from.startsWith("/") || win32.isAbsolute(from)) return { from: trimEnd(from), to: expandPath(to) };
  const hint =
    "Pass a folder on the other machine and one on this machine: --map /home/ada/shop=/Users/ada/shop.";
  throw badOption(`${JSON.stringify(text)} does not map a folder to another`, hint);
}

const trimEnd = (folder: string): string => folder.replace(/(?<=.)[/\\]+$/, "");

/** A folder of another machine on this one: by the map with the longest folder that contains it. Undefined if none does. */
export function mapFolder(maps: readonly FolderMap[], folder: string): string | undefined {
  const matching = maps.filter(
    ({ from }) => folder === from || folder.startsWith(`${from}/`) || folder.startsWith(`${from}\\`),
  );
  const [longest] = matching.sort((a, b) => b.from.length - a.from.length);
  if (!longest) return undefined;
  const below = folder.slice(longest.from.length).split(/[/\\]/).filter(Boolean);
  return join(longest.to, ...below);
}
