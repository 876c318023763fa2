import { PidexError, type SessionManager } from "../../library/index.ts";
import type { Io } from "./io.ts";
import { organise, showOrganised } from "./organise.ts";
import type { WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  remove?: boolean;
  set?: boolean;
}

/** `pidex tag`: gives a session tags, takes some away, or shows them. */
export async function run(io: Io, [session = "", ...tags]: string[], flags: Flags): Promise<number> {
  if (tags.some((tag) => tag.trim() === "")) {
    throw new PidexError(
      "BAD_OPTION",
      "a tag is empty",
      "Give words, or --set without any to clear all tags.",
    );
  }
  if (tags.length === 0 && flags.remove) {
    throw new PidexError("BAD_OPTION", "no tag to remove", "Name the tags, or clear all with --set alone.");
  }
  if (tags.length === 0 && !flags.set) {
    return showOrganised(io, session, flags, { values: (organised) => organised.tags, nothing: "no tags" });
  }
  const change = (manager: SessionManager): string | undefined => {
    if (flags.remove) return manager.removeTags(...tags);
    if (!flags.set) return manager.addTags(...tags);
    const wanted = [...new Set(tags.map((tag) => tag.trim()))];
    return JSON.stringify(wanted) === JSON.stringify(manager.getTags()) ? undefined : manager.setTags(wanted);
  };
  return organise(io, [session], flags, {
    change,
    told: (organised) => (organised.tags.length > 0 ? `tagged ${organised.tags.join(", ")}` : "no tags"),
  });
}
