/** Brings the words of a command line into the order that commander parses. */
import { COMMANDS, type CommandName } from "./commands.ts";
import type { CommandDefinition, OptionDefinition } from "./option-types.ts";

const DEFINITIONS: readonly (readonly [name: string, CommandDefinition])[] = Object.entries(COMMANDS);

/** Options of the program itself. */
const PROGRAM_FLAGS = ["-h", "--help", "-V", "--version"];

/** The command with a name or an alias. */
export function findCommand(word: string | undefined): CommandName | undefined {
  const found = DEFINITIONS.find(
    ([name, { aliases }]) => word !== undefined && (name === word || aliases?.includes(word)),
  );
  return found?.[0] as CommandName | undefined;
}

/**
 * Moves options before the command behind it (`--json list` is `list --json`), and turns `help list` into `list --help`. The first word of
 * the result is the command, known or not, unless there is none.
 */
export function arrangeWords(argv: readonly string[]): string[] {
  const count = countLeadingOptions(argv);
  const before = argv.slice(0, count);
  const [first, ...rest] = argv.slice(count);
  // The picker is the command if there is none.
  if (first === undefined && isForPicker(before)) return ["pick", ...argv];
  if (first === undefined || first.startsWith("-")) return [...argv];
  if (before.some((word) => PROGRAM_FLAGS.includes(word))) return [...argv];
  const name = first === "help" ? rest.find((word) => !word.startsWith("-")) : first;
  if (name === undefined) return ["--help"];
  // Alone, an unknown command is an error with a suggestion; with --help it would be the help of all commands.
  if (findCommand(name) === undefined) return [name];
  if (first === "help") return [...rest, "--help"];
  // Options of `hub status` belong behind its second word.
  const isSubcommand = rest[0] !== undefined && Object.hasOwn(COMMANDS, `${first} ${rest[0]}`);
  const names = isSubcommand ? [first, ...rest.splice(0, 1)] : [first];
  const options = before.filter((word) => word !== NO_PAGER || hasOption(name, NO_PAGER));
  return joinJsonFields([...names, ...options, ...rest]);
}

/** Whether all words are options of the picker, or their values. */
function isForPicker(words: readonly string[]): boolean {
  const flags = words.filter((_, n) => n === 0 || !takesNextWord(words[n - 1] ?? ""));
  return flags.length > 0 && flags.every((flag) => hasOption("pick", flag.replace(/=.*/s, "")));
}

/** Accepted before any command, as git does: scripts put it there once for all commands. */
const NO_PAGER = "--no-pager";

function hasOption(command: string, flag: string): boolean {
  const { options = [], groups = {} }: CommandDefinition = COMMANDS[findCommand(command) as CommandName];
  return [options, ...Object.values(groups)].flat().some(([spelling]) => readFlags(spelling).includes(flag));
}

/** The flags of an option: `-n` and `--limit` of `-n, --limit <n>`. */
function readFlags(spelling: string): string[] {
  return spelling.replace(/ [<[].*/, "").split(", ");
}

const JSON_FLAGS = ["--json", "--ndjson"];

/**
 * Joins `--json` or `--ndjson` and its fields: `--json id,title` becomes `--json=id,title`. In commands with arguments a word after `--json` is
 * an argument unless it contains a comma or the command doesn't accept it, so that `search --json failing test` searches.
 */
function joinJsonFields(words: readonly string[]): string[] {
  const command = findCommand(words[0]);
  if (command === undefined || !takesJsonFields(COMMANDS[command])) return [...words];
  const joined: string[] = [];
  for (let n = 0; n < words.length; n++) {
    const [word = "", next] = words.slice(n, n + 2);
    if (word === "--") return [...joined, ...words.slice(n)];
    if (!JSON_FLAGS.includes(word) || next === undefined || next.startsWith("-")) joined.push(word);
    else if (isJsonFields(next, COMMANDS[command])) joined.push(`${word}=${words[++n]}`);
    else joined.push(`${word}=`);
  }
  return joined;
}

function takesJsonFields({ groups = {} }: CommandDefinition): boolean {
  return Object.values(groups)
    .flat()
    .some(([spelling]) => spelling === "--json [fields]");
}

/** Whether a word after `--json` or `--ndjson` has its fields, not an argument of the command. */
export function isJsonFields(word: string, { args = {} }: CommandDefinition): boolean {
  if (word.includes(",")) return true;
  return Object.values(args).every((about) => {
    if (typeof about === "string" || about[2] === "others") return false;
    const [, choices, aliases = []] = about;
    return ![...choices, ...aliases].includes(word); // the cost of `usage --json cost`
  });
}

/** The words before the command: options, and the values of those that take one. */
function countLeadingOptions(argv: readonly string[]): number {
  let n = 0;
  while (argv[n]?.startsWith("-") && argv[n] !== "-" && argv[n] !== "--")
    n += takesNextWord(argv[n] ?? "") ? 2 : 1;
  return Math.min(n, argv.length);
}

/** Whether an option of any command needs a value that is not attached to it, as in `--db=x` or `-n5`. */
function takesNextWord(word: string): boolean {
  return DEFINITIONS.some(([, { options = [], groups = {} }]) =>
    [options, ...Object.values(groups)].flat().some((option: OptionDefinition) => {
      const [spellings = "", value] = option[0].split(/ (?=[<[])/);
      return value?.startsWith("<") && spellings.split(", ").includes(word);
    }),
  );
}
