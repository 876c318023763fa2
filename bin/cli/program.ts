import { Argument, Command, Help } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { toOneLine } from "../format/safe.ts";
import { COMMANDS, type CommandName } from "./commands.ts";
import type { Io } from "./io.ts";
import type { CommandDefinition } from "./option-types.ts";
import { acceptChoices, createOption } from "./option-values.ts";

/**
 * The program with its commands and options. If `called` names a command, only that one is defined, which is faster.
 *
 * @param run runs a command
 */
export function buildProgram(
  io: Io,
  run: (name: CommandName, args: string[], flags: object) => void | Promise<void>,
  called?: string,
): Command {
  const program = new Command("pidex")
    .description("Search and browse your pi sessions, and see what they cost.")
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
    .version(packageJson.version, "-V, --version", "Show the version")
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show help for a command")
    .addHelpText("after", MORE_HELP);
  const all: [string, CommandDefinition][] = Object.entries(COMMANDS);
  const isAlone = called !== undefined && Object.hasOwn(COMMANDS, called);
  for (const [name, definition] of all) {
    // "hub join" is a command of the command hub.
    const [first, second] = name.split(" ") as [string, string?];
    if (isAlone && first !== called) continue;
    const parent = second === undefined ? program : program.commands.find((each) => each.name() === first);
    const command = define((parent ?? program).command(second ?? first), name, definition);
    command.action(() => run(name as CommandName, command.args, command.opts()));
  }
  return program;
}

function define(command: Command, name: string, definition: CommandDefinition) {
  const { description, args = {}, options = [], groups, help, errorHint } = definition;
  const hint = errorHint ?? `Run pidex ${name} --help for usage.`;
  command.description(description).showHelpAfterError(`  ${hint}`);
  if (help) command.addHelpText("after", help);
  for (const [name, about] of Object.entries(args)) {
    const [text, choices, aliases] = typeof about === "string" ? [about] : about;
    const argument = new Argument(name, text);
    if (choices) acceptChoices(argument, choices, aliases);
    command.addArgument(argument);
  }
  for (const [heading, definitions] of Object.entries({ "Options:": options, ...groups })) {
    command.optionsGroup(heading);
    for (const definition of definitions) command.addOption(createOption(definition));
  }
  return command.helpOption("-h, --help", "Show help").helpCommand(false);
}

const MORE_HELP = `
Without arguments, pidex opens the picker.

Examples:
  pidex demo
  pidex search failing test --since 7d
  pidex list --here --json
  pidex show @last
  pidex usage monthly --by model
  eval "$(pidex resume 019c4bef)"

Environment:
  PIDEX_ROOTS    folders to search instead of the default session folders
  PIDEX_EXCLUDE  session folders to exclude
  PIDEX_DB       index file
  PIDEX_CONFIG   folder for settings and the sign-in to a hub
  NO_COLOR       disable colors

Exit codes: 0 success, 1 failure, 2 usage error, 3 not found, 130 interrupted.`;

/** Commander's message on one line; the hint follows on the next. */
function toErrorLine(text: string): string {
  return toOneLine(text.replace(/^error: /, "")).replace("(Did you mean", "(did you mean");
}
