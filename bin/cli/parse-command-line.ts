import { findCommand, isJsonFields } from "./arrange-words.ts";
import { COMMANDS, type CommandName } from "./commands.ts";
import { getValueParser, InvalidValue, type ParseValue, parseChoice } from "./option-parsers.ts";
import type { CommandDefinition, OptionDefinition } from "./option-types.ts";

/** A parsed command line, equal to what commander would return. */
export interface ParsedCommandLine {
  command: CommandName;
  args: string[];
  flags: Record<string, unknown>;
}

/** An option as it is looked up by its flag. */
interface Flag {
  name: string;
  takes: "nothing" | "value" | "optional value" | "fields";
  /** Of an option without a value: what it sets. */
  sets: boolean;
  parse: ParseValue | undefined;
  conflicts: readonly string[];
  /** The environment variable with its value, if it is not used. */
  env: string | undefined;
}

/**
 * Parses a command line by the definitions of the commands. Undefined for one that is invalid, asks for help, or is written in a rarer
 * way (`-n5`, `--limit=5`, an option before the command): commander parses these and reports errors. Loading commander takes as long as a
 * whole `pidex list`.
 */
export function parseCommandLine([word = "", ...words]: readonly string[]): ParsedCommandLine | undefined {
  const command = findLeafCommand(word);
  if (command === undefined) return undefined;
  const definition: CommandDefinition = COMMANDS[command];
  const { flags, byFlag } = readDefinition(definition);
  const args: string[] = [];
  const used = new Map<string, Flag>();
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as string;
    if (word === "--") {
      args.push(...words.slice(n + 1));
      break;
    }
    if (!word.startsWith("-")) {
      args.push(word);
      continue;
    }
    const flag = byFlag.get(word);
    if (!flag) return undefined;
    const next = words[n + 1];
    const hasValue =
      next !== undefined &&
      !next.startsWith("-") &&
      !(flag.takes === "fields" && !isJsonFields(next, definition));
    if (flag.takes === "nothing") flags[flag.name] = flag.sets;
    else if (hasValue) {
      const value = accept(flag.parse, next, used.has(flag.name) ? flags[flag.name] : undefined);
      if (value === REJECTED) return undefined;
      flags[flag.name] = value;
      n++;
    } else if (flag.takes !== "value") flags[flag.name] = true;
    else return undefined;
    used.set(flag.name, flag);
  }
  for (const flag of byFlag.values()) {
    const set = flag.env === undefined || used.has(flag.name) ? undefined : process.env[flag.env];
    if (set === undefined) continue;
    const value = accept(flag.parse, set);
    if (value === REJECTED) return undefined;
    flags[flag.name] = value; // a default: it conflicts with no option
  }
  const contradicts = [...used.values()].some(({ conflicts }) => conflicts.some((name) => used.has(name)));
  return contradicts || !areAccepted(args, definition) ? undefined : { command, args, flags };
}

/** A command without subcommands, by its name or an alias. */
function findLeafCommand(word: string): CommandName | undefined {
  const command = findCommand(word);
  return Object.keys(COMMANDS).some((name) => name.startsWith(`${command} `)) ? undefined : command;
}

/** The values of options that are not used, and all options by their flags. */
function readDefinition({ options = [], groups = {} }: CommandDefinition) {
  const definitions = [...options, ...Object.values(groups).flat()];
  const flags: Record<string, unknown> = {};
  const byFlag = new Map<string, Flag>();
  for (const definition of definitions) {
    const [text, , { default: standard, env, conflicts = [] } = {}] = definition;
    const [, short, long = "", placeholder = ""] = /^(?:(-\w), )?--(\S+) ?(.*)$/.exec(text) ?? [];
    const isNegative = long.startsWith("no-");
    const name = toCamelCase(isNegative ? long.slice(3) : long);
    if (standard !== undefined) flags[name] = standard;
    // An option that exists only to turn something off means that it is on.
    if (isNegative && !definitions.some(([other]) => hasLongFlag(other, long.slice(3)))) flags[name] = true;
    const flag: Flag = {
      name,
      takes: whatItTakes(placeholder),
      sets: !isNegative,
      parse: getValueParser(definition),
      conflicts,
      env,
    };
    byFlag.set(`--${long}`, flag);
    if (short) byFlag.set(short, flag);
  }
  return { flags, byFlag };
}

function whatItTakes(placeholder: string): Flag["takes"] {
  if (placeholder === "") return "nothing";
  if (placeholder === "[fields]") return "fields";
  return placeholder.startsWith("[") ? "optional value" : "value";
}

function hasLongFlag(text: OptionDefinition[0], long: string): boolean {
  return text.split(/[ ,]+/).includes(`--${long}`);
}

function toCamelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

const REJECTED = Symbol("rejected");

function accept(parse: ParseValue | undefined, value: string, before?: unknown): unknown {
  try {
    return parse ? parse(value, before) : value;
  } catch (error) {
    if (error instanceof InvalidValue) return REJECTED;
    throw error;
  }
}

/** Whether these are as many arguments as the command takes, with accepted values. */
function areAccepted(words: readonly string[], { args = {} }: CommandDefinition): boolean {
  const names = Object.keys(args);
  const isVariadic = names.at(-1)?.includes("...") ?? false;
  if (words.length < names.filter((name) => name.startsWith("<")).length) return false;
  if (words.length > names.length && !isVariadic) return false;
  return Object.values(args).every((about, n) => {
    const word = words[n];
    if (typeof about === "string" || word === undefined || about[2] === "others") return true;
    return accept(parseChoice(about[1], about[2]), word) !== REJECTED;
  });
}
