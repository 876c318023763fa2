import type { Io } from "./io.ts";
import { organise } from "./organise.ts";
import type { WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  off?: boolean;
}

/** `pidex archive`: hides sessions from lists, or shows them again. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const isArchived = !flags.off;
  return organise(io, sessions, flags, {
    change: (manager) => (manager.getArchived() === isArchived ? undefined : manager.setArchived(isArchived)),
    describe: ({ archived }) => (archived ? "archived" : "not archived"),
  });
}
