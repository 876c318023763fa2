import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellWord } from "../../library/internal.ts";
import { grouped, oneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { run as pick } from "./pick.ts";

interface Flags {
  sessions?: number;
  keep?: boolean;
  /** On the page. */
  serve?: boolean;
  open: boolean;
}

/** `pidex demo`: sessions that never happened, in a temporary folder, and the picker on them, or the page. */
export async function run(
  io: Io,
  _: string[],
  { sessions, keep = false, serve = false, open }: Flags,
): Promise<number> {
  const { writeDemo } = await import("../demo/write-demo.ts");
  const folder = mkdtempSync(join(tmpdir(), "pidex-demo-"));
  try {
    const demo = writeDemo(folder, { ...(sessions !== undefined && { sessions }) });
    const db = join(folder, "index.db");
    if (keep) {
      io.err(
        `${grouped(demo.sessions)} sessions that never happened, in ${oneLine(folder)}; others ask them so:\n`,
      );
      io.err(`  pidex list --root ${shellWord(demo.root)} --db ${shellWord(db)}\n`);
    }
    if (!serve) return await pick(io, [], { root: [demo.root], db, all: true });
    const page = await import("./serve.ts");
    return await page.run(io, [], { root: [demo.root], db, open });
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}
