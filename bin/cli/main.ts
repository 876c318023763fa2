import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { type Io, processIo } from "./io.ts";

/** A command: its arguments and options have the shape that `buildProgram` gave them. */
type Run<O> = (io: Io, args: string[], options: O) => Promise<number>;

/**
 * The command line. Each command's code is imported when it is called: `pidex list` does not pay for `search`.
 *
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  let exit = 0;
  const program = buildProgram(io, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { fail } = await import("./run.ts");
    return fail(io, error);
  }
}

/** All commands with their options; `completions` reads them too. */
export function buildProgram(io: Io, done: (exit: number) => void): Command {
  const program = new Command("pidex")
    .description("The index of your pi sessions: list, search, tree and more, over thousands of session files at once.")
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
      outputError: (text, write) => write(text.replace(/^error: /, "pidex: ")),
    })
    .showHelpAfterError("  pidex --help shows what there is.")
    .option("-V, --version", "print the version")
    .action(async ({ version }: { version?: boolean }) => {
      if (version) io.out(`${(await import("./version.ts")).version()}\n`);
      else program.outputHelp();
    });

  /** Wires a command to the module that runs it. */
  const runs =
    <O>(load: () => Promise<{ run: Run<O> }>) =>
    async (...args: unknown[]) => {
      const command = args.at(-1) as Command;
      const { run } = await load();
      done(await run(io, command.args, command.opts() as O));
    };
  const command = (name: string, description: string) => common(program.command(name).description(description));

  command("index", "bring the index up to date, and say what was new").action(runs(() => import("./index-command.ts")));

  filtered(command("list", "list sessions, newest first"))
    .option("--here", "only sessions of this folder")
    .addOption(
      new Option("--sort <key>", "sort by this").choices(["modified", "created", "messages", "size"]),
    )
    .option("--oldest", "least first")
    .option("-n, --limit <n>", "sessions to show", count, 50)
    .option("--all", "show all")
    .option("--cursor <cursor>", "go on where the page before ended: its `next`")
    .option("--text", "with --json: allMessagesText too")
    .action(runs(() => import("./list.ts")));

  filtered(command("search <words...>", "find sessions by what was said, called and answered in them"))
    .option("--here", "only sessions of this folder")
    .option("--role <role>", "only entries of this role: user, assistant, toolResult, bashExecution, …")
    .option("-n, --limit <n>", "sessions to show", count, 10)
    .option("--hits <n>", "hits to show of each session", count, 3)
    .action(runs(() => import("./search.ts")));

  command("show <session> [entry]", "print a session, or one entry of it")
    .option("--all", "all entries in file order, not only the current branch")
    .option("--leaf <entry>", "the branch that ends at this entry")
    .option("--full", "nothing folded: thinking, whole tool output")
    .option("--context", "what the model sees: its messages")
    .action(runs(() => import("./show.ts")));

  command("tree <session>", "show the tree of a session: branches, labels, where it stands")
    .option("--all", "every entry, not only those a person would look for")
    .action(runs(() => import("./tree.ts")));

  command("labels [session]", "list labels: of one session, or of all").action(runs(() => import("./labels.ts")));

  command("stats", "count what there is")
    .option("--problems", "list what is wrong in session files, instead")
    .action(runs(() => import("./stats.ts")));

  command("resume <session>", "print the command that resumes a session")
    .option("--run", "run it")
    .option("--agent <command>", "the agent to run: pi, atomic, … (default: the one the session lies with)")
    .action(runs(() => import("./resume.ts")));

  program
    .command("completions <shell>")
    .description("print completions for bash, zsh or fish")
    .action(runs(() => import("./completions.ts")));

  return program;
}

function common(command: Command): Command {
  return command
    .option("--root <folder>", "look for sessions here instead; may be given again", collect)
    .option("--db <file>", "the index itself (default: $PIDEX_DB, else in your cache folder)")
    .option("--no-sync", "answer from the index as it is")
    .option("--json", "one JSON object")
    .option("--ndjson", "one JSON object a line");
}

function filtered(command: Command): Command {
  return command
    .option("--cwd <folder>", "only sessions of this folder")
    .option("--project <name>", "only sessions whose folder ends in this: shop, ada/shop")
    .option("--model <name>", "only sessions that used a model with this in its name")
    .option("--since <time>", "not older than this: 7d, 12h, 2026-01-31")
    .option("--until <time>", "older than this")
    .option("--named", "only sessions with a name")
    .option("--no-named", "only sessions without a name")
    .option("--labelled", "only sessions with labels")
    .option("--no-labelled", "only sessions without labels")
    .option("--internal", "only sessions an agent kept for itself")
    .option("--no-internal", "none of those")
    .option("--problems", "only sessions with problems in their files")
    .option("--no-problems", "only sessions without")
    .addOption(new Option("--subagents <which>", "sessions of subagents").choices(["no", "yes", "only"]));
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function count(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
