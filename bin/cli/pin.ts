import type { Io } from "./io.ts";
import { organise } from "./organise.ts";
import type { WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  off?: boolean;
}

/** `pidex pin`: pins sessions to the top of lists, or unpins them. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const isPinned = !flags.off;
  return organise(io, sessions, flags, {
    change: (manager) => (manager.getPinned() === isPinned ? undefined : manager.setPinned(isPinned)),
    describe: ({ pinned }) => (pinned ? "pinned" : "not pinned"),
  });
}
