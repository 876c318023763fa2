import type { CommandName, Flags } from "./commands.ts";
import type { Io } from "./io.ts";

/** Runs a command. @returns the exit code, or nothing if it is 0 */
type Module<Options> = { run(io: Io, args: string[], flags: Options): Promise<number> | Promise<void> };

const MODULES: { [Name in CommandName]: () => Promise<Module<Flags<Name>>> } = {
  index: () => import("./index-command.ts"),
  pick: () => import("./pick.ts"),
  demo: () => import("./demo.ts"),
  serve: () => import("./serve.ts"),
  mcp: () => import("./mcp.ts"),
  list: () => import("./list.ts"),
  search: () => import("./search.ts"),
  files: () => import("./files.ts"),
  blame: () => import("./blame.ts"),
  commit: () => import("./commit.ts"),
  show: () => import("./show.ts"),
  handoff: () => import("./handoff.ts"),
  export: () => import("./export.ts"),
  tree: () => import("./tree.ts"),
  labels: () => import("./labels.ts"),
  tags: () => import("./tags.ts"),
  stats: () => import("./stats.ts"),
  insights: () => import("./insights.ts"),
  usage: () => import("./usage.ts"),
  spend: () => import("./spend.ts"),
  budget: () => import("./budget-command.ts"),
  status: () => import("./status.ts"),
  prices: () => import("./prices.ts"),
  sql: () => import("./sql.ts"),
  resume: () => import("./resume.ts"),
  name: async () => ({ run: (await import("./metadata-commands.ts")).name }),
  label: async () => ({ run: (await import("./metadata-commands.ts")).label }),
  pin: async () => ({ run: (await import("./metadata-commands.ts")).pin }),
  archive: async () => ({ run: (await import("./metadata-commands.ts")).archive }),
  tag: async () => ({ run: (await import("./metadata-commands.ts")).tag }),
  move: () => import("./move.ts"),
  fork: () => import("./fork.ts"),
  delete: () => import("./delete.ts"),
  prune: () => import("./prune.ts"),
  trash: () => import("./trash.ts"),
  restore: () => import("./restore.ts"),
  hub: () => import("./hub-server.ts"),
  "hub join": async () => ({ run: (await import("./hub-sign-in.ts")).join }),
  "hub leave": async () => ({ run: (await import("./hub-sign-in.ts")).leave }),
  "hub status": async () => ({ run: (await import("./hub-sign-in.ts")).status }),
  "hub invite": async () => ({ run: (await import("./hub-people.ts")).invite }),
  "hub members": async () => ({ run: (await import("./hub-people.ts")).members }),
  "hub role": async () => ({ run: (await import("./hub-people.ts")).role }),
  "hub remove": async () => ({ run: (await import("./hub-people.ts")).remove }),
  "hub machines": async () => ({ run: (await import("./hub-people.ts")).machines }),
  "hub revoke": async () => ({ run: (await import("./hub-people.ts")).revoke }),
  "hub forget": async () => ({ run: (await import("./hub-sessions.ts")).forget }),
  "hub retention": async () => ({ run: (await import("./hub-sessions.ts")).retention }),
  "hub audit": async () => ({ run: (await import("./hub-sessions.ts")).audit }),
  watch: () => import("./watch.ts"),
  share: () => import("./share.ts"),
  push: () => import("./push.ts"),
  pull: () => import("./pull.ts"),
  verify: () => import("./verify.ts"),
  doctor: () => import("./doctor.ts"),
  rebuild: () => import("./rebuild.ts"),
  secrets: () => import("./secrets.ts"),
  config: () => import("./config.ts"),
  completions: () => import("./completions.ts"),
};

/** Loads and runs a command. @returns the exit code @throws what the command throws */
export async function runCommand(name: CommandName, io: Io, args: string[], flags: object): Promise<number> {
  const { run }: Module<never> = await MODULES[name]();
  return (await run(io, args, flags as never)) ?? 0;
}
