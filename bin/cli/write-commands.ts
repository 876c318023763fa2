import { type Command, Option } from "commander";
import type { CommandContext } from "./command-context.ts";
import { parseNonEmpty } from "./option-values.ts";

/** Commands that write or delete session files. */
export function writeCommands({
  command,
  addCommonOptions: everywhere,
  toAction: runs,
  sessionArgument: session,
}: CommandContext): Record<string, () => void> {
  const writing = (made: Command): Command =>
    everywhere(made.option("--dry-run", "Print what would be written without writing it"), true);
  return {
    name() {
      const name = command("name", "Show or set the name of a session")
        .argument("<session>", session)
        .argument("[name...]", "New name; shows the current one if omitted")
        .option("--clear", "Remove the name");
      writing(name).action(runs(() => import("./name.ts")));
    },
    label() {
      const label = command("label", "Show or set the label of an entry")
        .argument("<session>", session)
        .argument("<entry>", "Entry id, as shown by pidex tree")
        .argument("[label...]", "New label; shows the current one if omitted")
        .option("--clear", "Remove the label");
      writing(label).action(runs(() => import("./label.ts")));
    },
    pin() {
      const pin = command("pin", "Pin sessions to the top of lists")
        .argument("<session...>", session)
        .option("--off", "Unpin the sessions");
      writing(pin).action(runs(() => import("./pin.ts")));
    },
    archive() {
      const archive = command("archive", "Archive sessions to hide them from lists")
        .argument("<session...>", session)
        .option("--off", "Unarchive the sessions");
      writing(archive).action(runs(() => import("./archive.ts")));
    },
    tag() {
      const tag = command("tag", "Show, add or remove tags of a session")
        .argument("<session>", session)
        .argument("[tag...]", "Tags to add; shows the current ones if omitted")
        .option("--remove", "Remove these tags instead")
        .addOption(new Option("--set", "Replace all tags with these, or with none").conflicts("remove"));
      writing(tag).action(runs(() => import("./tag.ts")));
    },
    move() {
      const move = command("move", "Change the project folder of a session")
        .argument("<session>", session)
        .argument("<cwd>", "New project folder");
      writing(move).action(runs(() => import("./move.ts")));
    },
    fork() {
      const fork = command("fork", "Copy a session into a new one")
        .argument("<session>", session)
        .option("--at <entry>", "Only the branch that ends at this entry", parseNonEmpty)
        .option("--cwd <folder>", "Project folder of the copy (default: the same)", parseNonEmpty);
      writing(fork).action(runs(() => import("./fork.ts")));
    },
    delete() {
      const remove = command("delete", "Move sessions to the trash")
        .argument("<session...>", session)
        .option("--permanent", "Delete permanently instead")
        .option("-y, --yes", "Skip the confirmation");
      writing(remove).action(runs(() => import("./delete.ts")));
    },
    restore() {
      const restore = command("restore", "Restore sessions from the trash").argument(
        "[deleted...]",
        "Id prefix, path, or @last for the most recently deleted; lists all if omitted",
      );
      writing(restore).action(runs(() => import("./restore.ts")));
    },
  };
}
