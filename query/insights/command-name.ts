/** What precedes the program that a command is about. */
const PREPARATION = new Set([
  "cd",
  "export",
  "set",
  "source",
  ".",
  "sleep",
  "echo",
  "true",
  "pushd",
  "popd",
  "mkdir",
  ":",
]);
const WRAPPERS = new Set(["sudo", "env", "time", "nohup", "exec", "command"]);
const TIMEOUT = new Set(["timeout", "gtimeout"]);

/** Programs that are named with a subcommand. */
const WITH_SUBCOMMAND = new Set(
  "npm pnpm yarn bun bunx npx deno git gh cargo go docker kubectl make uv pip pip3 poetry gradle mvn dotnet rails bundle swift terraform brew apt apt-get systemctl".split(
    " ",
  ),
);

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const SUBCOMMAND = /^[a-z][a-z0-9:_-]*$/;

/**
 * The program of a shell command, with its subcommand if it has one: `npm run build` for `cd app && npm run build 2>&1 | tail`. Empty
 * for a command without a program.
 */
export function nameCommand(command: string): string {
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    const words = part.trim().split(/\s+/);
    while (words[0] !== undefined && (ASSIGNMENT.test(words[0]) || WRAPPERS.has(words[0]))) words.shift();
    if (TIMEOUT.has(words[0] ?? "")) words.splice(0, 2);
    const [program = "", ...rest] = words;
    if (program === "" || program.startsWith("#") || PREPARATION.has(program)) continue;
    const name = program.split(/[\\/]/).at(-1) ?? program;
    if (!WITH_SUBCOMMAND.has(name)) return name;
    const isRun = rest[0] === "run" || rest[0] === "exec";
    return [name, ...rest.slice(0, isRun ? 2 : 1).filter((word) => SUBCOMMAND.test(word))].join(" ");
  }
  return "";
}
