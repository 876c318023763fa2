import type { Io } from "./io.ts";
import { organise } from "./organise.ts";
import type { WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  off?: boolean;
}

/** `pidex archive`: takes sessions out of lists, or back into them. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const wanted = !flags.off;
  return organise(io, sessions, flags, {
    change: (manager) => (manager.getArchived() === wanted ? undefined : manager.setArchived(wanted)),
    told: ({ archived }) => (archived ? "archived" : "not archived"),
  });
}
