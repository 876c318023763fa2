import { Argument, Command, type Option } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { findCommand } from "./arrange-words.ts";
import { COMMANDS, type CommandName } from "./commands.ts";
import {
  describeArgument,
  describeOption,
  formatHelpText,
  formatItem,
  formatMore,
  formatOptionTerm,
  listOptions,
  pairInHelp,
} from "./help.ts";
import type { Io } from "./io.ts";
import { type CommandDefinition, GROUPS } from "./option-types.ts";
import { acceptChoices, createOption } from "./option-values.ts";
import { formatUsageError, getFullName } from "./usage-error.ts";

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
    .usage("[command] [options]")
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
      getOutHasColors: () => true, // `io.style` decides
      outputError: (text, write) =>
        write(`${io.style("red", "pidex:")} ${formatUsageError(text, program)}\n`),
    })
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      commandUsage: (command) => `${getFullName(command)} ${command.usage()}`,
      minWidthToWrap: 20,
      formatItem,
      visibleOptions: listOptions,
      optionTerm: formatOptionTerm,
      optionDescription: describeOption,
      argumentDescription: describeArgument,
      styleTitle: (title) => io.style("bold", title),
    })
    .showSuggestionAfterError(false)
    .showHelpAfterError("  Run pidex --help for a list of commands.")
    .version(packageJson.version, "-V, --version", "Show the version")
    .helpOption("-h, --help", "Show help")
    .helpCommand(false) // `arrangeWords` reads it
    .addHelpText("after", () => formatHelpText(io, MORE_HELP));
  const all = Object.entries<CommandDefinition>(COMMANDS).sort(
    ([, a], [, b]) => groupIndex(a) - groupIndex(b),
  );
  const command = findCommand(called);
  for (const [name, definition] of all) {
    // "hub join" is a command of the command hub.
    const [first, second] = name.split(" ") as [string, string?];
    if (command !== undefined && first !== command) continue;
    const parent = second === undefined ? program : program.commands.find((each) => each.name() === first);
    const defined = define(io, (parent ?? program).command(second ?? first), name as CommandName, definition);
    defined.action(() => run(name as CommandName, defined.args, defined.opts()));
  }
  return program;
}

/** Position of a command's group; subcommands follow all commands. */
function groupIndex({ group }: CommandDefinition): number {
  return group === undefined ? GROUPS.length : GROUPS.indexOf(group);
}

function define(io: Io, command: Command, name: CommandName, definition: CommandDefinition): Command {
  const {
    description,
    group,
    aliases = [],
    args = {},
    options = [],
    groups,
    help = "",
    errorHint,
  } = definition;
  const hint = errorHint ?? `Run pidex ${name} --help for usage.`;
  command
    .description(description)
    .aliases(aliases)
    .showHelpAfterError(`  ${hint}`)
    .configureOutput({
      outputError: (text, write) =>
        write(`${io.style("red", "pidex:")} ${formatUsageError(text, command)}\n`),
    });
  if (group) command.helpGroup(`${group}:`);
  command.addHelpText("after", () => formatMore(io, name, aliases, help));
  for (const [name, about] of Object.entries(args)) {
    const [text, choices, aliases] = typeof about === "string" ? [about] : about;
    const argument = new Argument(name, text);
    if (aliases === "others") argument.choices(choices ?? []).argParser((word) => word);
    else if (choices) acceptChoices(argument, choices, aliases);
    command.addArgument(argument);
  }
  for (const [heading, definitions] of Object.entries({ "Options:": options, ...groups })) {
    command.optionsGroup(heading);
    for (const definition of definitions) {
      const option = createOption(definition);
      const positive = command.options.find(({ long }) => long === option.long?.replace("--no-", "--"));
      if (definition[2]?.isPaired && positive) pairInHelp(positive, option);
      addOption(command, option);
    }
  }
  return command.helpOption("-h, --help", "Show help").helpCommand(false);
}

/** Adds an option. A value from the environment is a default: PIDEX_LIMIT doesn't conflict with `--all`, as `-n` does. */
function addOption(command: Command, option: Option): void {
  command.addOption(option);
  if (option.envVar === undefined) return;
  const name = option.attributeName();
  command.on(`optionEnv:${option.name()}`, () =>
    command.setOptionValueWithSource(name, command.getOptionValue(name), "default"),
  );
}

const MORE_HELP = `
Without arguments, pidex opens the picker. pidex COMMAND --help shows the
options of a command, and examples.

Examples:
  $ pidex demo
  $ pidex search failing test --since yesterday
  $ pidex list --here --json
  $ pidex show @last
  $ pidex usage monthly --by model
  $ eval "$(pidex resume 019c4bef)"

Environment:
  PIDEX_ROOTS    folders to search instead of the default session folders
  PIDEX_EXCLUDE  session folders to exclude
  PIDEX_DB       index file
  PIDEX_CONFIG   folder for settings and the sign-in to a hub
  PIDEX_PAGER    pager for long output, instead of $PAGER or less
  NO_COLOR       disable colors

Exit codes: 0 success, 1 failure, 2 usage error, 3 not found, 130 interrupted.
search and files exit with 3 if they find nothing, lists and totals with 0.`;
