import { encodePath } from "./path-bytes.ts";

/**
 * Quotes an argument for the shell: one word, without characters that a terminal interprets, on one line unless the argument
 * ends in newlines. The same text works in bash, zsh, dash, ksh and fish (3.4 or newer; older versions report an error),
 * because pidex doesn't know where a printed command will be pasted. On Windows it is quoted for PowerShell.
 */
export function quoteForShell(argument: string): string {
  return process.platform === "win32" ? quoteForPowerShell(argument) : posixWord(argument);
}

/** Characters without a special meaning in any of these shells. Not `~`, `=` or `%`, which zsh, bash or fish expand. */
const PLAIN = /^(--[\w-]+=)?[\w@+:,./-]+$/;

/** A quote or backslash, or a run of other characters. */
const RUNS = /(['\\])|[^'\\]+/g;

/** Characters that a terminal interprets, or that end a line. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

function posixWord(argument: string): string {
  if (PLAIN.test(argument)) return argument;
  // Command substitution strips trailing newlines, so they are appended unescaped.
  let end = argument.length;
  while (argument[end - 1] === "\n") end--;
  const [body, ending] = [argument.slice(0, end), argument.slice(end)];
  // Quotes and backslashes stay outside single quotes, where every shell reads `\'` and `\\` as escapes: inside, only fish does.
  const quoted = UNPRINTABLE.test(body)
    ? printed(body)
    : body.replace(RUNS, (run, sign?: string) => (sign === undefined ? `'${run}'` : `\\${sign}`));
  // In double quotes, because zsh with RC_QUOTES reads two adjacent single quotes as an escaped one.
  return ending === "" ? quoted || "''" : `${quoted}"${ending}"`;
}

/**
 * `"$(printf …)"`, because fish and dash do not have `$'…'`. One substitution for the whole word: fish 3.6 miscounts
 * quotes between two. Characters that any shell could interpret are written in octal.
 */
function printed(text: string): string {
  const octal = (byte: number) => `\\0${byte.toString(8).padStart(3, "0")}`;
  const bytes = Array.from(Buffer.from(encodePath(text) as string | Buffer), (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w@+:,./ -]/.test(character) ? character : octal(byte);
  });
  return `"$(printf %b '${bytes.join("")}')"`;
}

/** Quotes for PowerShell, which has five kinds of single quote, each escaped by doubling. In a POSIX shell the result executes nothing. */
export function quoteForPowerShell(argument: string): string {
  if (/^[\w./:-]+$/.test(argument)) return argument;
  const runs = argument.match(/[\p{C}\p{Zl}\p{Zp}]|[^\p{C}\p{Zl}\p{Zp}]+/gu) ?? [""];
  const quoted = runs.flatMap((run) =>
    /^[\p{C}\p{Zl}\p{Zp}]$/u.test(run)
      ? Array.from({ length: run.length }, (_, n) => `[char]${run.charCodeAt(n)}`)
      : [`'${run.replace(/['‘’‚‛]/g, "$&$&")}'`],
  );
  const all = quoted.join("+");
  if (!all.startsWith("'")) return `(''+${all})`; // text first, or the characters would be added as numbers
  return quoted.length === 1 ? all : `(${all})`;
}
