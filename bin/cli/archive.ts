import { changeMetadata } from "./change-metadata.ts";
import type { Io } from "./io.ts";
import type { WriteFlags } from "./write-flags.ts";

interface Flags extends WriteFlags {
  off?: boolean;
}

/** `pidex archive`: hides sessions from lists, or shows them again. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const isArchived = !flags.off;
  return changeMetadata(io, sessions, flags, {
    change: (manager) => (manager.getArchived() === isArchived ? undefined : manager.setArchived(isArchived)),
    describe: ({ archived }) => (archived ? "archived" : "not archived"),
  });
}
