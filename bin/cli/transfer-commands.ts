/** Definitions of the commands that send sessions to a hub and fetch them. */
import { ANSWERS, INDEX, OUTPUT } from "./common-options.ts";
import type { CommandDefinition } from "./option-types.ts";

export const TRANSFER_COMMANDS = {
  share: {
    group: "Hub",
    description: "Choose which projects are pushed to the hub",
    args: { "[folder]": "Folder of a project; lists the shared folders if omitted" },
    options: [
      ["--team", "Share with your team too, with likely secrets masked"],
      ["--project <name>", "With --team: name of the project (default: the name of the folder)"],
      ["--off", "Stop pushing the sessions of this folder", { conflicts: ["team", "project"] }],
      ["--forget", "With --off: delete its sessions from the hub too"],
      ["-y, --yes", "Allow a folder as broad as / or your home folder"],
    ],
    groups: ANSWERS,
  },
  push: {
    group: "Hub",
    description: "Send new entries of shared projects to the hub",
    options: [
      ["--dry-run", "Print what would be sent and masked without sending it"],
      ["--watch", "Keep pushing as sessions grow", { conflicts: ["dryRun"] }],
    ],
    groups: { "Index:": INDEX, "Output:": OUTPUT },
  },
  pull: {
    group: "Hub",
    description: "Fetch your sessions from your other machines",
    options: [
      ["--dry-run", "Print what would be fetched without fetching it"],
      ["--watch", "Keep fetching what your other machines push", { conflicts: ["dryRun", "map"] }],
      ["--interval <seconds>", "With --watch: poll the hub this often, in seconds", { default: 30 }],
      [
        "--map <folders>",
        "Map a folder of other machines to one on this machine, as FROM=TO; repeat for more",
        { repeats: true },
      ],
    ],
    groups: { "Index:": INDEX, "Output:": OUTPUT },
  },
} as const satisfies Record<string, CommandDefinition>;
