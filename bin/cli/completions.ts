import { type Argument, type Command, Help, type Option } from "commander";
import type { Flags } from "./commands.ts";
import { VALUE_KINDS } from "./common-options.ts";
import type { Shell, ValueKind } from "./completion-values.ts";
import type { Io } from "./io.ts";
import { isRepeatable } from "./option-values.ts";
import { buildProgram } from "./program.ts";
import { WIDGETS } from "./widgets.ts";

/** `pidex completions`: a shell script, generated from the command definitions. */
export async function run(io: Io, [shell]: string[], flags: Flags<"completions">): Promise<void> {
  const { widget, values: kind, prefix = "", session } = flags;
  const name = shell as Shell; // commander has checked it
  if (kind !== undefined) {
    const { printCompletionValues } = await import("./completion-values.ts");
    return printCompletionValues(io, name, { kind, prefix, session });
  }
  const { commands } = buildProgram(io, () => {});
  await io.out(widget ? WIDGETS[name] : SHELLS[name](commands));
}

/** The options of a command and of its subcommands, `--help` too. */
const optionsOf = (command: Command): Option[] => {
  const all = [command, ...command.commands].flatMap((each) => new Help().visibleOptions(each));
  return [...new Map(all.map((option) => [option.long, option])).values()];
};
const takesFile = ({ flags }: Option): boolean => /<(folder|file)>/.test(flags);
const takesValue = ({ required, optional }: Option): boolean => required || optional;
/** The choices of the first argument: of its values, or the names of subcommands. */
const wordsOf = ({ commands, registeredArguments: [first] }: Command): string =>
  commands.length > 0 ? namesOf(commands) : (first?.argChoices?.join(" ") ?? "");
const findSession = ({ registeredArguments }: Command): Argument | undefined =>
  registeredArguments.find((argument) => argument.name() === "session");
const spellings = (options: readonly Option[]): string[] =>
  options.flatMap(({ short, long }) => [short, long]).filter((spelling) => spelling !== undefined);
const namesOf = (commands: readonly Command[]): string => commands.flatMap(spellingsOf).join(" ");
/** The name of a command and its aliases. */
const spellingsOf = (command: Command): string[] => [command.name(), ...command.aliases()];

const SHELLS = { bash, zsh, fish } as const;

/** What the value of an option is completed with; undefined for other options. */
const kindOf = ({ long, flags }: Option): ValueKind | undefined =>
  VALUE_KINDS.find((kind) => long === `--${kind}`) ??
  KINDS_BY_PLACEHOLDER[/[<[](\w+)[>\]]/.exec(flags)?.[1] ?? ""];
/** For options with another name: `tag --add <tag>`, `usage --session <session>`. */
const KINDS_BY_PLACEHOLDER: Readonly<Record<string, ValueKind>> = { tag: "tag", session: "sessions" };
/** Whether the second argument is an entry of the session. */
const takesEntry = ({ registeredArguments: [, second] }: Command): boolean => second?.name() === "entry";

/** The patterns of a shell's `case` for an option of a command. */
const casesOf = (command: Command, long: string | undefined): string =>
  spellingsOf(command)
    .map((name) => `"${name} ${long}"`)
    .join("|");

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const all = spellings(optionsOf(command)).join(" ");
    const name = spellingsOf(command).join("|");
    const first = takesEntry(command)
      ? "$(_pidex_session_or_entry)"
      : findSession(command)
        ? "$(_pidex_values sessions)"
        : wordsOf(command);
    if (first === "") return `    ${name}) words="${all}" ;;`;
    return `    ${name}) case "$current" in -*) words="${all}" ;; *) words="${first}" ;; esac ;;`;
  });
  // An option may have different values in different commands: `list --sort`, `search --sort`.
  const choices = commands.flatMap((command) =>
    command.options.flatMap(({ long, argChoices, hidden }) =>
      argChoices && !hidden ? [`    ${casesOf(command, long)}) words="${argChoices.join(" ")}" ;;`] : [],
    ),
  );
  const all = [...new Map(commands.flatMap(optionsOf).map((option) => [option.long, option])).values()];
  const pattern = (options: Option[]) => spellings(options).join("|");
  const takeText = all.filter(
    (each) => takesValue(each) && !takesFile(each) && !each.argChoices && kindOf(each) === undefined,
  );
  const kinds = VALUE_KINDS.flatMap((kind) => {
    const flags = all.flatMap((each) => (kindOf(each) === kind ? [each.long] : []));
    return flags.length > 0
      ? [`    ${flags.join("|")}) words="$(_pidex_values ${kind})"; [ -n "$words" ] || return ;;`]
      : [];
  });
  return `# bash completions of pidex: eval "$(pidex completions bash)"
_pidex_values() { pidex completions bash --values "$@" --prefix "$current" 2>/dev/null; }
_pidex_session_or_entry() {
  if [ "$COMP_CWORD" = 3 ]; then _pidex_values entries --session "\${COMP_WORDS[2]}"; else _pidex_values sessions; fi
}
_pidex() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  COMPREPLY=()
  case "\${COMP_WORDS[1]} $previous" in
${choices.join("\n")}
  esac
  case "$previous" in
    ${pattern(all.filter(takesFile))})
      local IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current"))
      return ;;
${kinds.join("\n")}
    ${pattern(takeText)}) return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then words="${namesOf(commands)} help --version --help"
  elif [ -z "$words" ]; then case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${namesOf(commands)}" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _pidex pidex
`;
}

