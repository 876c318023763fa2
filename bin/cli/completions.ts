import type { Command } from "commander";
import { PidexError } from "../../index.ts";
import type { Io } from "./io.ts";
import { buildProgram } from "./main.ts";
import { EXIT } from "./run.ts";

interface Completable {
  name: string;
  description: string;
  flags: { flag: string; description: string; choices: string[]; takesFolder: boolean; takesValue: boolean }[];
  takesSession: boolean;
}

/** `pidex completions`: a script for a shell, made from the commands as they are. */
export async function run(io: Io, [shell = ""]: string[]): Promise<number> {
  const write = SHELLS[shell];
  if (!write) {
    const known = Object.keys(SHELLS).join(", ");
    throw new PidexError("BAD_OPTION", `there are no completions for ${shell}`, `Give one of: ${known}.`);
  }
  io.out(write(buildProgram(io, () => {}).commands.map(completable)));
  return EXIT.done;
}

function completable(command: Command): Completable {
  return {
    name: command.name(),
    description: command.description(),
    takesSession: command.registeredArguments.some((argument) => argument.name() === "session"),
    flags: command.options.map(({ long, description, argChoices, flags }) => ({
      flag: long ?? "",
      description,
      choices: argChoices ?? [],
      takesFolder: /<(folder|file)>/.test(flags),
      takesValue: flags.includes("<"),
    })),
  };
}

const SHELLS: Record<string, (commands: Completable[]) => string> = { bash, zsh, fish };

/** Ids of sessions, newest first, from the index as it is. */
const SESSIONS = "pidex list --no-sync -n 200 2>/dev/null | cut -f2";

function bash(commands: Completable[]): string {
  const cases = commands.map(({ name, flags, takesSession }) => {
    const words = flags.map(({ flag }) => flag).join(" ");
    const sessions = takesSession ? ` $(${SESSIONS}) @last` : "";
    return `    ${name}) words="${words}${sessions}" ;;`;
  });
  const values = flagsOf(commands)
    .filter(({ choices }) => choices.length > 0)
    .map(({ flag, choices }) => `    ${flag}) words="${choices.join(" ")}" ;;`);
  const folders = flagsOf(commands).filter(({ takesFolder }) => takesFolder);
  return `# bash completions of pidex: eval "$(pidex completions bash)"
_pidex() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$previous" in
${values.join("\n")}
    ${folders.map(({ flag }) => flag).join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    completions) words="bash zsh fish" ;;
  esac
  if [ -z "$words" ]; then case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="${commands.map(({ name }) => name).join(" ")}" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _pidex pidex
`;
}

function zsh(commands: Completable[]): string {
  const described = commands.map(({ name, description }) => `    '${name}:${zshText(description)}'`);
  const cases = commands.map(({ name, flags, takesSession }) => {
    const specs = flags.map(({ flag, description, choices, takesFolder, takesValue }) => {
      const value = choices.length > 0 ? `:value:(${choices.join(" ")})` : takesFolder ? ":file:_files" : ":value:";
      return `'${flag}[${zshText(description)}]${takesValue ? value : ""}'`;
    });
    if (takesSession) specs.push("'1:session:_pidex_sessions'");
    if (name === "completions") specs.push("'1:shell:(bash zsh fish)'");
    return `    ${name}) _arguments ${specs.join(" ")} ;;`;
  });
  return `#compdef pidex
# zsh completions of pidex: eval "$(pidex completions zsh)"
_pidex_sessions() { compadd -V sessions -- @last \${(f)"$(${SESSIONS})"} }
_pidex() {
  local -a commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="$words[2]"
  shift words; (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _pidex pidex
`;
}

function fish(commands: Completable[]): string {
  const lines = commands.flatMap(({ name, description, flags, takesSession }) => {
    const inCommand = `complete -c pidex -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c pidex -n __fish_use_subcommand -f -a ${name} -d ${fishText(description)}`,
      ...(takesSession ? [`${inCommand} -f -a '(${SESSIONS.replaceAll("'", "\\'")}; echo @last)'`] : []),
      ...(name === "completions" ? [`${inCommand} -f -a 'bash zsh fish'`] : []),
      ...flags.map(({ flag, description: about, choices, takesFolder, takesValue }) => {
        const value = choices.length > 0 ? ` -x -a '${choices.join(" ")}'` : takesFolder ? " -r" : takesValue ? " -x" : "";
        return `${inCommand} -l ${flag.slice(2)} -d ${fishText(about)}${value}`;
      }),
    ];
  });
  return `# fish completions of pidex: pidex completions fish | source\n${lines.join("\n")}\n`;
}

function flagsOf(commands: Completable[]) {
  const all = commands.flatMap(({ flags }) => flags);
  return [...new Map(all.map((flag) => [flag.flag, flag])).values()];
}

function zshText(text: string): string {
  return text.replaceAll("'", "’").replace(/([[\]:])/g, "\\$1");
}

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
