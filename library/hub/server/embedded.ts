import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import type { Pool } from "pg";
import { PidexError, systemCode, toMessage } from "../../../src/errors.ts";
import { connect } from "../../../src/store/postgres/connect.ts";
import { createPrivateFolder } from "../private-files.ts";
import { PgliteStream } from "./pglite-stream.ts";

/** A PostgreSQL in this process. */
export interface Embedded {
  pool: Pool;
  close(): Promise<void>;
}

/**
 * Opens PGlite on a folder, which is created if it is missing. It has a single connection, so requests wait for each other.
 *
 * @throws PidexError `DATABASE_UNAVAILABLE` if the package is missing or the database cannot be opened, `DATABASE_BUSY` if another
 *   process has it open
 */
export async function openEmbedded(folder: string): Promise<Embedded> {
  const { PGlite } = await loadPglite();
  createPrivateFolder(folder);
  const unlock = lockFolder(folder);
  let db: PGlite;
  try {
    db = await PGlite.create({ dataDir: join(folder, "pglite") });
  } catch (cause) {
    unlock();
    const hint =
      "Move the folder away, or pass another one with --data. The sessions are still on the machines that pushed them.";
    throw new PidexError("DATABASE_UNAVAILABLE", `cannot open ${folder}: ${toMessage(cause)}`, hint, {
      cause,
    });
  }
  const pool = connect("postgres://postgres@localhost/postgres", {
    max: 1,
    idleTimeoutMillis: 0,
    stream: () => new PgliteStream(db),
  });
  return {
    pool,
    async close() {
      await pool.end();
      await db.close();
      unlock();
    },
  };
}

async function loadPglite(): Promise<typeof import("@electric-sql/pglite")> {
  try {
    return await import("@electric-sql/pglite");
  } catch (cause) {
    const hint = "Install it with npm install -g @electric-sql/pglite, or pass a PostgreSQL with --database.";
    throw new PidexError("DATABASE_UNAVAILABLE", "the package @electric-sql/pglite is not installed", hint, {
      cause,
    });
  }
}

/**
 * Marks a folder as used by this process.
 *
 * @returns removes the mark
 * @throws PidexError `DATABASE_BUSY` if another process that is running has marked it
 */
function lockFolder(folder: string): () => void {
  const path = join(folder, "hub.pid");
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || attempt > 0) throw error;
      const pid = Number(readFileSync(path, "utf8"));
      if (isRunning(pid)) {
        const hint = "Stop that hub first, or pass another folder with --data.";
        throw new PidexError("DATABASE_BUSY", `process ${pid} is a hub on ${folder}`, hint);
      }
      rmSync(path, { force: true });
    }
  }
}

/** Whether another process has this id. In a container, a hub that restarts has the id of the one before. */
function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