function zsh(commands: readonly Command[]): string {
  const described = commands.flatMap((each) =>
    spellingsOf(each).map((name) => `    '${name}:${zshText(each.description())}'`),
  );
  const cases = commands.map((command) => {
    const [name, words] = [spellingsOf(command).join("|"), wordsOf(command)];
    const specs = optionsOf(command).flatMap(zshOption);
    const argument = findSession(command);
    if (argument) specs.push(`'${argument.variadic ? "*" : "1"}:session:_pidex_values sessions'`);
    if (takesEntry(command)) specs.push("'2:entry:_pidex_entries'");
    if (words !== "") specs.push(`'1:${command.name()}:(${words})'`);
    return `    ${name})\n      _arguments -s \\\n        ${specs.join(" \\\n        ")} ;;`;
  });
  return `#compdef pidex
# zsh completions of pidex: eval "$(pidex completions zsh)", or this as _pidex in a folder of $fpath
_pidex_values() {
  local -a values=(\${(f)"$(pidex completions zsh --values "$1" --prefix "$PREFIX" \${@:2} 2>/dev/null)"})
  _describe -V "$1" values
}
_pidex_entries() { _pidex_values entries --session "$words[2]" }
_pidex() {
  local -a commands=(
${described.join("\n")}
    'help:Show help for a command'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--version[Show the version]' '--help[Show help]'
    return
  fi
  local command="$words[2]"
  shift words; (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
    help) _describe command commands ;;
  esac
}
if [ "$funcstack[1]" = _pidex ]; then _pidex "$@"; else compdef _pidex pidex; fi
`;
}

function zshOption(option: Option): string[] {
  const { long, short, description, argChoices, optional } = option;
  const words = argChoices
    ? `:value:(${argChoices.join(" ")})`
    : takesFile(option)
      ? ":file:_files"
      : kindOf(option) === undefined
        ? ":value:"
        : `:value:_pidex_values ${kindOf(option)}`;
  const value = optional ? `:${words}` : words;
  const about = `[${zshText(description)}]${takesValue(option) ? value : ""}`;
  if (short === undefined) return [`'${isRepeatable(option) ? "*" : ""}${long}${about}'`];
  return [short, long].map((spelling) => `'(${short} ${long})${spelling}${about}'`);
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const [names, words] = [spellingsOf(command).join(" "), wordsOf(command)];
    const inCommand = `complete -c pidex -n '__fish_seen_subcommand_from ${names}'`;
    return [
      `complete -c pidex -n __fish_use_subcommand -a '${names}' -d ${fishText(command.description())}`,
      ...(takesEntry(command)
        ? [`${inCommand} -k -a '(__pidex_session_or_entry)'`]
        : findSession(command)
          ? [`${inCommand} -k -a '(__pidex_values sessions)'`]
          : []),
      ...(words === "" ? [] : [`${inCommand} -a '${words}'`]),
      ...optionsOf(command).map((option) => {
        const { long, short, description, argChoices } = option;
        const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
        const kind = kindOf(option);
        const plain = takesValue(option) ? " -x" : "";
        const text = takesFile(option) ? " -rF" : kind ? ` -x -k -a '(__pidex_values ${kind})'` : plain;
        const value = argChoices ? ` -x -a '${argChoices.join(" ")}'` : text;
        return `${inCommand} -l ${long?.slice(2)}${letter} -d ${fishText(description)}${value}`;
      }),
    ];
  });
  return `# fish completions of pidex: pidex completions fish | source
function __pidex_values
  pidex completions fish --values $argv --prefix (commandline -ct | string replace -r '^--[a-z]+=' '') 2>/dev/null
end
function __pidex_session_or_entry
  set -l words (commandline -opc)
  if test (count $words) -ge 3
    __pidex_values entries --session $words[3]
  else
    __pidex_values sessions
  end
end
complete -c pidex -f
complete -c pidex -n __fish_use_subcommand -l version -s V -d 'Show the version'
complete -c pidex -n __fish_use_subcommand -l help -s h -d 'Show help'
complete -c pidex -n '__fish_seen_subcommand_from help' -a '${namesOf(commands)}'
${lines.join("\n")}
`;
}

function zshText(text: string): string {
  return text.replaceAll("'", "’").replace(/([[\]:\\])/g, "\\$1");
}

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
