/**
 * A process beside others on the sessions of one folder: `node prune-child.ts prune FOLDER` compresses and restores them until it is
 * killed; `node prune-child.ts append FOLDER LOG` appends to them by path as agents do, until its input ends, and logs each line before
 * it is written.
 */
import { appendFileSync, closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { PidexError } from "../../src/errors.ts";
import { toDecompressedName } from "../../src/session/locations.ts";
import { compressSession, decompressSession } from "../../src/session/writing/compress-session.ts";
import { settleLeftovers } from "../../src/session/writing/find-leftovers.ts";

const [mode, folder = "", log = ""] = process.argv.slice(2);
const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

function listSessions(): string[] {
  const names = readdirSync(folder).map((name) => toDecompressedName(name) ?? name);
  return [...new Set(names.filter((name) => name.endsWith(".jsonl")))].map((name) => join(folder, name));
}

const OPERATIONS = { c: compressSession, r: decompressSession, s: settleLeftovers } as const;

/** Killed at any moment. Writes one letter for each operation that ended. */
function prune(): never {
  writeSync(1, " ");
  for (;;) {
    for (const path of listSessions()) {
      const letter = pick(["c", "r", "r", "s"] as const);
      try {
        OPERATIONS[letter](path);
        writeSync(1, letter);
      } catch (error) {
        if (!(error instanceof PidexError)) throw error; // it changed, or is what it should be already
      }
    }
  }
}

async function append(): Promise<void> {
  const sessions = listSessions();
  let isRunning = true;
  process.stdin.on("end", () => {
    isRunning = false;
  });
  process.stdin.resume();
  for (let n = 0; isRunning; n++) {
    const path = pick(sessions);
    const line = `${JSON.stringify({ type: "custom", id: `line-${n}`, data: "x".repeat(Math.random() ** 4 * 5000) })}\n`;
    appendFileSync(log, `${JSON.stringify({ path, line })}\n`);
    const fd = openSync(path, "a", 0o600);
    writeSync(fd, line);
    closeSync(fd);
    // Long enough for a session to be compressed in between, and sometimes in the middle of it.
    await pause(Math.random() ** 3 * 40);
  }
}

if (mode === "prune") prune();
await append();
