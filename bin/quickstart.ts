/**
 * `npm start`: pidex at work on a fresh clone. On the user's own sessions where there are any, else on the
 * sample sessions of fixtures/, with an index of its own that is thrown away. Arguments go to pidex:
 * `npm start -- search failing test`.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { nodeComplaint } from "../src/node-version.ts";

const TOUR = [["index"], ["list", "-n", "15"], ["search", "test", "-n", "3"], ["stats"]];

const complaint = nodeComplaint();
if (complaint) {
  console.error(
    `pidex: ${complaint}\n  Run npm ci first: it brings a Node that is new enough for npm start.`,
  );
  process.exitCode = 2;
} else {
  process.exitCode = await firstLook(process.argv.slice(2));
}

async function firstLook(asked: string[]): Promise<number> {
  const { main } = await import("./cli/main.ts");
  const folder = mkdtempSync(join(tmpdir(), "pidex-quickstart-"));
  try {
    if (!(await hasSessions(join(folder, "empty.db")))) useSamples(folder);
    for (const command of asked.length > 0 ? [asked] : TOUR) {
      if (asked.length === 0) console.error(`\n$ pidex ${command.join(" ")}`);
      const exit = await main(command);
      // A search without hits is an answer too.
      if (exit !== 0 && (asked.length > 0 || exit !== 3)) return exit;
    }
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether any session lies where pidex looks by itself. Reads no more than the names of files. */
async function hasSessions(db: string): Promise<boolean> {
  const { openIndex } = await import("../library/index.ts");
  const index = await openIndex({ db });
  await index.close();
  return index.roots.some((root) => root !== tmpdir() && holdsSession(root));
}

function holdsSession(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith(".jsonl"));
  } catch {
    return false; // no such folder, or one that may not be read: pidex itself will say so
  }
}

function useSamples(folder: string): void {
  console.error(
    "This machine has no sessions of pi's or Atomic's: here are the sample sessions of fixtures/.",
  );
  const roots = join(import.meta.dirname, "..", "fixtures", "roots");
  process.env.PIDEX_ROOTS = ["pi", "atomic", "flat"].map((name) => join(roots, name)).join(delimiter);
  process.env.PIDEX_DB = join(folder, "index.db");
}
