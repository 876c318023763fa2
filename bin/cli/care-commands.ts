import { Option } from "commander";
import { count, given, seconds } from "./given.ts";
import type { Making } from "./making.ts";

/** The commands that look after the index, and after what stands in the sessions. */
export function careCommands({ command, everywhere, runs, session }: Making): Record<string, () => void> {
  return {
    watch() {
      const watch = command("watch", "keep the index up to date until it is stopped")
        .option("--poll", "look at the folders again and again, where changes are not told (network drives)")
        .addOption(
          new Option("--interval <seconds>", "how often to look at all files, whatever was told")
            .argParser(seconds)
            .default(60),
        )
        .option("-q, --quiet", "say nothing of what was indexed");
      everywhere(watch).action(runs(() => import("./watch.ts")));
    },
    service() {
      const service = command("service", "keep pidex watch running, from login on")
        .argument("<action>", "install, status or remove")
        .option("--dry-run", "write nothing and run nothing, but say what would be");
      everywhere(service).action(runs(() => import("./service.ts")));
    },
    verify() {
      const verify = command("verify", "compare the index with the session files").option(
        "--repair",
        "rebuild the index if it differs",
      );
      everywhere(verify, true).action(runs(() => import("./verify.ts")));
    },
    doctor() {
      everywhere(command("doctor", "look at everything, and say what is wrong and what to do")).action(
        runs(() => import("./doctor.ts")),
      );
    },
    rebuild() {
      everywhere(command("rebuild", "build the index anew, while others go on reading the old one")).action(
        runs(() => import("./rebuild.ts")),
      );
    },
    scan() {
      const scan = command("scan", "find likely keys and tokens in sessions, masked")
        .argument("[session...]", `only these sessions: ${session}`)
        .option("--kind <kind>", "only keys of this kind, as a scan names it", given)
        .option("-n, --limit <n>", "findings to show", count());
      everywhere(scan, true).action(runs(() => import("./secrets.ts")));
    },
  };
}
