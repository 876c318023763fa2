import { type Command, Option } from "commander";
import type { CommandContext } from "./command-context.ts";
import { parseNonEmpty } from "./option-values.ts";

/** Commands that write or delete session files. */
export function writeCommands({
  command,
  addCommonOptions,
  toAction,
  sessionArgument,
}: CommandContext): Record<string, () => void> {
  const writing = (made: Command): Command =>
    addCommonOptions(made.option("--dry-run", "Print what would be written without writing it"), true);
  return {
    name() {
      const name = command("name", "Show or set the name of a session")
        .argument("<session>", sessionArgument)
        .argument("[name...]", "New name; shows the current one if omitted")
        .option("--clear", "Remove the name");
      writing(name).action(toAction(() => import("./name.ts")));
    },
    label() {
      const label = command("label", "Show or set the label of an entry")
        .argument("<session>", sessionArgument)
        .argument("<entry>", "Entry id, as shown by pidex tree")
        .argument("[label...]", "New label; shows the current one if omitted")
        .option("--clear", "Remove the label");
      writing(label).action(toAction(() => import("./label.ts")));
    },
    pin() {
      const pin = command("pin", "Pin sessions to the top of lists")
        .argument("<session...>", sessionArgument)
        .option("--off", "Unpin the sessions");
      writing(pin).action(toAction(() => import("./pin.ts")));
    },
    archive() {
      const archive = command("archive", "Archive sessions to hide them from lists")
        .argument("<session...>", sessionArgument)
        .option("--off", "Unarchive the sessions");
      writing(archive).action(toAction(() => import("./archive.ts")));
    },
    tag() {
      const tag = command("tag", "Show, add or remove tags of a session")
        .argument("<session>", sessionArgument)
        .argument("[tag...]", "Tags to add; shows the current ones if omitted")
        .option("--remove", "Remove these tags instead")
        .addOption(new Option("--set", "Replace all tags with these, or with none").conflicts("remove"));
      writing(tag).action(toAction(() => import("./tag.ts")));
    },
    move() {
      const move = command("move", "Change the project folder of a session")
        .argument("<session>", sessionArgument)
        .argument("<cwd>", "New project folder");
      writing(move).action(toAction(() => import("./move.ts")));
    },
    fork() {
      const fork = command("fork", "Copy a session into a new one")
        .argument("<session>", sessionArgument)
        .option("--at <entry>", "Only the branch that ends at this entry", parseNonEmpty)
        .option("--cwd <folder>", "Project folder of the copy (default: the same)", parseNonEmpty);
      writing(fork).action(toAction(() => import("./fork.ts")));
    },
    delete() {
      const remove = command("delete", "Move sessions to the trash")
        .argument("<session...>", sessionArgument)
        .option("--permanent", "Delete permanently instead")
        .option("-y, --yes", "Skip the confirmation");
      writing(remove).action(toAction(() => import("./delete.ts")));
    },
    restore() {
      const restore = command("restore", "Restore sessions from the trash").argument(
        "[deleted...]",
        "Id prefix, path, or @last for the most recently deleted; lists all if omitted",
      );
      writing(restore).action(toAction(() => import("./restore.ts")));
    },
  };
}
