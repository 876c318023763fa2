import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoteForShell } from "../../library/internal.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { run as pick } from "./pick.ts";
import { EXIT } from "./run.ts";

/** `pidex demo`: opens the picker or the web page on sample sessions in a temporary folder. */
export async function run(
  io: Io,
  _: string[],
  { sessions, keep = false, serve = false, open }: Flags<"demo">,
): Promise<number> {
  const { writeDemo } = await import("../demo/write-demo.ts");
  const folder = mkdtempSync(join(tmpdir(), "pidex-demo-"));
  try {
    const demo = writeDemo(folder, { sessions });
    const db = join(folder, "index.db");
    if (keep) {
      io.err(`${formatCount(demo.sessions, "sample session")} in ${toOneLine(folder)}. To list them:\n`);
      io.err(`  pidex list --root ${quoteForShell(demo.root)} --db ${quoteForShell(db)}\n`);
    }
    if (!serve) return await pick(io, [], { root: [demo.root], db, all: true });
    const page = await import("./serve.ts");
    await page.run(io, [], { root: [demo.root], db, open });
    return EXIT.done;
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}
