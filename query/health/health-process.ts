/**
 * The program that looks into a database for `diagnose`. A process of its own, because nothing can interrupt SQLite,
 * because a broken file, or a driver that does not fit, may end it (what it told before that stands), and because a
 * process that opens and closes a file loses the locks that it has on it elsewhere.
 */

import { existsSync } from "node:fs";
import { isTurnTaken } from "../../src/store/sqlite/turn.ts";
import type { HealthMessage, HealthRequest } from "./health-messages.ts";
import { attempt, lookInto } from "./look-into.ts";

process.once("disconnect", () => process.kill(process.pid, "SIGKILL")); // whoever asked is gone
process.once("message", async (request: HealthRequest) => {
  const tell = (message: HealthMessage) =>
    new Promise<void>((resolve) => {
      process.send?.(message, () => resolve());
    });
  try {
    // The driver that all else of pidex uses: only its version is asked.
    const { default: SQLite } = await import("better-sqlite3");
    const memory = new SQLite(":memory:");
    await tell({ sqlite: String(memory.prepare("SELECT sqlite_version()").pluck().get()) });
    memory.close();
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] as string) : String(error);
    await tell({ failed: { step: "sqlite", message } });
  }
  const { path, prefixes } = request;
  if (path !== undefined) {
    await attempt("indexing", tell, async () => tell({ indexing: await isIndexing(path) }));
    await lookInto(path, prefixes, tell);
  }
  await tell({ done: true });
  process.exit();
});

/** Who indexes holds a lock on a file beside the database. Where there is none, asking would make it. */
async function isIndexing(path: string): Promise<boolean> {
  return existsSync(`${path}.turn`) && (await isTurnTaken(path));
}
