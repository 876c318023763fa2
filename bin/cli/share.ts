import { type Index, PidexError } from "../../library/index.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, indexCommand } from "./run.ts";
import { formatRow, formatTable } from "./table.ts";
import type { SharedFolder } from "./transfer-answers.ts";

/** `pidex share`: lists the shared folders, or changes what becomes of one. */
export const run = indexCommand(async (io, index, [folder], flags: Flags<"share">) => {
  if (folder !== undefined) return shareFolder(io, index, folder, flags);
  for (const [flag, value] of Object.entries({ team: flags.team, project: flags.project, off: flags.off })) {
    if (value === undefined) continue;
    throw new PidexError("BAD_OPTION", `--${flag} needs a folder`, `Run pidex share FOLDER --${flag}.`);
  }
  const folders = await listFolders(index);
  if (flags.json) await writeJson(io, { folders });
  else if (flags.ndjson) await writeJsonLines(io, folders);
  else if (folders.length === 0) io.err("no folders are shared: run pidex share FOLDER\n");
  else await io.out(io.isTerminal ? forPeople(io, folders) : folders.map(forPipes).join(""));
  return EXIT.done;
});

async function shareFolder(io: Io, index: Index, folder: string, flags: Flags<"share">): Promise<number> {
  const settings = await import("../../library/hub/settings.ts");
  const path = settings.parseSharedFolder(folder, flags.yes === true || flags.off === true);
  const stored = settings.readHubSettings();
  if (flags.off) {
    settings.writeHubSettings(settings.withProject(stored, { folder: path, share: "off" }));
    return stopSharing(io, index, path, flags);
  }
  const isTeam = flags.team === true || flags.project !== undefined;
  const project = flags.project ?? settings.toProjectName(path);
  settings.writeHubSettings(
    settings.withProject(
      stored,
      isTeam ? { folder: path, share: "team", project } : { folder: path, share: "mine" },
    ),
  );
  const shared = (await listFolders(index)).find((each) => each.folder === path) as SharedFolder;
  if (flags.json || flags.ndjson) await writeJson(io, { folders: [shared] });
  else {
    const target = isTeam ? `the team's project ${toOneLine(project)}` : "your machines only";
    await io.out(`${toOneLine(path)}: ${formatCount(shared.sessions, "session")}, for ${target}\n`);
    io.err("Run pidex push --dry-run to see what is sent, and pidex push to send it.\n");
  }
  return EXIT.done;
}

async function stopSharing(io: Io, index: Index, folder: string, flags: Flags<"share">): Promise<number> {
  const { countPushed, forgetFolder } = await import("../../library/hub/push/shared-folders.ts");
  const forgotten = flags.forget ? await forgetFolder(index, folder) : 0;
  const kept = await countPushed(index, folder);
  if (flags.json || flags.ndjson) await writeJson(io, { folders: await listFolders(index), forgotten });
  else {
    await io.out(`${toOneLine(folder)}: not pushed any more\n`);
    if (flags.forget) await io.out(`deleted ${formatCount(forgotten, "session")} from the hub\n`);
    else if (kept > 0) {
      io.err(
        `The hub keeps ${formatCount(kept, "session")} of it. To delete them: add --forget, or run pidex hub forget.\n`,
      );
    }
  }
  return EXIT.done;
}

async function listFolders(index: Index): Promise<SharedFolder[]> {
  const { listSharedFolders } = await import("../../library/hub/push/shared-folders.ts");
  return (await listSharedFolders(index)).map(({ project, sessions, pushed }) => ({
    folder: project.folder,
    share: project.share,
    ...(project.share === "team" && { project: project.project }),
    sessions,
    pushed,
  }));
}

const COLUMNS = [
  { heading: "FOLDER", shrinksFirst: true },
  { heading: "FOR" },
  { heading: "SESSIONS", align: "right" },
  { heading: "PUSHED", align: "right" },
] as const;

function forPeople(io: Io, folders: readonly SharedFolder[]): string {
  const rows = folders.map(({ folder, share, project, sessions, pushed }) => [
    toOneLine(folder),
    share === "team"
      ? `team: ${toOneLine(project ?? "")}`
      : share === "mine"
        ? "your machines"
        : "not pushed",
    String(sessions),
    String(pushed),
  ]);
  return formatTable(io, COLUMNS, rows);
}

/** Columns for scripts: folder, whom it is for, project, number of sessions, number of pushed sessions. */
function forPipes({ folder, share, project, sessions, pushed }: SharedFolder): string {
  return formatRow([folder, share, project, sessions, pushed]);
}
