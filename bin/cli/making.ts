import type { Command } from "commander";

/** What `program.ts` makes commands with, for the modules that define some of them. */
export interface Making {
  command: (name: string, description: string) => Command;
  /** Gives a command the options that all have; `answers` are those that need no sync and can be JSON. */
  everywhere: (command: Command, answers?: boolean) => Command;
  /** Wires a command to its module. */
  // biome-ignore lint/suspicious/noExplicitAny: each module has options of its own
  runs: (load: () => Promise<{ run: any }>) => (...args: unknown[]) => Promise<void>;
  /** How a session can be named. */
  session: string;
}
