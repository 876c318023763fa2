import { changeMetadata } from "./change-metadata.ts";
import type { Io } from "./io.ts";
import type { WriteFlags } from "./write-flags.ts";

interface Flags extends WriteFlags {
  off?: boolean;
}

/** `pidex pin`: pins sessions to the top of lists, or unpins them. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const isPinned = !flags.off;
  return changeMetadata(io, sessions, flags, {
    change: (manager) => (manager.getPinned() === isPinned ? undefined : manager.setPinned(isPinned)),
    describe: ({ pinned }) => (pinned ? "pinned" : "not pinned"),
  });
}
