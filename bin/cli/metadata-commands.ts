/** `pidex name`, `label`, `pin`, `archive` and `tag`: set, remove or show session metadata. */
import { type Index, PidexError, type SessionInfo, type SessionManager } from "../../library/index.ts";
import { parseTag, quoteForShell, removeOutcome } from "../../library/internal.ts";
import { toOneLine } from "../format/safe.ts";
import { changeMetadata, showMetadata } from "./change-metadata.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";

export async function name(io: Io, [session = "", ...words]: string[], flags: Flags<"name">): Promise<void> {
  if (flags.computed) return nameByTitles(io, [session, ...words], flags);
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
    confirm: (session, now) => (now.name ? `Named ${session}` : `Removed the name of ${session}`),
  });
}

/** `pidex name SESSION… --computed`. Sessions that have a name keep it. */
async function nameByTitles(io: Io, sessions: string[], flags: Flags<"name">): Promise<void> {
  if (flags.clear || flags.remove) {
    throw new PidexError("BAD_OPTION", "--computed conflicts with --clear", "Pass one of them.");
  }
  /** Why sessions are left as they are, by path. */
  const skipped = new Map<string, string>();
  return changeMetadata(io, sessions, flags, {
    change(manager, { path, computedTitle }) {
      manager.reload(); // so that a name given by another process is kept
      skipped.delete(path);
      if (manager.getSessionName()) skipped.set(path, "already has a name");
      else if (computedTitle === undefined) skipped.set(path, "has no message to compute a title from");
      else return manager.setName(removeOutcome(computedTitle));
      return undefined;
    },
    describe: (now) => (now.name ? `named ${now.name}` : "no name"),
    confirm: (session) => `Named ${session}`,
    describeSkipped: ({ path }) => skipped.get(path),
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
    confirm: (session, now) =>
      now.label
        ? `Labeled entry ${entryId} "${now.label}" in ${session}`
        : `Removed the label of entry ${entryId} in ${session}`,
  });
}

/** Whether the current text is to be shown: no new one is passed, and it isn't removed. @throws PidexError `BAD_OPTION` */
function isRequested(
  what: string,
  words: string[],
  text: string,
  flags: { clear?: boolean; remove?: boolean },
): boolean {
  const clear = flags.clear || flags.remove;
  if (words.length > 0 && (text === "" || clear)) {
    const message = clear ? `a ${what} conflicts with --clear` : `the ${what} is empty`;
    throw new PidexError("BAD_OPTION", message, `Pass a ${what} to set it, or --clear to remove it.`);
  }
  return words.length === 0 && !clear;
}

export async function pin(io: Io, sessions: string[], flags: Flags<"pin">): Promise<void> {
  const isPinned = !flags.off && !flags.remove;
  return changeMetadata(io, sessions, flags, {
    change: (manager) => (manager.getPinned() === isPinned ? undefined : manager.setPinned(isPinned)),
    describe: ({ pinned }) => (pinned ? "pinned" : "not pinned"),
    confirm: (session, { pinned }) => `${pinned ? "Pinned" : "Unpinned"} ${session}`,
  });
}

export async function archive(io: Io, sessions: string[], flags: Flags<"archive">): Promise<void> {
  const isArchived = !flags.off && !flags.remove;
  return changeMetadata(io, sessions, flags, {
    change: (manager) => (manager.getArchived() === isArchived ? undefined : manager.setArchived(isArchived)),
    describe: ({ archived }) => (archived ? "archived" : "not archived"),
    confirm: (session, { archived }) => `${archived ? "Archived" : "Unarchived"} ${session}`,
  });
}

/**
 * `pidex tag SESSION TAG…`, and `pidex tag SESSION… --add TAG,TAG --remove TAG` for several sessions. `--remove` without a tag removes those
 * behind the session.
 */
export async function tag(io: Io, [session = "", ...words]: string[], flags: Flags<"tag">): Promise<void> {
  const areSessions = flags.add !== undefined || Array.isArray(flags.remove);
  const sessions = areSessions ? [session, ...words] : [session];
  const tags = areSessions ? [] : words.map(parseTag);
  const removed = flags.remove === true ? tags : splitTags(flags.remove);
  const added = flags.remove === true ? [] : [...splitTags(flags.add), ...tags];
  if ([...added, ...removed].some((each) => each === "")) {
    throw new PidexError("BAD_OPTION", "a tag is empty", "Pass a tag, or --set alone to clear all tags.");
  }
  const signed = tags.find((each) => /^\+./.test(each));
  if (signed !== undefined) {
    const hint = `Tags are added without a sign: pidex tag SESSION ${quoteForShell(signed.slice(1))}. --add also accepts such a tag.`;
    throw new PidexError("BAD_OPTION", `"${toOneLine(signed)}" begins with a plus sign`, hint);
  }
  if (flags.remove && removed.length === 0) {
    const hint = "Pass the tags to remove, or --set alone to clear all tags.";
    throw new PidexError("BAD_OPTION", "no tag to remove", hint);
  }
  if (added.length + removed.length === 0 && !flags.set) {
    return showMetadata(io, session, flags, { values: (now) => now.tags, nothing: "no tags" });
  }
  /** By session: the tags to remove that it doesn't have. */
  const absent = new Map<string, string[]>();
  const change = (manager: SessionManager): string | undefined => {
    manager.reload(); // so that tags changed by another process are kept
    const present = manager.getTags();
    absent.set(
      manager.getSessionId(),
      removed.filter((each) => !present.includes(each)),
    );
    const kept = flags.set ? [] : present.filter((each) => !removed.includes(each));
    const wanted = [...new Set([...kept, ...added])];
    return JSON.stringify(wanted) === JSON.stringify(present) ? undefined : manager.setTags(wanted);
  };
  return changeMetadata(io, sessions, flags, {
    check: areSessions || flags.remove ? undefined : (index) => refuseSessions(index, added),
    hintIfUnknown: areSessions
      ? (word) => (word === session ? undefined : suggestList(word, flags)) // more likely a mistyped session than a tag
      : undefined,
    change,
    describe: (now) => (now.tags.length > 0 ? `tagged ${now.tags.join(", ")}` : "no tags"),
    confirm(session, now) {
      if (now.tags.length > 0) return `Tagged ${session}: ${now.tags.join(", ")}`;
      const last = removed.filter((each) => !absent.get(now.sessionId)?.includes(each));
      return last.length > 0
        ? `Removed ${last.join(", ")} from ${session}, which has no tags now`
        : `Removed all tags of ${session}`;
    },
    describeSkipped({ sessionId }) {
      const names = (absent.get(sessionId) ?? []).map((each) => JSON.stringify(each));
      return names.length > 0 ? `has no tag ${names.join(", ")}` : undefined;
    },
  });
}

/** The tags of repeated or comma-separated values of an option. */
function splitTags(values: string[] | true | undefined): string[] {
  return Array.isArray(values) ? values.flatMap((value) => value.split(",")).map(parseTag) : [];
}

/** The hint for a word that names no session, but may be meant as a tag: `pidex tag ID --remove a b`. */
function suggestList(word: string, { add, remove }: Flags<"tag">): string {
  const [name, action, values] = add === undefined ? ["--remove", "remove", remove] : ["--add", "add", add];
  const list = quoteForShell([...splitTags(values), word].join(","));
  return `With ${name}, arguments are sessions. To ${action} several tags: ${name} ${list}`;
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
