import { Argument, Command, CommanderError, Help, Option } from "commander";
import { oneLine } from "../format/safe.ts";
import { careCommands } from "./care-commands.ts";
import { collect, count, given, seconds } from "./given.ts";
import type { Io } from "./io.ts";
import { PRINTED } from "./printed.ts";
import { csvFlag, usageFlags, usageOutput } from "./usage-flags.ts";
import { version } from "./version.ts";
import { writingCommands } from "./writing-commands.ts";

/** A command: its arguments and options have the shape that `buildProgram` gave them. */
type Run<O> = (io: Io, args: string[], options: O) => Promise<number>;

/**
 * Reads a command line by commander, and runs the command that it calls.
 *
 * @returns the exit code
 * @throws what the command throws
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let exit = 0;
  const done = (code: number) => {
    exit = code;
  };
  try {
    const program = buildProgram(io, done, argv[0]);
    // Where somebody sits, `main` has opened the picker.
    await program.parseAsync(argv.length > 0 ? [...argv] : ["--help"], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/**
 * All commands with their options; the one that is called alone, where that is known: nobody waits for the others to be
 * described. Completions are of all.
 */
export function buildProgram(io: Io, done: (exit: number) => void, called?: string): Command {
  const program = new Command("pidex")
    .description(
      "The index of your pi sessions: list, search, tree and more, over thousands of session files at once.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
      outputError: (text, write) => write(`${io.style("red", "pidex:")} ${whatWasWrong(text)}\n`),
    })
    // All have options; saying so leaves too little room for what they do.
    .configureHelp({ subcommandTerm: (each) => new Help().subcommandTerm(each).replace(" [options]", "") })
    .showHelpAfterError("  pidex --help shows what there is.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this")
    .helpCommand("help [command]", "print what a command takes")
    .addHelpText("after", MORE_HELP);

  /** Wires a command to the module that runs it. */
  const runs =
    <O>(load: () => Promise<{ run: Run<O> }>) =>
    async (...args: unknown[]) => {
      const command = args.at(-1) as Command;
      const { run } = await load();
      done(await run(io, command.args, command.opts() as O));
    };
  const command = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .showHelpAfterError(`  pidex ${name} --help shows what it takes.`);

  const making = { command, everywhere, runs, session: SESSION };
  const definitions: Record<string, () => void> = {
    index() {
      everywhere(command("index", "bring the index up to date, and say what was new")).action(
        runs(() => import("./index-command.ts")),
      );
    },
    pick() {
      const pick = command("pick", "find a session by looking, and resume it: pidex alone does so, too")
        .argument("[query...]", "what is looked for at the beginning")
        .option("--query <text>", "the same, as it is typed so far", (text: string) => text)
        .addOption(new Option("--print <what>", "print what was chosen, and resume nothing").choices(PRINTED))
        .option("--all", "begin with the sessions of all folders")
        .addOption(new Option("--here", "begin with those of this folder").conflicts("all"));
      everywhere(pick, false, false).action(runs(() => import("./pick.ts")));
    },
    demo() {
      command("demo", "the picker on sessions that never happened, to try it")
        .option("--sessions <n>", "how many there are", count(20_000), 300)
        .option("--keep", "leave their folder there, and say where it is")
        .option("--serve", "the page instead, in the browser")
        .option("--no-open", "with --serve: print the link, and open no browser")
        .action(runs(() => import("./demo.ts")));
    },
    serve() {
      const serve = command("serve", "look at sessions, trees and spending in the browser")
        .argument("[query]", "what is looked for at the beginning")
        .option(
          "--port <n>",
          "the port of this machine to listen on (default: any that is free)",
          count(65_535),
        )
        .option("--no-open", "print the link, and open no browser");
      everywhere(serve, false, false).action(runs(() => import("./serve.ts")));
    },
    mcp() {
      const mcp = command("mcp", "answer agents by the Model Context Protocol, over stdin and stdout")
        .option(
          "--http",
          "over HTTP on this machine instead, for any number of them; prints the address and the key",
        )
        .option(
          "--port <n>",
          "with --http: the port to listen on (default: any that is free)",
          count(65_535),
        );
      everywhere(mcp, false, false).action(runs(() => import("./mcp.ts")));
    },
    list() {
      const list = command("list", "list sessions, pinned ones first, then the newest")
        .addOption(
          new Option("--sort <key>", "sort by this").choices(["modified", "created", "messages", "size"]),
        )
        .option("--oldest", "oldest, or least, first")
        .option("-n, --limit <n>", "sessions to show", count(), 50)
        .addOption(new Option("--all", "show all").conflicts("cursor"))
        .option("--cursor <cursor>", "go on where the page before ended: the `next` of its JSON")
        .option("--text", "with --json or --ndjson: allMessagesText too");
      everywhere(filtered(list, { archived: "no" }), true).action(runs(() => import("./list.ts")));
    },
    search() {
      const search = command("search", "find sessions by what was said, called and answered in them")
        .argument("[query...]", 'words, "a phrase", begin*, a OR b, role:user, …: see pidex search --help')
        .option("--role <role>", "only entries of this role: user, assistant, toolResult, bashExecution, …")
        .addOption(
          new Option("--sort <order>", "best first (default), or by time").choices([
            "relevance",
            "newest",
            "oldest",
          ]),
        )
        .option("--flat", "hits one by one, not by session")
        .option("--exact", "rank all hits of a common word, not the newest first")
        .option("--strict", "only sessions that match in full: no closest matches")
        .option("--facets", "count hits by project, model, role, tool and month")
        .option("-n, --limit <n>", "sessions, or hits, to show; at most 1000 (default: 10)", count(1000))
        .option("--hits <n>", "hits to show of each session, at most 1000 (default: 3)", count(1000))
        .option("--cursor <cursor>", "go on where the page before ended: the `next` of its JSON")
        .addOption(
          new Option(
            "--substring <text>",
            "look for this very text in the files themselves, signs and all",
          ).conflicts(SCANNED),
        )
        .addOption(
          new Option("--regex <re2>", "look for a regular expression in the files themselves").conflicts([
            ...SCANNED,
            "substring",
          ]),
        )
        .option(
          "--case-sensitive",
          "with --substring or --regex: case counts (default: if there is a capital)",
        )
        .option("--no-case-sensitive", "with --substring or --regex: case never counts")
        .addHelpText("after", SEARCH_HELP)
        .showHelpAfterError(
          "  pidex search --help shows what it takes. Put -- before a query with a dash: pidex search -- tax -blog",
        );
      everywhere(filtered(search), true).action(runs(() => import("./search.ts")));
    },
    files() {
      const files = command("files", "find sessions by the files they read, wrote or edited")
        .argument("<pattern>", "a path, the end of one (tax.ts), a folder (src/), or a glob ('*.py')")
        .option(
          "--action <list>",
          "only what was done so: read, write, edit, delete, search, use, with commas between",
          (list: string) => given(list).split(","),
        )
        .option("-n, --limit <n>", "sessions to show, at most 1000", count(1000), 10)
        .option("--touches <n>", "touches to show of each session", count(), 5)
        .option("--cursor <cursor>", "go on where the page before ended: the `next` of its JSON");
      everywhere(filtered(files, { subagents: "yes" }), true).action(runs(() => import("./files.ts")));
    },
    show() {
      const show = command("show", "print a session, or one entry of it")
        .argument("<session>", SESSION)
        .argument("[entry]", "the id of an entry")
        .option("--all", "all entries in file order, not only the current branch")
        .option("--leaf <entry>", "the branch that ends at this entry")
        .option("--full", "nothing folded: thinking, whole tool output, what extensions keep")
        .option("--context", "what the model sees: its messages")
        .option("--redact", "mask likely keys, tokens and passwords")
        .option("--no-redact", "with --export: leave them in")
        .option("--export <file>", "write to a new file that only you can read, masked", given)
        .option("--force", "with --export: replace the file that is there");
      everywhere(show, true).action(runs(() => import("./show.ts")));
    },
    export() {
      const exported = command(
        "export",
        "write a session, or what a search finds, as a page, Markdown or JSONL",
      )
        .argument("[session]", SESSION)
        .addOption(new Option("--all", "all entries in file order").conflicts(["leaf", "search"]))
        .addOption(new Option("--leaf <entry>", "the branch that ends at this entry").conflicts("search"))
        .option(
          "--search <query>",
          "the sessions that are found, with their hits and what stands around them",
          given,
        )
        .addOption(
          new Option("--format <format>", "default: by the ending of the file, else html").choices([
            "html",
            "md",
            "jsonl",
          ]),
        )
        .option("-o, --output <file>", "write to a new file that only you can read; - is stdout", given)
        .addOption(
          new Option("--images <whether>", "take pictures along (default: yes; in Markdown no)").choices([
            "yes",
            "no",
          ]),
        )
        .option("--no-redact", "leave likely keys, tokens and passwords in")
        .option("--force", "replace the file that is there")
        .option("--role <role>", "with --search: only entries of this role", given)
        .addOption(
          new Option("--sort <key>", "with --search: best first, or by time of the hit").choices([
            "relevance",
            "newest",
            "oldest",
          ]),
        )
        .option("--strict", "with --search: only sessions that match in full")
        .option("-n, --limit <n>", "with --search: sessions to write (default: all)", count());
      everywhere(filtered(exported, { archived: "yes" })).action(runs(() => import("./export.ts")));
    },
    tree() {
      const tree = command("tree", "show the tree of a session: branches, labels, where it stands")
        .argument("<session>", SESSION)
        .option("--all", "every entry, not only those a person would look for");
      everywhere(tree, true).action(runs(() => import("./tree.ts")));
    },
    labels() {
      const labels = command("labels", "list labels: of one session, or of all").argument(
        "[session]",
        SESSION,
      );
      everywhere(labels, true).action(runs(() => import("./labels.ts")));
    },
    stats() {
      const stats = command("stats", "count what there is").option(
        "--problems",
        "list what is wrong in session files, instead",
      );
      everywhere(stats, true).action(runs(() => import("./stats.ts")));
    },
    usage() {
      const usage = usageFlags(command("usage", "what was used and what it cost, broken down"));
      usageOutput(everywhere(usage, true)).action(runs(() => import("./usage.ts")));
    },
    spend() {
      const spend = command("spend", "what one session cost, with its subagents and forks")
        .argument("<session>", SESSION)
        .option("--explain", "list the events behind the numbers, one by one")
        .option("--timezone <zone>", "with --explain: where times are told (default: where you are)", given);
      csvFlag(everywhere(spend, true)).action(runs(() => import("./spend.ts")));
    },
    sql() {
      const sql = command("sql", "ask what nobody thought of: one SELECT over documented views")
        .argument("[sql]", "the SQL; - or nothing: from stdin")
        .option("--schema", "show the views and their columns, instead")
        .option("--timeout <seconds>", "how long it may work", seconds, 10)
        .option("-n, --limit <n>", "rows at most (default: 1000 on a terminal, else all)", count());
      csvFlag(everywhere(sql, true)).action(runs(() => import("./sql.ts")));
    },
    resume() {
      const resume = command("resume", "print the command that resumes a session")
        .argument("<session>", SESSION)
        .option("--run", "run it")
        .option(
          "--agent <command>",
          "the agent to run: pi, atomic, … (default: the one the session lies with)",
          given,
        );
      everywhere(resume, true).action(runs(() => import("./resume.ts")));
    },
    ...writingCommands(making),
    ...careCommands(making),
    completions() {
      command("completions", "print completions for a shell")
        .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
        .option("--widget", "what puts the picker on Ctrl+X S, instead")
        .action(async (shell: string, { widget }: { widget?: boolean }) => {
          if (widget) return done(await (await import("./widgets.ts")).run(io, shell));
          const { run } = await import("./completions.ts");
          done(await run(io, shell, program.commands));
        });
    },
  };
  const isAlone = called !== undefined && Object.hasOwn(definitions, called) && called !== "completions";
  for (const define of isAlone ? [definitions[called]] : Object.values(definitions)) define?.();
  return program;
}

