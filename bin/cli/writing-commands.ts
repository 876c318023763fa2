import { type Command, Option } from "commander";
import { given } from "./given.ts";
import type { Making } from "./making.ts";

/** The commands that write session files, or delete them. */
export function writingCommands({ command, everywhere, runs, session }: Making): Record<string, () => void> {
  const writing = (made: Command): Command =>
    everywhere(made.option("--dry-run", "write nothing, but say what would be written, and where"), true);
  return {
    name() {
      const name = command("name", "name a session, or show its name")
        .argument("<session>", session)
        .argument("[name...]", "the name; without one, the present one is shown")
        .option("--clear", "take its name away");
      writing(name).action(runs(() => import("./name.ts")));
    },
    label() {
      const label = command("label", "label an entry of a session, or show its label")
        .argument("<session>", session)
        .argument("<entry>", "the id of an entry: pidex tree shows them")
        .argument("[label...]", "the label; without one, the present one is shown")
        .option("--clear", "take its label away");
      writing(label).action(runs(() => import("./label.ts")));
    },
    pin() {
      const pin = command("pin", "pin sessions: lists have them first")
        .argument("<session...>", session)
        .option("--off", "not any more");
      writing(pin).action(runs(() => import("./pin.ts")));
    },
    archive() {
      const archive = command("archive", "archive sessions: lists leave them out")
        .argument("<session...>", session)
        .option("--off", "not any more");
      writing(archive).action(runs(() => import("./archive.ts")));
    },
    tag() {
      const tag = command("tag", "give a session tags, or show them")
        .argument("<session>", session)
        .argument("[tag...]", "tags to add; without any, the present ones are shown")
        .option("--remove", "take these tags away instead")
        .addOption(new Option("--set", "these tags and no others; without any, none").conflicts("remove"));
      writing(tag).action(runs(() => import("./tag.ts")));
    },
    move() {
      const move = command("move", "give a session another folder, for a project that was renamed")
        .argument("<session>", session)
        .argument("<cwd>", "the project's new folder");
      writing(move).action(runs(() => import("./move.ts")));
    },
    fork() {
      const fork = command("fork", "begin a new session with the entries of another")
        .argument("<session>", session)
        .option("--at <entry>", "only the branch that ends at this entry", given)
        .option("--cwd <folder>", "for this folder (default: the session's own)", given);
      writing(fork).action(runs(() => import("./fork.ts")));
    },
    delete() {
      const remove = command("delete", "move sessions to the trash")
        .argument("<session...>", session)
        .option("--permanent", "delete them for good instead")
        .option("-y, --yes", "without being asked");
      writing(remove).action(runs(() => import("./delete.ts")));
    },
    restore() {
      const restore = command("restore", "restore deleted sessions from the trash, or list them").argument(
        "[deleted...]",
        "the start of an id, a path, or @last for the last deleted; without one, all are listed",
      );
      writing(restore).action(runs(() => import("./restore.ts")));
    },
  };
}
