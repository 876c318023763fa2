/**
 * `npm start`: runs pidex from a fresh clone, on the user's sessions if there are any, else on the sample sessions in
 * fixtures/ with a temporary index. Arguments are passed to pidex:
 * `npm start -- search failing test`.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { nodeVersionError } from "../src/node-version.ts";

const TOUR = [["index"], ["list", "-n", "15"], ["search", "test", "-n", "3"], ["stats"]];

const complaint = nodeVersionError();
if (complaint) {
  console.error(
    `pidex: ${complaint}\n  Run npm ci first; it installs a Node version that npm start can use.`,
  );
  process.exitCode = 2;
} else {
  process.exitCode = await quickstart(process.argv.slice(2));
}

async function quickstart(argv: string[]): Promise<number> {
  const { main } = await import("./cli/main.ts");
  const folder = mkdtempSync(join(tmpdir(), "pidex-quickstart-"));
  try {
    if (!(await hasSessions(join(folder, "empty.db")))) useSamples(folder);
    for (const command of argv.length > 0 ? [argv] : TOUR) {
      if (argv.length === 0) console.error(`\n$ pidex ${command.join(" ")}`);
      const exit = await main(command);
      // In the tour, a search without hits is not an error.
      if (exit !== 0 && (argv.length > 0 || exit !== 3)) return exit;
    }
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the default roots contain any session. Reads only file names. */
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
    return false; // missing or unreadable: pidex reports it
  }
}

function useSamples(folder: string): void {
  console.error("No agent sessions found on this machine; using the sample sessions in fixtures/.");
  const roots = join(import.meta.dirname, "..", "fixtures", "roots");
  process.env.PIDEX_ROOTS = ["pi", "atomic", "flat"].map((name) => join(roots, name)).join(delimiter);
  process.env.PIDEX_DB = join(folder, "index.db");
}
