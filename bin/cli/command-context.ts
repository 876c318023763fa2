import type { Command } from "commander";

/** Helpers of `program.ts` for modules that define commands. */
export interface CommandContext {
  command: (name: string, description: string) => Command;
  /** Adds the options common to all commands; `answers` adds `--no-sync`. */
  addCommonOptions: (command: Command, answers?: boolean) => Command;
  /** Returns a commander action that runs the command's module. */
  // biome-ignore lint/suspicious/noExplicitAny: each module has its own options
  toAction: (load: () => Promise<{ run: any }>) => (...args: unknown[]) => Promise<void>;
  /** The help text of session arguments. */
  sessionArgument: string;
}
