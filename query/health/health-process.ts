/**
 * The program that inspects a database for `diagnose`. It is a separate process because SQLite can't be interrupted,
 * because a broken file or an incompatible driver may crash it (results sent before are kept), and because a process
 * that opens and closes a file loses all its other locks on that file.
 */

import { existsSync } from "node:fs";
import { toMessage } from "../../src/errors.ts";
import { isWriterLocked } from "../../src/store/sqlite/lock.ts";
import type { HealthMessage, HealthRequest } from "./health-messages.ts";
import { attemptStep, inspectDatabase } from "./inspect-database.ts";

process.once("disconnect", () => process.kill(process.pid, "SIGKILL")); // the caller has ended
process.once("message", async (request: HealthRequest) => {
  const report = (message: HealthMessage) =>
    new Promise<void>((resolve) => {
      process.send?.(message, () => resolve());
    });
  try {
    // The driver used by the rest of pidex. Only its version is needed here.
    const { default: SQLite } = await import("better-sqlite3");
    const memory = new SQLite(":memory:");
    await report({ sqlite: String(memory.prepare("SELECT sqlite_version()").pluck().get()) });
    memory.close();
  } catch (error) {
    const [message = ""] = toMessage(error).split("\n");
    await report({ failed: { step: "sqlite", message } });
  }
  const { path, prefixes } = request;
  if (path !== undefined) {
    await attemptStep("indexing", report, async () => report({ indexing: await isIndexing(path) }));
    await inspectDatabase(path, prefixes, report);
  }
  await report({ done: true });
  process.exit();
});

/** Whether the writer lock is held. Testing the lock would create its file, so a missing file is checked first. */
async function isIndexing(path: string): Promise<boolean> {
  return existsSync(`${path}.turn`) && (await isWriterLocked(path));
}
