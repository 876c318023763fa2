/** Definitions of the commands that write or delete session files. */
import { ANSWERS, FOLDER, NO_PAGER, SESSION } from "./common-options.ts";
import type { CommandDefinition } from "./option-types.ts";

const DRY_RUN = ["--dry-run", "Print what would change without changing it"] as const;
/** The name that the option of `tag` has. */
const REMOVE = ["--remove", "The same as --clear and --off", { hidden: true }] as const;

const SUBAGENTS = [
  "--subagents <which>",
  "Include subagent sessions (default: no)",
  { choices: ["no", "yes", "only"] },
] as const;

/** Users may not expect that a pin or a tag changes a file. */
const APPENDS = "\nThis appends one line to the session file, and changes nothing else in it.";

export const WRITE_COMMANDS = {
  name: {
    group: "Organize",
    description: "Show or set the name of a session",
    args: { "<session>": SESSION, "[name...]": "New name; shows the current one if omitted" },
    options: [
      ["--computed", "Use the titles that lists show as names of these sessions"],
      ["--clear", "Remove the name"],
      REMOVE,
      DRY_RUN,
    ],
    groups: ANSWERS,
    help: APPENDS,
  },
  label: {
    group: "Organize",
    description: "Show or set the label of an entry",
    args: {
      "<session>": SESSION,
      "<entry>": "Entry id, as shown by pidex tree",
      "[label...]": "New label; shows the current one if omitted",
    },
    options: [["--clear", "Remove the label"], REMOVE, DRY_RUN],
    groups: ANSWERS,
    help: APPENDS,
    errorHint:
      "Write pidex label SESSION ENTRY LABEL; run pidex tree SESSION --all to list the ids of its entries. Run pidex label --help for usage.",
  },
  pin: {
    group: "Organize",
    description: "Pin sessions to the top of lists",
    args: { "<session...>": SESSION },
    options: [["--off", "Unpin the sessions"], REMOVE, DRY_RUN],
    groups: ANSWERS,
    help: APPENDS,
  },
  archive: {
    group: "Organize",
    description: "Archive sessions to hide them from lists",
    args: { "<session...>": SESSION },
    options: [["--off", "Unarchive the sessions"], REMOVE, DRY_RUN],
    groups: ANSWERS,
    help: APPENDS,
  },
  tag: {
    group: "Organize",
    description: "Show, add or remove tags of sessions",
    args: {
      "<session>": SESSION,
      "[tag...]": "Tags to add; shows the current ones if omitted. With --add or --remove: further sessions",
    },
    options: [
      [
        "--add <tag>",
        "Add this tag to all these sessions; repeat or use commas for more",
        { repeats: true, conflicts: ["set"] },
      ],
      [
        "--remove [tag]",
        "Remove this tag from all these sessions; repeat or use commas for more",
        { repeats: true, conflicts: ["set"] },
      ],
      ["--set", "Replace all tags with these, or with none"],
      DRY_RUN,
    ],
    groups: ANSWERS,
    help: APPENDS,
  },
  move: {
    group: "Organize",
    aliases: ["mv"],
    description: "Change the working directory of a session",
    args: { "<session>": SESSION, "<cwd>": "New working directory" },
    options: [DRY_RUN],
    groups: ANSWERS,
  },
  fork: {
    group: "Organize",
    description: "Copy a session into a new one",
    args: { "<session>": SESSION },
    options: [
      ["--at <entry>", "Copy only the branch that ends at this entry"],
      ["--cwd <folder>", "Working directory of the copy (default: the same)"],
      ["--name <name>", "Name of the copy (default: the same)"],
      DRY_RUN,
    ],
    groups: ANSWERS,
  },
  delete: {
    group: "Organize",
    aliases: ["rm"],
    description: "Move sessions to the trash",
    args: { "<session...>": SESSION },
    options: [
      ["--permanent", "Delete permanently instead of moving to the trash"],
      ["-y, --yes", "Skip the confirmation"],
      DRY_RUN,
    ],
    groups: ANSWERS,
  },
  prune: {
    group: "Organize",
    description: "Review, compress or trash old sessions",
    args: { "[session...]": `${SESSION}; includes pinned, labeled and tagged ones` },
    options: [
      ["--older-than <age>", "Select sessions without messages since: 180d, 1y, 2026-01-31"],
      ["--larger-than <size>", "Select sessions larger than this: 10MB, 1GB"],
      ["--never-resumed", "Select sessions with one prompt, or with all messages on one day"],
      ["--duplicates", "Select sessions with all their lines in another session"],
      ["--contents", "Show the space used by images and large tool outputs"],
      ["--compress", "Compress the session files", { conflicts: ["trash", "configured"] }],
      ["--trash", "Move the sessions to the trash", { conflicts: ["configured"] }],
      [
        "--configured",
        "Do what the settings prune_compress_after, prune_trash_after and prune_max_size say",
        {
          conflicts: [
            ...["olderThan", "largerThan", "neverResumed", "duplicates", "contents"],
            ...["here", "cwd", "project", "subagents"],
          ],
        },
      ],
      ["-y, --yes", "Skip the confirmation"],
      DRY_RUN,
      NO_PAGER,
    ],
    groups: { "Filters:": [...FOLDER, SUBAGENTS], ...ANSWERS },
    help: `
Without --compress, --trash or --configured, this changes nothing.
A compressed session stays in lists and searches; pidex restore SESSION brings back its file.`,
  },
  trash: {
    group: "Organize",
    description: "List the sessions in the trash",
    options: [NO_PAGER],
    groups: ANSWERS,
  },
  restore: {
    group: "Organize",
    description: "Restore sessions from the trash, or compressed ones",
    args: {
      "[session...]":
        "Id prefix, path, or @last for the most recently deleted; lists those in the trash if omitted",
    },
    options: [DRY_RUN, NO_PAGER],
    groups: ANSWERS,
  },
} as const satisfies Record<string, CommandDefinition>;
