import { join } from "node:path";
import { writeDemo } from "../../bin/demo/write-demo.ts";

/** Writes the sample sessions that the questions are about, always the same, and returns their root. */
export function writeDemoRoot(folder: string, sessions = 300): string {
  return writeDemo(join(folder, "demo"), { sessions, now: new Date("2026-11-20T16:00:00.000Z"), seed: 1 })
    .root;
}
