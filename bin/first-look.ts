/**
 * `npm start`: pidex at work on a fresh clone. On the user's own sessions where there are any, else on the
 * sample sessions of fixtures/, with an index of its own that is thrown away. Arguments go to pidex:
 * `npm start -- search "failing test"`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeComplaint } from "../src/node-version.ts";

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
  const folder = mkdtempSync(join(tmpdir(), "pidex-first-look-"));
  try {
    const where = (await hasSessions(join(folder, "probe.db"))) ? [] : samples(folder);
    const commands =
      asked.length > 0
        ? [asked]
        : [["index"], ["list", "-n", "15"], ["search", "test", "-n", "3"], ["stats"]];
    for (const command of commands) {
      if (asked.length === 0) console.error(`\n$ pidex ${command.join(" ")}`);
      const exit = await main([...command, ...where]);
      if (exit !== 0) return exit;
    }
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether any session lies where pidex looks by itself. Looks at names only. */
async function hasSessions(probe: string): Promise<boolean> {
  const { openIndex } = await import("../index.ts");
  const { existsSync, readdirSync } = await import("node:fs");
  const index = await openIndex({ db: probe });
  await index.close();
  return index.roots.some(
    (root) =>
      root !== tmpdir() &&
      existsSync(root) &&
      readdirSync(root, { recursive: true }).some((name) => String(name).endsWith(".jsonl")),
  );
}

function samples(folder: string): string[] {
  const root = join(import.meta.dirname, "..", "fixtures", "roots");
  console.error(
    "This machine has no sessions of pi's or Atomic's: here are the sample sessions of fixtures/.",
  );
  const roots = ["pi", "atomic", "flat"].flatMap((name) => ["--root", join(root, name)]);
  return [...roots, "--db", join(folder, "index.db")];
}
