import { fsPath } from "./path-bytes.ts";

/**
 * An argument as a shell reads it back: a single word, on one line, without any character that a terminal acts on. The same
 * form is right in bash, zsh, dash, ksh and fish (3.4 or newer; an older one refuses the line), so that nobody has to know
 * in which shell a printed command will be pasted. On Windows it is for PowerShell.
 */
export function shellWord(argument: string): string {
  return process.platform === "win32" ? powershellWord(argument) : posixWord(argument);
}

/** Characters that no shell gives a meaning, wherever in a word: no `~`, `=` or `%`, which zsh, bash or fish expand. */
const PLAIN = /^(--[\w-]+=)?[\w@+:,./-]+$/;

/** Runs of what is quoted alike. */
const RUNS = /(['\\])|[^'\\]+/g;

/** Characters that a terminal acts on, or that end a line. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

function posixWord(argument: string): string {
  if (PLAIN.test(argument)) return argument;
  // Command substitution drops newlines at the end: they stand as they are then, and the word takes more than a line.
  let end = argument.length;
  while (argument[end - 1] === "\n") end--;
  const [body, ending] = [argument.slice(0, end), argument.slice(end)];
  // A quote or backslash is never inside single quotes: fish takes `\'` and `\\` there for escapes. Outside of them all do.
  const quoted = UNPRINTABLE.test(body)
    ? printed(body)
    : body.replace(RUNS, (run, sign?: string) => (sign === undefined ? `'${run}'` : `\\${sign}`));
  // In double quotes: single quotes side by side are one that is meant in zsh with RC_QUOTES.
  return ending === "" ? quoted || "''" : `${quoted}"${ending}"`;
}

/**
 * `"$(printf …)"`, and not `$'…'`, which fish and dash do not know. The whole word is in a single one: fish 3.6 miscounts
 * quotes between two. What any shell could take for more than itself is an octal number.
 */
function printed(text: string): string {
  const octal = (byte: number) => `\\0${byte.toString(8).padStart(3, "0")}`;
  const bytes = Array.from(Buffer.from(fsPath(text) as string | Buffer), (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w@+:,./ -]/.test(character) ? character : octal(byte);
  });
  return `"$(printf %b '${bytes.join("")}')"`;
}

/** For PowerShell, which takes five characters for single quotes. Each doubled is itself: in a POSIX shell it would vanish, but run nothing. */
export function powershellWord(argument: string): string {
  if (/^[\w./:-]+$/.test(argument)) return argument;
  const runs = argument.match(/[\p{C}\p{Zl}\p{Zp}]|[^\p{C}\p{Zl}\p{Zp}]+/gu) ?? [""];
  const quoted = runs.flatMap((run) =>
    /^[\p{C}\p{Zl}\p{Zp}]$/u.test(run)
      ? Array.from({ length: run.length }, (_, at) => `[char]${run.charCodeAt(at)}`)
      : [`'${run.replace(/['‘’‚‛]/g, "$&$&")}'`],
  );
  const all = quoted.join("+");
  if (!all.startsWith("'")) return `(''+${all})`; // text first, or numbers would be added up
  return quoted.length === 1 ? all : `(${all})`;
}