const SESSION = "its path, its id, the start of its id, or @last";

/** What ranks or groups hits is of no use to a scan, which tells them as it finds them. */
const SCANNED = ["sort", "flat", "exact", "facets", "hits", "cursor"];

const SEARCH_HELP = `
The query:
  checkout tax     both words, in one entry or else in one session
  "double tax"     the words in a row
  round*           words that begin so
  tax OR vat       either; (a OR b) c groups
  tax -blog        without, after a --: pidex search -- tax -blog
  a.b() C++        signs may stand in words
Fields, with a - in front for what is not so:
  role:user,assistant  type:compaction  tool:bash  is:error  is:current
  since:7d  until:2026-01-31  file:src/tax.ts  label:done  name:till
  project:shop  cwd:.  model:opus  provider:openai  session:019c4bef
  tag:till  is:named  is:forked  is:pinned  is:archived`;

const MORE_HELP = `
Alone on a terminal, pidex opens the picker: sessions by looking, as you type.

Examples:
  pidex demo
  pidex search failing test --since 7d
  pidex list --here --json
  pidex show @last
  pidex usage monthly --by model
  cd somewhere && eval "$(pidex resume 019c4bef)"

Environment:
  PIDEX_ROOTS    folders to look for sessions in, instead of those of the agents
  PIDEX_EXCLUDE  folders of agents to leave out
  PIDEX_DB       the index itself
  NO_COLOR       no colours

Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found.`;

