/** `pidex name`, `label`, `pin`, `archive` and `tag`: set, remove or show session metadata. */
import { type Index, PidexError, type SessionInfo, type SessionManager } from "../../library/index.ts";
import { parseTag } from "../../library/internal.ts";
import { changeMetadata, showMetadata } from "./change-metadata.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";

export async function name(io: Io, [session = "", ...words]: string[], flags: Flags<"name">): Promise<void> {
  const text = words
    .join(" ")
    .replace(/[\r\n]+/g, " ")
    .trim();
  if (isRequested("name", words, text, flags)) {
    return showMetadata(io, session, flags, { values: (now) => now.name || [], nothing: "no name" });
  }
  return changeMetadata(io, [session], flags, {
    change: (manager) => ((manager.getSessionName() ?? "") === text ? undefined : manager.setName(text)),
    describe: (now) => (now.name ? `named ${now.name}` : "no name"),
  });
}

export async function label(
  io: Io,
  [session = "", entryId = "", ...words]: string[],
  flags: Flags<"label">,
): Promise<void> {
  const text = words.join(" ").trim();
  if (isRequested("label", words, text, flags)) {
    const values = (now: { label?: string }) => now.label || [];
    return showMetadata(io, session, flags, { values, nothing: "no label", entryId });
  }
  return changeMetadata(io, [session], flags, {
    entryId,
    change: (manager) => {
      const isSame = (manager.getLabel(entryId) ?? "") === text;
      return isSame ? undefined : manager.appendLabelChange(entryId, text === "" ? undefined : text);
    },
    describe: (now) => (now.label ? `${entryId} labeled ${now.label}` : `${entryId} has no label`),
  });
}

/** Whether the current text is to be shown: no new one is passed, and it isn't removed. @throws PidexError `BAD_OPTION` */
function isRequested(what: string, words: string[], text: string, { clear }: { clear?: boolean }): boolean {
  if (words.length > 0 && (text === "" || clear)) {
    const message = clear ? `a ${what} conflicts with --clear` : `the ${what} is empty`;
    throw new PidexError("BAD_OPTION", message, `Pass a ${what} to set it, or --clear to remove it.`);
  }
  return words.length === 0 && !clear;
}

export async function pin(io: Io, sessions: string[], flags: Flags<"pin">): Promise<void> {
  const isPinned = !flags.off;
  return changeMetadata(io, sessions, flags, {
    change: (manager) => (manager.getPinned() === isPinned ? undefined : manager.setPinned(isPinned)),
    describe: ({ pinned }) => (pinned ? "pinned" : "not pinned"),
  });
}

export async function archive(io: Io, sessions: string[], flags: Flags<"archive">): Promise<void> {
  const isArchived = !flags.off;
  return changeMetadata(io, sessions, flags, {
    change: (manager) => (manager.getArchived() === isArchived ? undefined : manager.setArchived(isArchived)),
    describe: ({ archived }) => (archived ? "archived" : "not archived"),
  });
}

/** `pidex tag SESSION TAG…`, and `pidex tag SESSION… --add TAG` for several sessions. */
export async function tag(io: Io, [session = "", ...words]: string[], flags: Flags<"tag">): Promise<void> {
  const sessions = flags.add ? [session, ...words] : [session];
  const tags = (flags.add ?? words).map(parseTag);
  if (tags.some((each) => each === "")) {
    throw new PidexError("BAD_OPTION", "a tag is empty", "Pass a tag, or --set alone to clear all tags.");
  }
  if (tags.length === 0 && flags.remove) {
    const hint = "Pass the tags to remove, or --set alone to clear all tags.";
    throw new PidexError("BAD_OPTION", "no tag to remove", hint);
  }
  if (tags.length === 0 && !flags.set) {
    return showMetadata(io, session, flags, { values: (now) => now.tags, nothing: "no tags" });
  }
  const change = (manager: SessionManager): string | undefined => {
    if (flags.remove) return manager.removeTags(...tags);
    if (!flags.set) return manager.addTags(...tags);
    const unique = [...new Set(tags)];
    return JSON.stringify(unique) === JSON.stringify(manager.getTags()) ? undefined : manager.setTags(unique);
  };
  return changeMetadata(io, sessions, flags, {
    check: flags.add || flags.remove ? undefined : (index) => refuseSessions(index, tags),
    change,
    describe: (now) => (now.tags.length > 0 ? `tagged ${now.tags.join(", ")}` : "no tags"),
  });
}

/** A shorter word may be a tag, although an id begins with it. */
const MIN_ID_LENGTH = 8;

/** @throws PidexError `BAD_OPTION` for a tag that names a session, as in `pidex tag ID ID TAG` */
async function refuseSessions(index: Index, tags: readonly string[]): Promise<void> {
  for (const word of tags) {
    const info = await findSession(index, word);
    if (info === undefined || (word.length < MIN_ID_LENGTH && ![info.id, "@last"].includes(word))) continue;
    throw new PidexError(
      "BAD_OPTION",
      `"${word}" is a session, not a tag`,
      "To tag several sessions: pidex tag SESSION SESSION --add TAG. --add also accepts such a tag.",
    );
  }
}

/** Undefined if no session, or more than one, matches. */
async function findSession(index: Index, session: string): Promise<SessionInfo | undefined> {
  try {
    return await index.find(session);
  } catch (error) {
    if (error instanceof PidexError && ["NOT_FOUND", "AMBIGUOUS"].includes(error.code)) return undefined;
    throw error;
  }
}
