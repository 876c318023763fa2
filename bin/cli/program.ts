import { Argument, Command, CommanderError, Help, Option } from "commander";
import { toOneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { maintenanceCommands } from "./maintenance-commands.ts";
import { parseCount, parseNonEmpty, parseRepeatable, parseSeconds } from "./option-values.ts";
import { PRINTABLE_PROPERTIES } from "./printable-properties.ts";
import { addCsvOption, addUsageOptions, addUsageOutputOptions } from "./usage-flags.ts";
import { version } from "./version.ts";
import { writeCommands } from "./write-commands.ts";

/** A command. Its arguments and options have the shape that `buildProgram` defines. */
type Run<O> = (io: Io, args: string[], options: O) => Promise<number>;

/**
 * Parses a command line with commander, and runs the command.
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
    // On a terminal, `main` opens the picker instead.
    await program.parseAsync(argv.length > 0 ? [...argv] : ["--help"], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/**
 * The program with its commands and options. If `called` names a command, only that one is defined, which is faster;
 * completions need all of them.
 */
export function buildProgram(io: Io, done: (exit: number) => void, called?: string): Command {
  const program = new Command("pidex")
    .description("Search, browse and account for your pi sessions.")
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
      outputError: (text, write) => write(`${io.style("red", "pidex:")} ${toErrorLine(text)}\n`),
    })
    // Every command has options; repeating it leaves too little room for the descriptions.
    .configureHelp({ subcommandTerm: (each) => new Help().subcommandTerm(each).replace(" [options]", "") })
    .showHelpAfterError("  Run pidex --help for a list of commands.")
    .version(version(), "-V, --version", "Show the version")
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show help for a command")
    .addHelpText("after", MORE_HELP);

  /** Returns an action that runs the command's module. */
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
      .showHelpAfterError(`  Run pidex ${name} --help for usage.`);

  const context = { command, addCommonOptions: everywhere, toAction: runs, sessionArgument: SESSION };
  const definitions: Record<string, () => void> = {
    index() {
      everywhere(command("index", "Update the index and report what is new")).action(
        runs(() => import("./index-command.ts")),
      );
    },
    pick() {
      const pick = command("pick", "Open the picker to find a session")
        .argument("[query...]", "Initial query")
        .option("--query <text>", "Initial query, which may be incomplete", (text: string) => text)
        .addOption(
          new Option(
            "--print <what>",
            "Print this property of the selected session instead of resuming it",
          ).choices(PRINTABLE_PROPERTIES),
        )
        .option("--all", "Start with sessions from all folders")
        .addOption(new Option("--here", "Start with sessions from the current folder").conflicts("all"));
      everywhere(pick, false, false).action(runs(() => import("./pick.ts")));
    },
    demo() {
      command("demo", "Try the picker with sample sessions")
        .option("--sessions <n>", "Number of sample sessions", parseCount(20_000), 300)
        .option("--keep", "Keep the sample folder and print its path")
        .option("--serve", "Open the web page instead of the picker")
        .option("--no-open", "With --serve: print the link without opening a browser")
        .action(runs(() => import("./demo.ts")));
    },
    serve() {
      const serve = command("serve", "Open the web page in a browser")
        .argument("[query]", "Initial query")
        .option("--port <n>", "Port to listen on (default: any free port)", parseCount(65_535))
        .option("--no-open", "Print the link without opening a browser");
      everywhere(serve, false, false).action(runs(() => import("./serve.ts")));
    },
    mcp() {
      const mcp = command("mcp", "Serve agents over MCP (stdio or HTTP)")
        .option("--http", "Serve over HTTP on localhost instead of stdio, and print the URL and token")
        .option("--port <n>", "With --http: port to listen on (default: any free port)", parseCount(65_535));
      everywhere(mcp, false, false).action(runs(() => import("./mcp.ts")));
    },
    list() {
      const list = command("list", "List sessions, newest first")
        .addOption(
          new Option("--sort <key>", "Sort by this field").choices([
            "modified",
            "created",
            "messages",
            "size",
          ]),
        )
        .option("--oldest", "Reverse the order: oldest or smallest first")
        .option("-n, --limit <n>", "Maximum number of sessions", parseCount(), 50)
        .addOption(new Option("--all", "Show all sessions").conflicts("cursor"))
        .option("--cursor <cursor>", "Continue from the `next` cursor of the previous page")
        .option("--text", "With --json or --ndjson: include allMessagesText");
      everywhere(filtered(list, { archived: "no" }), true).action(runs(() => import("./list.ts")));
    },
    search() {
      const search = command("search", "Search messages, tool calls and output")
        .argument("[query...]", 'Words, "a phrase", prefix*, a OR b, role:user; syntax below')
        .option("--role <role>", "Only entries with this role: user, assistant, toolResult, bashExecution, …")
        .addOption(
          new Option("--sort <order>", "Order of results (default: relevance)").choices([
            "relevance",
            "newest",
            "oldest",
          ]),
        )
        .option("--flat", "List hits without grouping them by session")
        .option("--exact", "Rank every hit of common words, not only the newest")
        .option("--strict", "Only sessions that match every term; no closest matches")
        .option("--facets", "Show hit counts by project, model, role, tool and month")
        .option("-n, --limit <n>", "Maximum number of results, up to 1000 (default: 10)", parseCount(1000))
        .option("--hits <n>", "Hits per session, up to 1000 (default: 3)", parseCount(1000))
        .option("--cursor <cursor>", "Continue from the `next` cursor of the previous page")
        .addOption(
          new Option(
            "--substring <text>",
            "Search the files for this exact text, punctuation included",
          ).conflicts(SCANNED),
        )
        .addOption(
          new Option("--regex <re2>", "Search the files for a regular expression (RE2 syntax)").conflicts([
            ...SCANNED,
            "substring",
          ]),
        )
        .option(
          "--case-sensitive",
          "With --substring or --regex: match case (default: if the pattern has a capital)",
        )
        .option("--no-case-sensitive", "With --substring or --regex: ignore case")
        .addHelpText("after", SEARCH_HELP)
        .showHelpAfterError(
          "  Run pidex search --help for usage. Put -- before a query that contains a dash: pidex search -- tax -blog",
        );
      everywhere(filtered(search), true).action(runs(() => import("./search.ts")));
    },
    files() {
      const files = command("files", "Find sessions by the files they touched")
        .argument("<pattern>", "A path, the end of a path (tax.ts), a folder (src/) or a glob ('*.py')")
        .option(
          "--action <list>",
          "Only these actions, comma-separated: read, write, edit, delete, search, use",
          (list: string) => parseNonEmpty(list).split(","),
        )
        .option("-n, --limit <n>", "Maximum number of sessions, up to 1000", parseCount(1000), 10)
        .option("--touches <n>", "Maximum number of touches per session", parseCount(), 5)
        .option("--cursor <cursor>", "Continue from the `next` cursor of the previous page");
      everywhere(filtered(files, { subagents: "yes" }), true).action(runs(() => import("./files.ts")));
    },
    show() {
      const show = command("show", "Print a session or one of its entries")
        .argument("<session>", SESSION)
        .argument("[entry]", "Entry id")
        .option("--all", "All entries in file order instead of the current branch")
        .option("--leaf <entry>", "Only the branch that ends at this entry")
        .option("--full", "Include thinking, full tool output and extension data")
        .option("--context", "Print the messages as the model sees them")
        .option("--redact", "Mask likely secrets")
        .option("--no-redact", "With --export: do not mask likely secrets")
        .option("--export <file>", "Write to a new private file, with likely secrets masked", parseNonEmpty)
        .option("--force", "With --export: overwrite an existing file");
      everywhere(show, true).action(runs(() => import("./show.ts")));
    },
    export() {
      const exported = command("export", "Export sessions to HTML, Markdown or JSONL")
        .argument("[session]", SESSION)
        .addOption(new Option("--all", "All entries in file order").conflicts(["leaf", "search"]))
        .addOption(
          new Option("--leaf <entry>", "Only the branch that ends at this entry").conflicts("search"),
        )
        .option("--search <query>", "Export matching sessions, with each hit and its context", parseNonEmpty)
        .addOption(
          new Option(
            "--format <format>",
            "Output format (default: from the file extension, else html)",
          ).choices(["html", "md", "jsonl"]),
        )
        .option("-o, --output <file>", "Write to a new private file; - for stdout", parseNonEmpty)
        .addOption(
          new Option("--images <whether>", "Include images (default: yes, in Markdown no)").choices([
            "yes",
            "no",
          ]),
        )
        .option("--no-redact", "Do not mask likely secrets")
        .option("--force", "Overwrite an existing file")
        .option("--role <role>", "With --search: only entries with this role", parseNonEmpty)
        .addOption(
          new Option("--sort <key>", "With --search: order of sessions (default: relevance)").choices([
            "relevance",
            "newest",
            "oldest",
          ]),
        )
        .option("--strict", "With --search: only sessions that match every term")
        .option("-n, --limit <n>", "With --search: maximum number of sessions (default: all)", parseCount());
      everywhere(filtered(exported, { archived: "yes" })).action(runs(() => import("./export.ts")));
    },
    tree() {
      const tree = command("tree", "Show the branches and labels of a session")
        .argument("<session>", SESSION)
        .option("--all", "Show every entry, including tool calls and output");
      everywhere(tree, true).action(runs(() => import("./tree.ts")));
    },
    labels() {
      const labels = command("labels", "List labels").argument("[session]", SESSION);
      everywhere(labels, true).action(runs(() => import("./labels.ts")));
    },
    stats() {
      const stats = command("stats", "Show totals").option(
        "--problems",
        "List problems found in session files instead",
      );
      everywhere(stats, true).action(runs(() => import("./stats.ts")));
    },
    usage() {
      const usage = addUsageOptions(command("usage", "Show token usage and cost"));
      addUsageOutputOptions(everywhere(usage, true)).action(runs(() => import("./usage.ts")));
    },
    spend() {
      const spend = command("spend", "Show what one session cost")
        .argument("<session>", SESSION)
        .option("--explain", "List the billable events behind the numbers")
        .option(
          "--timezone <zone>",
          "With --explain: time zone of the times (default: yours)",
          parseNonEmpty,
        );
      addCsvOption(everywhere(spend, true)).action(runs(() => import("./spend.ts")));
    },
    sql() {
      const sql = command("sql", "Run a read-only SQL query")
        .argument("[sql]", "SQL to run; reads stdin if omitted or -")
        .option("--schema", "List the views and their columns instead")
        .option("--timeout <seconds>", "Time limit", parseSeconds, 10)
        .option("-n, --limit <n>", "Maximum number of rows (default: 1000 on a terminal)", parseCount());
      addCsvOption(everywhere(sql, true)).action(runs(() => import("./sql.ts")));
    },
    resume() {
      const resume = command("resume", "Print the command that resumes a session")
        .argument("<session>", SESSION)
        .option("--run", "Run the command instead of printing it")
        .option(
          "--agent <command>",
          "Agent to run: pi, atomic, … (default: the agent the session belongs to)",
          parseNonEmpty,
        );
      everywhere(resume, true).action(runs(() => import("./resume.ts")));
    },
    ...writeCommands(context),
    ...maintenanceCommands(context),
    completions() {
      command("completions", "Print a shell completion script")
        .addArgument(new Argument("<shell>", "Shell name").choices(["bash", "zsh", "fish"]))
        .option("--widget", "Print a script that binds the picker to Ctrl+X S instead")
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

const SESSION = "Path, id, id prefix, or @last";

/** Options that rank or group hits, which a scan can't: it prints hits as it finds them. */
const SCANNED = ["sort", "flat", "exact", "facets", "hits", "cursor"];

const SEARCH_HELP = `
Query syntax:
  checkout tax     both words, in one entry or else in one session
  "double tax"     an exact phrase
  round*           a prefix
  tax OR vat       either word; group with parentheses: (a OR b) c
  tax -blog        exclude a word; needs --: pidex search -- tax -blog
  a.b() C++        punctuation is part of a word
Fields; prefix with - to exclude:
  role:user,assistant  type:compaction  tool:bash  is:error  is:current
  since:7d  until:2026-01-31  file:src/tax.ts  label:done  name:till
  project:shop  cwd:.  model:opus  provider:openai  session:019c4bef
  tag:till  is:named  is:forked  is:pinned  is:archived`;

const MORE_HELP = `
Without arguments, pidex opens the picker.

Examples:
  pidex demo
  pidex search failing test --since 7d
  pidex list --here --json
  pidex show @last
  pidex usage monthly --by model
  cd somewhere && eval "$(pidex resume 019c4bef)"

Environment:
  PIDEX_ROOTS    folders to search instead of the default session folders
  PIDEX_EXCLUDE  session folders to exclude
  PIDEX_DB       index file
  NO_COLOR       disable colors

Exit codes: 0 success, 1 failure, 2 usage error, 3 not found.`;

/** Commander's message on one line; the hint follows on the next. */
function toErrorLine(text: string): string {
  return toOneLine(text.replace(/^error: /, "")).replace("(Did you mean", "(did you mean");
}

/** Adds the options common to all commands; `answers` adds `--no-sync`, `json` adds `--json` and `--ndjson`. */
function everywhere(command: Command, answers = false, json = true): Command {
  command
    .optionsGroup("Index:")
    .option("--root <folder>", "Search this folder instead; repeat for more", parseRepeatable)
    .option("--db <file>", "Index file (default: $PIDEX_DB, else in your cache folder)", parseNonEmpty);
  if (answers) command.option("--no-sync", "Use the index without updating it");
  if (!json) return command.helpOption("-h, --help", "Show help");
  return command
    .optionsGroup("Output:")
    .addOption(new Option("--json", "Print one JSON object").conflicts("ndjson"))
    .option("--ndjson", "Print one JSON object per line")
    .helpOption("-h, --help", "Show help");
}

function filtered(command: Command, { subagents = "no", archived = "yes" } = {}): Command {
  return command
    .optionsGroup("Filters:")
    .addOption(new Option("--here", "Only sessions from the current folder").conflicts("cwd"))
    .option("--cwd <folder>", "Only sessions from this folder", parseNonEmpty)
    .option("--project <name>", "Only sessions of this project: shop, ada/shop")
    .option("--model <name>", "Only sessions with a model whose name contains this")
    .option("--since <time>", "Only at or after this time: 7d, 12h, 2026-01-31")
    .option("--until <time>", "Only before this time")
    .option("--named", "Only named sessions")
    .option("--no-named", "Only unnamed sessions")
    .option("--labelled", "Only sessions with labels")
    .option("--no-labelled", "Only sessions without labels")
    .option("--pinned", "Only pinned sessions")
    .option("--no-pinned", "Only sessions that are not pinned")
    .option(
      "--tag <tag>",
      "Only sessions with this tag (front* matches a prefix); repeat to require all",
      parseRepeatable,
    )
    .addOption(
      new Option("--archived <which>", `Include archived sessions (default: ${archived})`).choices([
        "no",
        "yes",
        "only",
      ]),
    )
    .option("--internal", "Only internal sessions of an agent")
    .option("--no-internal", "Exclude internal sessions of an agent")
    .option("--problems", "Only sessions with problems in their files")
    .option("--no-problems", "Only sessions without problems")
    .addOption(
      new Option("--subagents <which>", `Include subagent sessions (default: ${subagents})`).choices([
        "no",
        "yes",
        "only",
      ]),
    );
}
