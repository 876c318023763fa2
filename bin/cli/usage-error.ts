/** What is wrong with a command line, from commander's errors. */
import { type Command, Help } from "commander";
import { findNearestWord, parseMoment, quoteForShell } from "../../library/internal.ts";
import { toOneLine } from "../format/safe.ts";
import { suggestCommand, suggestOption } from "./suggest.ts";

/** The name of a command behind those of its parents: `pidex hub join`. */
export function getFullName(command: Command): string {
  return command.parent ? `${getFullName(command.parent)} ${command.name()}` : command.name();
}

/** Commander's message on one line, with a suggestion; the hint follows on the next. */
export function formatUsageError(text: string, command: Command): string {
  const message = toOneLine(text.replace(/^error: /, ""));
  const invalid = formatInvalidValue(message, command);
  if (invalid !== undefined) return invalid;
  const [, kind, word = ""] = /^unknown (command|option) '(.*)'$/.exec(message) ?? [];
  if (kind === "option") {
    const flags = new Help().visibleOptions(command).flatMap(({ long }) => long ?? []);
    const [jsonFlag] = /^--(nd)?json(?==)/.exec(word) ?? [];
    if (jsonFlag !== undefined && flags.includes(jsonFlag)) return describeNoFields(command, jsonFlag);
    if (VERSION_FLAGS.includes(word)) return withSuggestion(message, "pidex --version");
    return withSuggestion(message, suggestOption(word, flags) ?? suggestChoice(word, command));
  }
  const names = command.commands.map((each) => each.name());
  if (kind === "command") {
    const suggestion = suggestCommand(word, names);
    if (suggestion !== undefined) return withSuggestion(message, suggestion);
    return `${message}\n  To search for it: pidex search ${quoteForShell(word)}`;
  }
  const [unexpected] = command.args;
  if (!message.startsWith("too many arguments")) return message;
  if (command.name() === "list" && !command.opts().json && !command.opts().ndjson) {
    const query = quoteForShell(toOneLine(command.args.join(" ")));
    return withSuggestion("too many arguments for 'list'", `pidex search ${query}`);
  }
  if (names.length === 0 || unexpected === undefined) return message + describeJsonFlag(command);
  // A command that also has subcommands: `hub memebrs`.
  const subcommand = findNearestWord(unexpected, names);
  return withSuggestion(
    `unknown command '${command.name()} ${toOneLine(unexpected)}'`,
    subcommand && `${command.name()} ${subcommand}`,
  );
}

/** For an argument too many that may be meant as the fields of `--json`: `usage monthly --json cost`. */
function describeJsonFlag(command: Command): string {
  const { json, ndjson } = command.opts();
  const flag = json ? "--json" : ndjson ? "--ndjson" : undefined;
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined) return "";
  if (!option.optional) return ` ${describeNoFields(command, option.long)}.`;
  return ` For a field, write ${flag}=${toOneLine(command.args.at(-1) ?? "")}.`;
}

/** For the fields of `--json` in a command that always prints all of them: `stats --json=cost`. */
function describeNoFields(command: Command, flag = ""): string {
  return `${flag} of ${getFullName(command)} takes no fields`;
}

/** Commander's words for an option or argument with a value that it does not accept, and what `option-values.ts` adds. */
const INVALID_OPTION =
  /^option '(?<flags>.*?)' (?:argument|value) '(?<value>.*)'(?: from env '(?<env>.*)')? is invalid\.(?: Did you mean (?<similar>[^?]*)\?)?(?: (?<rule>.*))?$/;
const INVALID_ARGUMENT =
  /^command-argument value '(?<value>.*)' is invalid for argument '(?<name>.*?)'\.(?: Did you mean (?<similar>[^?]*)\?)?$/;

/** The error about a value, and below it what help says on the option or argument. Undefined for other errors. */
function formatInvalidValue(message: string, command: Command): string | undefined {
  const ofOption = INVALID_OPTION.exec(message)?.groups;
  const ofArgument = INVALID_ARGUMENT.exec(message)?.groups;
  const option = command.options.find(({ flags }) => flags === ofOption?.flags);
  const argument = command.registeredArguments.find((each) => each.name() === ofArgument?.name);
  const help = command.createHelp();
  help.prepareContext({ helpWidth: command.configureOutput().getErrHelpWidth?.() });
  const describe = (term: string, text: string) => `\n${help.formatItem(term, term.length, text, help)}`;
  if (ofOption && option) {
    const { value, env, similar, rule } = ofOption;
    const name = env ? `${env} (${option.long})` : `${option.long}`;
    const error = withSuggestion(`invalid ${name} '${value}'${rule ? `: ${rule}` : ""}`, similar);
    return error + describe(help.optionTerm(option), help.optionDescription(option));
  }
  if (!ofArgument || !argument) return undefined;
  const { name, value = "", similar } = ofArgument;
  const isDate = name === "dimension" && parseMoment(value) !== undefined;
  const error = withSuggestion(
    `unknown ${name} '${value}'`,
    isDate ? `--since ${quoteForShell(value)}` : similar,
  );
  return isDate ? error : error + describe(help.argumentTerm(argument), help.argumentDescription(argument));
}

/** What users try to print the version; only the program itself has it. */
const VERSION_FLAGS = ["-v", "-V", "--version"];

/** An argument that is written as an option: `usage --weekly`. */
function suggestChoice(flag: string, command: Command): string | undefined {
  const word = flag.replace(/^--/, "");
  const isChoice = command.registeredArguments.some(({ argChoices = [] }) => argChoices.includes(word));
  return isChoice ? `pidex ${command.name()} ${word}` : undefined;
}

function withSuggestion(message: string, suggestion: string | undefined): string {
  return suggestion === undefined ? message : `${message} (did you mean ${suggestion}?)`;
}
