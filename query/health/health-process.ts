/**
 * The program that inspects a database for `diagnose`. It is a separate process because SQLite can't be interrupted,
 * because a broken file or an incompatible driver may crash it (results sent before are kept), and because a process
 * that opens and closes a file loses all its other locks on that file.
 */

import { existsSync } from "node:fs";
import { isWriterLocked } from "../../src/store/sqlite/lock.ts";
import type { HealthMessage, HealthRequest } from "./health-messages.ts";
import { attemptStep, inspectDatabase } from "./inspect-database.ts";

process.once("disconnect", () => process.kill(process.pid, "SIGKILL")); // the caller has ended
process.once("message", async ({ path, prefixes }: HealthRequest) => {
  const report = (message: HealthMessage) =>
    new Promise<void>((resolve) => {
      process.send?.(message, () => resolve());
    });
  await attemptStep("sqlite", report, async () => {
    // The driver used by the rest of pidex. Only its version is needed here.
    const { default: SQLite } = await import("better-sqlite3");
    return String(new SQLite(":memory:").prepare("SELECT sqlite_version()").pluck().get());
  });
  if (path !== undefined) {
    // Testing the writer lock would create its file, so a missing file is checked first.
    const isIndexing = async () => existsSync(`${path}.turn`) && (await isWriterLocked(path));
    await attemptStep("indexing", report, isIndexing);
    await inspectDatabase(path, prefixes, report);
  }
  await report({ done: true });
  process.exit();
});
