import { join } from "node:path";
import { getConfigFolder, quoteForShell } from "../../library/internal.ts";
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
    // Queries and deleted sessions of the demo end with it, and its folders are shown below ~. Settings remain the user's.
    process.env.XDG_DATA_HOME = join(folder, "data");
    process.env.PIDEX_CONFIG ||= getConfigFolder(process.env, process.platform);
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

/** Without a terminal, no samples are prepared for the picker. @throws PidexError `BAD_OPTION`, as the picker */
async function assertTerminal(): Promise<void> {
  const { openTerminal } = await import("../picker/tty.ts");
  openTerminal(process.env)();
}
