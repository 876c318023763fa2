import type { Command } from "commander";
import type { Io } from "./io.ts";
import { EXIT } from "./run.ts";

interface Completable {
  name: string;
  description: string;
  flags: Flag[];
  /** The choices of its first argument. */
  words: readonly string[];
  takesSession: boolean;
}

interface Flag {
  long: string;
  /** `-n`, or nothing. */
  short: string;
  description: string;
  choices: readonly string[];
  takesFile: boolean;
  takesValue: boolean;
  /** Whether its value is optional. */
  isOptional: boolean;
  isRepeatable: boolean;
}

/** `pidex completions`: a shell script, generated from the command definitions. */
export async function run(io: Io, shell: string, commands: readonly Command[]): Promise<number> {
  const write = SHELLS[shell] as (commands: Completable[]) => string; // commander has checked it
  await io.out(write(commands.map(completable)));
  return EXIT.done;
}

function completable(command: Command): Completable {
  return {
    name: command.name(),
    description: command.description(),
    takesSession: command.registeredArguments.some((argument) => argument.name() === "session"),
    words: command.registeredArguments[0]?.argChoices ?? [],
    flags: [...command.options.map(flagOf), HELP],
  };
}

function flagOf(option: Command["options"][number]): Flag {
  const { long, short, description, argChoices, flags, parseArg, optional } = option;
  return {
    long: long ?? "",
    short: short ?? "",
    description,
    choices: argChoices ?? [],
    takesFile: /<(folder|file)>/.test(flags),
    takesValue: /[<[]/.test(flags),
    isOptional: optional,
    isRepeatable: parseArg?.name === "parseRepeatable",
  };
}

const HELP: Flag = {
  long: "--help",
  short: "-h",
  description: "Show help",
  choices: [],
  takesFile: false,
  takesValue: false,
  isOptional: false,
  isRepeatable: false,
};

const SHELLS: Record<string, (commands: Completable[]) => string> = { bash, zsh, fish };

/**
 * Session ids, newest first, without a sync. Only ids in pi's own format: bash's `compgen -W` evaluates its words, and
 * a session file from elsewhere may have the id `$(rm -rf ~)`.
 */
const SESSIONS =
  "pidex list --no-sync -n 200 2>/dev/null | cut -f2 | LC_ALL=C grep -E '^[A-Za-z0-9][A-Za-z0-9._-]*$'";

function bash(commands: Completable[]): string {
  const cases = commands.map(({ name, flags, words, takesSession }) => {
    const all = spellings(flags).join(" ");
    const first = takesSession ? "@last $(_pidex_sessions)" : words.join(" ");
    if (first === "") return `    ${name}) words="${all}" ;;`;
    return `    ${name}) case "$current" in -*) words="${all}" ;; *) words="${first}" ;; esac ;;`;
  });
  const all = distinct(commands.flatMap(({ flags }) => flags));
  // A flag may have different values in different commands: `list --sort`, `search --sort`.
  const choices = commands.flatMap(({ name, flags }) =>
    flags
      .filter((flag) => flag.choices.length > 0)
      .map((flag) => `    "${name} ${flag.long}") words="${flag.choices.join(" ")}" ;;`),
  );
  const pattern = (flags: Flag[]) => spellings(flags).join("|");
  const takeFile = all.filter(({ takesFile }) => takesFile);
  const takeText = all.filter((flag) => flag.takesValue && !flag.takesFile && flag.choices.length === 0);
  return `# bash completions of pidex: eval "$(pidex completions bash)"
_pidex_sessions() { ${SESSIONS}; }
_pidex() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  COMPREPLY=()
  case "\${COMP_WORDS[1]} $previous" in
${choices.join("\n")}
  esac
  case "$previous" in
    ${pattern(takeFile)})
      local IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current"))
      return ;;
    ${pattern(takeText)}) return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then words="${[...commands.map(({ name }) => name), "help --version --help"].join(" ")}"
  elif [ -z "$words" ]; then case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${commands.map(({ name }) => name).join(" ")}" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _pidex pidex
`;
}

function zsh(commands: Completable[]): string {
  const described = commands.map(({ name, description }) => `    '${name}:${zshText(description)}'`);
  const cases = commands.map(({ name, flags, words, takesSession }) => {
    const specs = flags.flatMap(zshFlag);
    if (takesSession) specs.push("'1:session:_pidex_sessions'");
    if (words.length > 0) specs.push(`'1:${name}:(${words.join(" ")})'`);
    return `    ${name})\n      _arguments -s \\\n        ${specs.join(" \\\n        ")} ;;`;
  });
  return `#compdef pidex
# zsh completions of pidex: eval "$(pidex completions zsh)", or this as _pidex in a folder of $fpath
_pidex_sessions() { compadd -V sessions -- @last \${(f)"$(${SESSIONS})"} }
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

function zshFlag(flag: Flag): string[] {
  const { long, short, description, choices, takesFile, takesValue, isOptional, isRepeatable } = flag;
  const words = choices.length > 0 ? `:value:(${choices.join(" ")})` : takesFile ? ":file:_files" : ":value:";
  const value = isOptional ? `:${words}` : words;
  const about = `[${zshText(description)}]${takesValue ? value : ""}`;
  if (short === "") return [`'${isRepeatable ? "*" : ""}${long}${about}'`];
  return [short, long].map((spelling) => `'(${short} ${long})${spelling}${about}'`);
}

function fish(commands: Completable[]): string {
  const lines = commands.flatMap(({ name, description, flags, words, takesSession }) => {
    const inCommand = `complete -c pidex -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c pidex -n __fish_use_subcommand -a ${name} -d ${fishText(description)}`,
      ...(takesSession ? [`${inCommand} -k -a '(echo @last; __pidex_sessions)'`] : []),
      ...(words.length > 0 ? [`${inCommand} -a '${words.join(" ")}'`] : []),
      ...flags.map(({ long, short, description: about, choices, takesFile, takesValue }) => {
        const value =
          choices.length > 0 ? ` -x -a '${choices.join(" ")}'` : takesFile ? " -rF" : takesValue ? " -x" : "";
        return `${inCommand} -l ${long.slice(2)}${short && ` -s ${short.slice(1)}`} -d ${fishText(about)}${value}`;
      }),
    ];
  });
  return `# fish completions of pidex: pidex completions fish | source
function __pidex_sessions
  ${SESSIONS.replace("LC_ALL=C grep", "env LC_ALL=C grep")}
end
complete -c pidex -f
complete -c pidex -n __fish_use_subcommand -l version -s V -d 'Show the version'
complete -c pidex -n __fish_use_subcommand -l help -s h -d 'Show help'
complete -c pidex -n '__fish_seen_subcommand_from help' -a '${commands.map(({ name }) => name).join(" ")}'
${lines.join("\n")}
`;
}

function distinct(flags: Flag[]): Flag[] {
  return [...new Map(flags.map((flag) => [flag.long, flag])).values()];
}

function spellings(flags: Flag[]): string[] {
  return flags.flatMap(({ long, short }) => (short === "" ? [long] : [short, long]));
}

function zshText(text: string): string {
  return text.replaceAll("'", "’").replace(/([[\]:\\])/g, "\\$1");
}

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
