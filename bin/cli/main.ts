import { applyConfig } from "../config/apply-config.ts";
import { runCommand } from "./command-modules.ts";
import { createProcessIo, type Io } from "./io.ts";
import { parseCommandLine } from "./parse-command-line.ts";

/**
 * Runs a command line. Only the code of the called command is loaded, and commander only if `parseCommandLine` can't parse the line,
 * so that commands start fast.
 *
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io = createProcessIo()): Promise<number> {
  try {
    const problems = await applyConfig(process.env);
    if (problems.length > 0) (await import("./assert-valid-config.ts")).assertValidConfig(problems, argv);
    const isInteractive = io.isTerminal && io.ask !== undefined && process.env.TERM !== "dumb";
    if (argv.length === 0 && isInteractive) {
      const { run } = await import("./pick.ts");
      return await run(io, [], {});
    }
    const parsed = parseCommandLine(argv);
    if (parsed) return await runCommand(parsed.command, io, parsed.args, parsed.flags);
    const { runProgram } = await import("./run-program.ts");
    return await runProgram(argv, io);
  } catch (error) {
    const { reportError } = await import("./run.ts");
    return reportError(io, error, argv);
  }
}