/** Commander's sentence on one line: what to do stands on the next. */
function whatWasWrong(text: string): string {
  return oneLine(text.replace(/^error: /, "")).replace("(Did you mean", "(did you mean");
}

/** The options that every command has; `answers` are those that need no sync, `json` those that can be JSON. */
function everywhere(command: Command, answers = false, json = true): Command {
  command
    .optionsGroup("Index:")
    .option("--root <folder>", "look for sessions here instead; may be given again", collect)
    .option("--db <file>", "the index itself (default: $PIDEX_DB, else in your cache folder)", given);
  if (answers) command.option("--no-sync", "answer from the index as it is");
  if (!json) return command.helpOption("-h, --help", "print this");
  return command
    .optionsGroup("Output:")
    .addOption(new Option("--json", "one JSON object").conflicts("ndjson"))
    .option("--ndjson", "one JSON object a line")
    .helpOption("-h, --help", "print this");
}

function filtered(command: Command, { subagents = "no", archived = "yes" } = {}): Command {
  return command
    .optionsGroup("Filters:")
    .addOption(new Option("--here", "only sessions of this folder").conflicts("cwd"))
    .option("--cwd <folder>", "only sessions of that folder", given)
    .option("--project <name>", "only sessions whose folder ends in this: shop, ada/shop")
    .option("--model <name>", "only sessions that used a model with this in its name")
    .option("--since <time>", "not older than this: 7d, 12h, 2026-01-31")
    .option("--until <time>", "older than this")
    .option("--named", "only sessions with a name")
    .option("--no-named", "only sessions without a name")
    .option("--labelled", "only sessions with labels")
    .option("--no-labelled", "only sessions without labels")
    .option("--pinned", "only pinned sessions")
    .option("--no-pinned", "only sessions that are not pinned")
    .option(
      "--tag <tag>",
      "only sessions with this tag (front*: that begins so); given again: with both",
      collect,
    )
    .addOption(
      new Option("--archived <which>", `archived sessions (default: ${archived})`).choices([
        "no",
        "yes",
        "only",
      ]),
    )
    .option("--internal", "only sessions an agent kept for itself")
    .option("--no-internal", "no sessions an agent kept for itself")
    .option("--problems", "only sessions with problems in their files")
    .option("--no-problems", "only sessions without problems")
    .addOption(
      new Option("--subagents <which>", `sessions of subagents (default: ${subagents})`).choices([
        "no",
        "yes",
        "only",
      ]),
    );
}
