import { applyConfig } from "../config/apply-config.ts";
import { createProcessIo, type Io } from "./io.ts";
import { parseSimpleCommandLine } from "./simple-command-line.ts";

/** A command. Its flags have the shape that `commands.ts` defines; a test compares `parseSimpleCommandLine` with it. */
type Run = (io: Io, args: string[], flags: never) => Promise<number> | Promise<void>;

/**
 * Runs a command line. Only the code of the called command is loaded, and commander only if `parseSimpleCommandLine` can't parse the
 * line, so that `pidex list` starts fast.
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
    const plain = parseSimpleCommandLine(argv);
    if (!plain) {
      const { runProgram } = await import("./run-program.ts");
      return await runProgram(argv, io);
    }
    const { args, flags } = plain;
    const { run }: { run: Run } =
      plain.command === "list" ? await import("./list.ts") : await import("./search.ts");
    return (await run(io, args, flags as never)) ?? 0;
  } catch (error) {
    const { reportError } = await import("./run.ts");
    return reportError(io, error, argv);
  }
}
