import { notOnHub } from "../actions/index-location.ts";
import { getResumeCommand, type ResumeCommand, runAgent, withMappedFolder } from "../actions/resume.ts";
import { withoutConfig } from "../config/apply-config.ts";
import { toField, toOneLine } from "../format/safe.ts";
import type { ShownSession } from "../picker/model/view.ts";
import type { PickerResult } from "../picker/picker.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { createPageServer } from "./page-server.ts";
import { assertRootsExist, EXIT, printNotice, usesHub } from "./run.ts";

/** `pidex pick`, and `pidex` without arguments: opens the picker, then resumes or prints the selected session. */
export async function run(io: Io, words: string[], flags: Flags<"pick">): Promise<number> {
  const { db, root: roots, print, all, here } = flags;
  if (roots) assertRootsExist(roots);
  const hub = usesHub(flags) ? await requireHub(print) : undefined;
  const { pick } = await import("../picker/pick.ts");
  const page = createPageServer({ db, roots, hub });
  try {
    const ending = await pick({
      db,
      roots,
      hub,
      query: flags.query ?? words.join(" "),
      scope: all ? "all" : here ? "folder" : undefined,
      printsSelection: print !== undefined,
      showOnPage: page.show,
      exportSession: async (path, file) => {
        const { exportInProcess } = await import("./export-in-process.ts");
        await exportInProcess({ db, roots }, path, file);
      },
    });
    return await outcome(io, ending, print);
  } finally {
    await page.close();
  }
}

/** The hub that this machine is signed in to. @throws PidexError `BAD_OPTION`, as `requireSignIn` */
async function requireHub(print: Flags<"pick">["print"]) {
  if (print === "command") throw notOnHub("--print command");
  return (await import("../../library/hub/sign-in.ts")).requireSignIn();
}

/** Resumes the selected session, or prints a property of it or of each marked session. */
async function outcome(io: Io, ending: PickerResult, print: Flags<"pick">["print"]): Promise<number> {
  if ("exit" in ending) return ending.exit;
  for (const session of ending.sessions) {
    const command = getResumeCommand(await withMappedFolder(session));
    if (print === undefined) {
      const env = withoutConfig(process.env);
      return runAgent(command, env, (path) => printNotice(io, `restored ${path}`));
    }
    await io.out(`${toPrinted(session, command, print)}\n`);
  }
  return EXIT.done;
}

type Printed = NonNullable<Flags<"pick">["print"]>;

function toPrinted(session: ShownSession, command: ResumeCommand, print: Printed): string {
  const { path, id, cwd, name = "" } = session;
  // As in `pidex list`, control characters are replaced, so an unusual path may not be usable. `command` is exact: it is
  // quoted for a shell.
  const printed = {
    path: toField(path),
    id: toField(id),
    cwd: toField(cwd),
    name: toOneLine(name),
    command: command.line,
  };
  return printed[print];
}
