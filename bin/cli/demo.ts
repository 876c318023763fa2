import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { quoteForShell } from "../../library/internal.ts";
import { getConfigPath } from "../config/config-file.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { run as pick } from "./pick.ts";
import { EXIT, withIndex } from "./run.ts";

/** `pidex demo`: opens the picker or the web page on sample sessions in a temporary folder. */
export async function run(
  io: Io,
  _: string[],
  { sessions, keep = false, serve = false, open }: Flags<"demo">,
): Promise<number> {
  if (!serve) await assertTerminal();
  const [{ writeDemo }, { createKeptFolder, createOwnedFolder }] = await Promise.all([
    import("../demo/write-demo.ts"),
    import("../demo/demo-folder.ts"),
  ]);
  const { path: folder, remove } = keep ? createKeptFolder() : createOwnedFolder();
  try {
    io.err(`Preparing ${formatCount(sessions, "sample session")}; your own are not read or changed.\n`);
    // Queries, deleted sessions and changes of settings end with the demo, and its folders are shown below ~.
    process.env.XDG_DATA_HOME = join(folder, "data");
    process.env.PIDEX_CONFIG = copySettings(join(folder, "config"));
    process.env.HOME = join(folder, "home", "ada");
    const demo = writeDemo(folder, { sessions });
    const db = join(folder, "index.db");
    // So that the first frame shows them all: a first index takes about a second.
    await withIndex(io, { root: [demo.root], db }, async () => undefined);
    if (keep) {
      io.err(`${formatCount(demo.sessions, "sample session")} in ${toOneLine(folder)}. To list them:\n`);
      io.err(`  pidex list --root ${quoteForShell(demo.root)} --db ${quoteForShell(db)}\n`);
    }
    if (!serve) return await pick(io, [], { root: [demo.root], db, all: true });
    const page = await import("./serve.ts");
    await page.run(io, [], { root: [demo.root], db, open });
    return EXIT.done;
  } finally {
    remove();
  }
}

/** Copies the user's settings to a folder. @returns the folder */
function copySettings(folder: string): string {
  const settings = getConfigPath(process.env);
  mkdirSync(folder, { recursive: true });
  if (existsSync(settings)) copyFileSync(settings, getConfigPath({ PIDEX_CONFIG: folder }));
  return folder;
}

/** Without a terminal, no samples are prepared for the picker. @throws PidexError `BAD_OPTION`, as the picker */
async function assertTerminal(): Promise<void> {
  const { openTerminal } = await import("../picker/tty.ts");
  openTerminal(process.env)();
}
