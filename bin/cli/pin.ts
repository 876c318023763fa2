import type { Io } from "./io.ts";
import { organise } from "./organise.ts";
import type { WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  off?: boolean;
}

/** `pidex pin`: pins sessions, so that lists have them first, or not any more. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const wanted = !flags.off;
  return organise(io, sessions, flags, {
    change: (manager) => (manager.getPinned() === wanted ? undefined : manager.setPinned(wanted)),
    told: ({ pinned }) => (pinned ? "pinned" : "not pinned"),
  });
}
