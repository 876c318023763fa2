import { CommanderError } from "commander";
import { arrangeWords } from "./arrange-words.ts";
import { runCommand } from "./command-modules.ts";
import type { Io } from "./io.ts";
import { buildProgram } from "./program.ts";
import { EXIT } from "./run.ts";

/**
 * Parses a command line with commander, and runs the command.
 *
 * @returns the exit code
 * @throws what the command throws
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let exit: number = EXIT.done;
  const words = arrangeWords(argv);
  const program = buildProgram(
    io,
    async (name, args, flags) => {
      exit = await runCommand(name, io, args, flags);
    },
    words[0],
  );
  try {
    // On a terminal, `main` opens the picker instead.
    await program.parseAsync(words.length > 0 ? words : ["--help"], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usageError;
    throw error;
  }
}
