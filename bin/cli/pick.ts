import { resumeCommand, runAgent } from "../actions/resume.ts";
import { field, oneLine } from "../format/safe.ts";
import type { Ending } from "../picker/picker.ts";
import type { Io } from "./io.ts";
import { PageServer } from "./page-server.ts";
import type { Printed } from "./printed.ts";
import { type CommonOptions, checkRoots, EXIT } from "./run.ts";

interface Flags extends CommonOptions {
  query?: string;
  print?: Printed;
  all?: boolean;
  here?: boolean;
}

/** `pidex pick`, and `pidex` without arguments: opens the picker, then resumes or prints the selected session. */
export async function run(io: Io, words: string[], flags: Flags): Promise<number> {
  const { db, root: roots, print, all, here } = flags;
  if (roots) checkRoots(roots);
  const { pick } = await import("../picker/pick.ts");
  const page = new PageServer({ db, roots });
  try {
    const ending = await pick({
      db,
      roots,
      query: flags.query ?? words.join(" "),
      scope: all ? "all" : here ? "folder" : undefined,
      prints: print !== undefined,
      showOnPage: (session, onFailed) => page.show(session, onFailed),
    });
    return await outcome(io, ending, print);
  } finally {
    await page.close();
  }
}

/** Resumes the selected session, or prints one of its properties. */
async function outcome(io: Io, ending: Ending, print: Printed | undefined): Promise<number> {
  if ("exit" in ending) return ending.exit;
  const { session } = ending;
  const command = resumeCommand(session);
  if (print === undefined) return runAgent(command);
  const { path, id, cwd, name = "" } = session;
  // As in `pidex list`, control characters are replaced, so an unusual path may not be usable. `command` is exact: it is
  // quoted for a shell.
  const printed = {
    path: field(path),
    id: field(id),
    cwd: field(cwd),
    name: oneLine(name),
    command: command.line,
  };
  await io.out(`${printed[print]}\n`);
  return EXIT.done;
}
