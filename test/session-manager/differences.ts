/**
 * Where pidex's SessionManager is not as that of the published pi 0.73.1: on purpose, each with its reason. The tests in
 * conformance/ hold both sides, so that one that vanishes or changes is seen. "1.5" is pi 1.5.2, which decides where the
 * two versions of pi differ.
 */
import { expect } from "vitest";

interface Difference {
  when: string;
  /** What comes of it, in the words that the test finds. */
  pi: string;
  pidex: string;
  why: string;
}

const NEW = "as 1.5, which has it since";
const NO_METHOD = "is not there";

export const differences = {
  // Writing
  "first-write": {
    when: "setup and a user message were appended to a new session",
    pi: "no file",
    pidex: "a file of 3 lines",
    why: "as 1.5: the prompt is kept when its first answer never comes",
  },
  "branch-without-answer": {
    when: "createBranchedSession of a path with a user message and no answer",
    pi: "is not written yet",
    pidex: "is written",
    why: "as first-write",
  },
  "no-answer-yet": {
    when: "a file without an answer is opened, a user message and an answer are appended",
    pi: "2 lines before the answer, 6 after it",
    pidex: "3 lines before the answer, 4 after it",
    why: "as 1.5: pi 0.73.1 holds back, then appends the header and all entries once more",
  },
  "first-write-over-a-file": {
    when: "another program made a file of the session's name before its first write",
    pi: "is appended to",
    pidex: "is left as it is",
    why: "as 1.5: the first write makes the file, or throws",
  },
  "failed-append": {
    when: "an append throws",
    pi: "3 entries, and the leaf is the failed one",
    pidex: "2 entries, and the leaf is the one before",
    why: "as 1.5: later entries would hang from one that is in no file",
  },
  "deleted-meanwhile": {
    when: "the file was deleted, and the session goes on",
    pi: "message",
    pidex: "session, message, message, message",
    why: "an entry alone is no session: all of it is written again",
  },
  "entries-of-others": {
    when: "another process appended to the session",
    pi: "stay unknown",
    pidex: "are taken in",
    why: "so that two may write; `onForeignEntries` can refuse instead",
  },
  "no-final-newline": {
    when: "a file's last entry lacks its newline, and one is appended",
    pi: "1 entries when it is opened again",
    pidex: "3 entries when it is opened again",
    why: "as 1.5: pi 0.73.1 glues the two, and loses both",
  },
  "torn-line": {
    when: "a file ends in half an entry, and one is appended",
    pi: "2 entries when it is opened again",
    pidex: "3 entries when it is opened again",
    why: "as no-final-newline",
  },
  "no-session": {
    when: "a file that holds something, but no session, is opened",
    pi: "no error, the file is overwritten",
    pidex: "throws, the file is left",
    why: "as 1.5: a wrong path must cost nobody a file",
  },
  "title-before-header": {
    when: "a session begins with the title that some forks write",
    pi: "overwrites the file",
    pidex: "no error",
    why: "it is a session, and is read as one; 1.5 throws",
  },
  "header-of-an-empty-file": {
    when: "an empty file is opened, a user message and an answer are appended",
    pi: "2 headers",
    pidex: "1 header",
    why: "as 1.5: see no-answer-yet",
  },
  "cwd-no-text": {
    when: "a header's cwd is a number",
    pi: "5",
    pidex: "the process's",
    why: "as 1.5, and as where there is none",
  },
  "name-no-text": {
    when: "getSessionName where the file has a number",
    pi: "throws",
    pidex: "undefined",
    why: "one odd entry must not cost the session; 1.5 throws",
  },
  "null-line": {
    when: "a line of a file is null",
    pi: "throws",
    pidex: "2 entries",
    why: "as 1.5: it is passed over, like a line that is no JSON",
  },
  "json-but-no-entry": {
    when: "parseSessionEntries of two entries and lines that are null, 5, a text and a list",
    pi: "7 lines",
    pidex: "3 lines",
    why: "what is no object is no entry, and its fields cannot be asked for",
  },

  // Entries
  "name-newlines": {
    when: "a name with newlines is set",
    pi: '"a\\r\\n\\nb"',
    pidex: '"a b"',
    why: "as 1.5: a name is one line",
  },
  "usage-of-summaries": {
    when: "appendCompaction and branchWithSummary are given the usage of their calls",
    pi: "is on 0 of 2 entries",
    pidex: "is on 2 of 2 entries",
    why: NEW,
  },
  "compaction-keeps-none": {
    when: "appendCompaction that keeps none (null)",
    pi: "null",
    pidex: "its own id",
    why: "as 1.5",
  },
  "compaction-system-message": {
    when: "appendCompaction in a session with system messages",
    pi: "is not kept",
    pidex: '["Be brief.\\n\\nBe kind.",{"b":"B"}]',
    why: "as 1.5: the prompt that is in force goes with the compaction",
  },
  "append-usage": {
    when: "appendUsage",
    pi: "throws: manager.appendUsage is not a function",
    pidex: "no error",
    why: NEW,
  },
  "append-context-edit": {
    when: "appendContextEdit",
    pi: "throws: manager.appendContextEdit is not a function",
    pidex: "no error",
    why: NEW,
  },
  "entry-count": { when: "getEntryCount", pi: NO_METHOD, pidex: "1", why: NEW },

  // New sessions
  "session-ids": {
    when: "newSession with ids that can be no part of a file name",
    pi: "0 of 6 refused",
    pidex: "6 of 6 refused",
    why: "as 1.5: `../up` would lie in another folder",
  },
  "assert-valid-session-id": {
    when: "assertValidSessionId of good and bad ids",
    pi: NO_METHOD,
    pidex: "yes yes no no no no",
    why: NEW,
  },
  "options-of-a-new-session": {
    when: "create and inMemory with an id and a parent",
    pi: "taken by 0 of 2",
    pidex: "taken by 2 of 2",
    why: NEW,
  },
  "in-memory-entries": {
    when: "inMemory of entries with their header, and without",
    pi: "0 and 0 entries",
    pidex: "2 and 2 entries",
    why: NEW,
  },

  // The tree
  "branch-summary-from": {
    when: "branchWithSummary: its fromId",
    pi: "the target",
    pidex: "the leaf that was left",
    why: "as 1.5: the target is its parent already",
  },
  "branch-summary-to-root": {
    when: "branchWithSummary(null): its fromId",
    pi: "root",
    pidex: "the leaf that was left",
    why: "as branch-summary-from",
  },
  "branch-summary-from-root": {
    when: "branchWithSummary after resetLeaf: its fromId",
    pi: "the target",
    pidex: "root",
    why: "as branch-summary-from",
  },
  "parents-in-a-circle": {
    when: "getBranch where parents go in a circle",
    pi: "never ends",
    pidex: "ends",
    why: "a broken file must not hang its reader; 1.5 hangs",
  },
  "context-of-a-circle": {
    when: "buildSessionContext where parents go in a circle",
    pi: "never ends",
    pidex: "ends",
    why: "as parents-in-a-circle",
  },
  "tree-of-a-circle": {
    when: "getTree where parents go in a circle",
    pi: "no root",
    pidex: "a(b)",
    why: "what is there is shown: the first of the circle is a root; 1.5 loses them",
  },
  "many-children": {
    when: "getTree of an entry with 150,000 children",
    pi: "throws: Maximum call stack size exceeded",
    pidex: "no error",
    why: "1.5 throws too",
  },

  // The context
  "context-system-message": {
    when: "a compaction has a system message",
    pi: "<short>",
    pidex: "Be brief. <short>",
    why: "as 1.5: the prompt that was in force stands first",
  },
  "context-kept-system-messages": {
    when: "system messages stand among what a compaction kept",
    pi: "<short> one Be kind. Be brief.",
    pidex: "<short> one Be brief.",
    why: "as 1.5: they are in the compaction's own",
  },
  "context-edits": {
    when: "context_edit entries on the path",
    pi: "one two three four",
    pidex: "1 2 4",
    why: NEW,
  },
  "build-context-entries": {
    when: "buildContextEntries",
    pi: NO_METHOD,
    pidex: "compaction thinking_level_change message",
    why: NEW,
  },
  "build-session-projection": {
    when: "buildSessionProjection: the messages of each entry",
    pi: NO_METHOD,
    pidex: "1 0 1",
    why: NEW,
  },
  "functions-of-edits": {
    when: "projectContextEntry and sessionEntryToContextMessages",
    pi: "are not there",
    pidex: "are there",
    why: NEW,
  },
  "content-missing": {
    when: "messages whose content is null or missing",
    pi: "user null assistant null toolResult null user undefined",
    pidex: "user [] assistant [] toolResult [] user []",
    why: "as 1.5: who reads a context need not look",
  },
  "message-missing": {
    when: "a message entry without a message",
    pi: "throws",
    pidex: "one two",
    why: "one broken entry must not cost the session; 1.5 throws",
  },
  "settings-missing": {
    when: "changes of level and model that name none",
    pi: '["none",{}]',
    pidex: '["high",{"provider":"","modelId":""}]',
    why: "the fields are typed as texts; 1.5 is as pi 0.73.1",
  },
  "exclude-from-context": {
    when: "a custom_message of Atomic's with excludeFromContext",
    pi: "one two",
    pidex: "one",
    why: "the agent that wrote it kept it from the model; 1.5 does not know the field",
  },

  // Forks
  "path-past-labels": {
    when: "createBranchedSession of a path with a label in it: the entry after the label",
    pi: "hangs from the label that is gone",
    pidex: "re-chained",
    why: "as 1.5: the path would fall in two",
  },
  "kept-from-a-label": {
    when: "createBranchedSession where a compaction kept from a label on",
    pi: "kept from nothing",
    pidex: "kept from the next entry",
    why: "as 1.5",
  },
  "fork-of-version-1": {
    when: "forkFrom of a session of version 1",
    pi: "calls entries without ids version 3",
    pidex: "is upgraded",
    why: "1.5 has the fault too: the copy is no valid session",
  },
  "fork-of-odd-lines": {
    when: "forkFrom of lines with blanks in them, and one that cannot be read",
    pi: "written anew, without the unreadable",
    pidex: "as they were, without the unreadable",
    why: "a number such as 1.0 stays what it was; 1.5 writes anew",
  },
  "fork-of-a-relative-path": {
    when: "forkFrom of a relative path: the parentSession",
    pi: "as it was given",
    pidex: "absolute",
    why: "as 1.5: the fork may be opened from elsewhere",
  },
  "fork-with-an-id": { when: "forkFrom with an id", pi: "has another", pidex: "has it", why: NEW },
  "fork-with-a-wrong-id": {
    when: "forkFrom with an id that can be no part of a file name",
    pi: "no error",
    pidex: "throws",
    why: "as session-ids",
  },

  // Old versions
  "ids-of-version-1": {
    when: "the same session of version 1 is opened twice",
    pi: "others each time",
    pidex: "the same each time",
    why: "what the index knows of it stays true after the upgrade",
  },
  "upgrade-of-unreadable-lines": {
    when: "an old session has a line that cannot be read: where it is after the upgrade",
    pi: "is gone",
    pidex: "a.jsonl.bak",
    why: "nothing is thrown away; in 1.5 it is gone",
  },
  "upgrade-in-place": {
    when: "an old session is upgraded",
    pi: "writes over the old file",
    pidex: "puts a new file in its place",
    why: "a crash leaves the old file or the new one; 1.5 writes over it",
  },

  // Finding
  "headers-that-are-found": {
    when: "findMostRecentSession: a header of over 512 bytes, and one behind a line that is none",
    pi: "not found, not found",
    pidex: "found, found",
    why: "as 1.5",
  },
  "continue-in-a-folder-of-many": {
    when: "continueRecent in a folder of many projects, another's being the newest",
    pi: "another's",
    pidex: "this project's",
    why: "as 1.5",
  },
  "most-recent-of-a-project": {
    when: "findMostRecentSession with a cwd",
    pi: "another's",
    pidex: "this project's",
    why: NEW,
  },
  "pipe-named-as-a-session": {
    when: "findMostRecentSession where a pipe is named as a session",
    pi: "never ends",
    pidex: "is passed over",
    why: "only files are opened; 1.5 hangs",
  },
  "relative-session-dir": {
    when: "create with a relative folder",
    pi: "stays as it is given",
    pidex: "is made absolute",
    why: "a process may change its own; 1.5 is as pi 0.73.1",
  },
  "find-by-id": { when: "findById", pi: NO_METHOD, pidex: "is there", why: NEW },
  "relative-cwd": {
    when: "create with a relative cwd",
    pi: "stays as it is given",
    pidex: "is made absolute",
    why: "as 1.5: the session may be opened from elsewhere",
  },
  "folder-of-a-relative-cwd": {
    when: "getDefaultSessionDir of a relative cwd",
    pi: "--shop--",
    pidex: "--here-shop--",
    why: "as relative-cwd",
  },
  "tilde-and-urls": {
    when: "loadEntriesFromFile, list and forkFrom of paths with ~ and file://",
    pi: "0 0 0 0 throws throws",
    pidex: "3 3 1 1 no error no error",
    why: "as 1.5",
  },
  "uses-default-session-dir": {
    when: "usesDefaultSessionDir",
    pi: NO_METHOD,
    pidex: "true true false false",
    why: NEW,
  },

  // Listing
  "list-content-null": {
    when: "a message whose content is null",
    pi: "is not listed",
    pidex: "3 messages: one two",
    why: "one odd entry must not hide a session; in 1.5 it does",
  },
  "list-content-odd": {
    when: "a message whose content is an object",
    pi: "is not listed",
    pidex: "3 messages: one two",
    why: "as list-content-null",
  },
  "list-block-null": {
    when: "a message with a block that is null",
    pi: "is not listed",
    pidex: "3 messages: one two b",
    why: "as list-content-null",
  },
  "list-message-absent": {
    when: "a message entry without a message",
    pi: "is not listed",
    pidex: "3 messages: one two",
    why: "as list-content-null",
  },
  "list-name-no-text": {
    when: "a name that is a number",
    pi: "is not listed",
    pidex: "2 messages: one two",
    why: "as list-content-null",
  },
  "list-line-null": {
    when: "a line that is null",
    pi: "is not listed",
    pidex: "2 messages: one two",
    why: "as 1.5",
  },
  "list-id-absent": {
    when: "the id of a session whose header has none",
    pi: "{}",
    pidex: '{"id":""}',
    why: "the field is typed as a text; 1.5 is as pi 0.73.1",
  },
  "list-a-folder-of-many": {
    when: "list of a folder of many projects",
    pi: "a.jsonl b.jsonl c.jsonl d.jsonl",
    pidex: "a.jsonl d.jsonl",
    why: "as 1.5: those of the working directory alone",
  },
  "list-all-of-a-folder": {
    when: "listAll of a folder",
    pi: "lists the default folder",
    pidex: "a.jsonl b.jsonl",
    why: NEW,
  },
  "linked-project-folder": {
    when: "listAll where a project's folder is a link",
    pi: "is not listed",
    pidex: "/sessions/--link--/a.jsonl",
    why: "as 1.5",
  },
  "partial-sessions": {
    when: "the sessions known so far, as onProgress's third argument",
    pi: "do not come",
    pidex: "come along",
    why: NEW,
  },
  "called-off": {
    when: "list and listAll with a signal that is aborted",
    pi: "goes on",
    pidex: "rejects with the reason",
    why: NEW,
  },
} as const satisfies Record<string, Difference>;

/** Holds that what came of a case is what the table says of this implementation. */
export function expectDifference(
  key: keyof typeof differences,
  { name }: { name: "pi 0.73.1" | "pidex" },
  outcome: string,
): void {
  expect(outcome, key).toBe(differences[key][name === "pidex" ? "pidex" : "pi"]);
}
