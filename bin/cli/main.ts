import { type Io, processIo } from "./io.ts";
import { plainLine } from "./plain-line.ts";

/** A command: the flags have the shape that `program.ts` gives them, as a test of `plainLine` tells. */
type Run = (io: Io, args: string[], flags: never) => Promise<number>;

/**
 * The command line. Each command's code is imported when it is called, and what reads command lines when one is not plain:
 * `pidex list` does not pay for `search`, nor for the options of all others.
 *
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  try {
    const isAtScreen = io.isTerminal && io.ask !== undefined && process.env.TERM !== "dumb";
    if (argv.length === 0 && isAtScreen) {
      const { run } = await import("./pick.ts");
      return await run(io, [], {});
    }
    const plain = plainLine(argv);
    if (!plain) {
      const { runProgram } = await import("./program.ts");
      return await runProgram(argv, io);
    }
    const { args, flags } = plain;
    const { run }: { run: Run } =
      plain.command === "list" ? await import("./list.ts") : await import("./search.ts");
    return await run(io, args, flags as never);
  } catch (error) {
    const { fail } = await import("./run.ts");
    return fail(io, error);
  }
}
