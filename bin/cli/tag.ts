import { PidexError, type SessionManager } from "../../library/index.ts";
import { changeMetadata, showMetadata } from "./change-metadata.ts";
import type { Io } from "./io.ts";
import type { WriteFlags } from "./write-flags.ts";

interface Flags extends WriteFlags {
  remove?: boolean;
  set?: boolean;
}

/** `pidex tag`: adds, removes or shows the tags of a session. */
export async function run(io: Io, [session = "", ...tags]: string[], flags: Flags): Promise<number> {
  if (tags.some((tag) => tag.trim() === "")) {
    throw new PidexError("BAD_OPTION", "a tag is empty", "Pass a tag, or --set alone to clear all tags.");
  }
  if (tags.length === 0 && flags.remove) {
    throw new PidexError(
      "BAD_OPTION",
      "no tag to remove",
      "Pass the tags to remove, or --set alone to clear all tags.",
    );
  }
  if (tags.length === 0 && !flags.set) {
    return showMetadata(io, session, flags, { values: (organised) => organised.tags, nothing: "no tags" });
  }
  const change = (manager: SessionManager): string | undefined => {
    if (flags.remove) return manager.removeTags(...tags);
    if (!flags.set) return manager.addTags(...tags);
    const unique = [...new Set(tags.map((tag) => tag.trim()))];
    return JSON.stringify(unique) === JSON.stringify(manager.getTags()) ? undefined : manager.setTags(unique);
  };
  return changeMetadata(io, [session], flags, {
    change,
    describe: (organised) => (organised.tags.length > 0 ? `tagged ${organised.tags.join(", ")}` : "no tags"),
  });
}
