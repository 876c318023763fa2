/** Definitions of `pidex hub`: the server, and requests to a hub that this machine is signed in to. */
import { INDEX, PERIOD } from "./common-options.ts";
import type { CommandDefinition } from "./option-types.ts";

const ROLE_NAMES = ["owner", "member", "figures", "auditor"] as const;
const YES = ["-y, --yes", "Skip the confirmation"] as const;
const JSON_OUTPUT = {
  "Output:": [
    ["--json", "Print one JSON object", { conflicts: ["ndjson"] }],
    ["--ndjson", "Print one JSON object per line"],
  ],
} as const;

const ROLE_HELP = `
Roles:
  owner    manages people and machines; sees the team's projects
  member   sees and pushes to the team's projects
  figures  sees what the team's projects cost, without their content
  auditor  sees the audit log, people and machines
Everyone also has private sessions, which other members and owners cannot read.`;

export const HUB_COMMANDS = {
  hub: {
    group: "Hub",
    description: "Run a hub server for sessions of several machines and people",
    options: [
      ["--database <url>", "PostgreSQL URL (default: $PIDEX_HUB_DATABASE, else an embedded database)"],
      [
        "--data <folder>",
        "Folder of the embedded database (default: in your data folder)",
        { conflicts: ["database"] },
      ],
      ["--host <address>", "Address to listen on (default: 127.0.0.1)"],
      ["--port <n>", "Port to listen on", { max: 65_535, default: 7433 }],
      ["--tls-cert <file>", "Serve HTTPS with this certificate chain (PEM)"],
      ["--tls-key <file>", "Private key of the certificate (PEM)"],
      ["--owner <name>", "Name of the first owner (default: your user name)"],
    ],
  },
  "hub join": {
    description: "Sign this machine in to a hub",
    args: { "<url>": "Address of the hub", "<invitation>": "Invitation from an owner of the hub" },
    options: [["--machine <name>", "Name of this machine on the hub (default: its host name)"]],
  },
  "hub leave": {
    description: "Sign this machine out; its sessions stay on the hub",
  },
  "hub status": {
    description: "Show the hub's address, your name and role, and totals",
    groups: JSON_OUTPUT,
  },
  "hub invite": {
    description: "Invite a new member, or another machine of yours",
    args: { "<name>": "Name of the member" },
    options: [["--role <role>", "Role of a new member (default: member)", { choices: ROLE_NAMES }]],
    groups: JSON_OUTPUT,
    help: ROLE_HELP,
  },
  "hub members": {
    description: "List members and their roles",
    groups: JSON_OUTPUT,
  },
  "hub role": {
    description: "Change the role of a member",
    args: { "<name>": "Name of the member", "<role>": ["New role", ROLE_NAMES] },
    help: ROLE_HELP,
  },
  "hub remove": {
    description: "Remove a member, their machines and private sessions",
    args: { "<name>": "Name of the member" },
    options: [YES],
  },
  "hub machines": {
    description: "List machines and when they last pushed",
    groups: JSON_OUTPUT,
  },
  "hub revoke": {
    description: "Revoke the token of a machine",
    args: { "<machine>": "Name of the machine" },
  },
  "hub forget": {
    description: "Delete sessions from the hub, but not their files",
    args: { "<session...>": "Id, id prefix, or path of a session on the hub" },
    options: [
      YES,
      ["--dry-run", "Print what would be deleted without deleting it"],
      ["--undo", "Let deleted sessions be pushed again", { conflicts: ["dryRun"] }],
    ],
    groups: { "Index:": INDEX, ...JSON_OUTPUT },
    help: `
With --undo, <session...> are ids, id prefixes or paths of sessions on this
machine, or whole ids of others.`,
  },
  "hub retention": {
    description: "Show or set how long the hub keeps sessions",
    args: {
      "[project]": "Project of the team, or mine for your private sessions; lists all if omitted",
      "[days]": "Days without a message, or off",
    },
    options: [YES],
    groups: JSON_OUTPUT,
  },
  "hub audit": {
    description: "Show the audit log, newest first",
    options: [...PERIOD, ["-n, --limit <n>", "Maximum number of rows", { max: 10_000, default: 100 }]],
    groups: JSON_OUTPUT,
  },
} as const satisfies Record<string, CommandDefinition>;
