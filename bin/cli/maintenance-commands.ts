import { Option } from "commander";
import type { CommandContext } from "./command-context.ts";
import { parseCount, parseNonEmpty, parseSeconds } from "./option-values.ts";

/** Commands that maintain and check the index, and the secrets scan. */
export function maintenanceCommands({
  command,
  addCommonOptions,
  toAction,
  sessionArgument,
}: CommandContext): Record<string, () => void> {
  return {
    watch() {
      const watch = command("watch", "Keep the index up to date")
        .option("--poll", "Poll for changes, for network drives without change events")
        .addOption(
          new Option("--interval <seconds>", "How often to check all files for changes")
            .argParser(parseSeconds)
            .default(60),
        )
        .option("-q, --quiet", "Print nothing about indexed files");
      addCommonOptions(watch).action(toAction(() => import("./watch.ts")));
    },
    verify() {
      const verify = command("verify", "Compare the index with the session files").option(
        "--repair",
        "Rebuild the index if it differs",
      );
      addCommonOptions(verify, true).action(toAction(() => import("./verify.ts")));
    },
    doctor() {
      addCommonOptions(command("doctor", "Diagnose problems and suggest fixes")).action(
        toAction(() => import("./doctor.ts")),
      );
    },
    rebuild() {
      addCommonOptions(command("rebuild", "Rebuild the index from the session files")).action(
        toAction(() => import("./rebuild.ts")),
      );
    },
    scan() {
      const scan = command("scan", "Find likely secrets in sessions")
        .argument("[session...]", `Only these sessions: ${sessionArgument}`)
        .option("--kind <kind>", "Only secrets of this kind, as named in the output", parseNonEmpty)
        .option("-n, --limit <n>", "Maximum number of findings", parseCount());
      addCommonOptions(scan, true).action(toAction(() => import("./secrets.ts")));
    },
  };
}
