/** An argument as a POSIX shell reads it back, on one line and without anything that a terminal obeys. */
export function shellWord(argument: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(argument) && !/^[~=]/.test(argument)) return argument;
  // With a tab or a newline too, what is printed would no longer be one line to copy.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(argument)) return ansiQuoted(argument);
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** `$'…'`, which bash, zsh and ksh read, so that control characters never go out raw. */
function ansiQuoted(argument: string): string {
  const bytes = Buffer.from(argument, "utf8");
  // Octal with three digits: after hexadecimal ones, a letter that follows could be taken for one more.
  const escaped = Array.from(bytes, (byte) =>
    byte < 0x20 || byte >= 0x7f || byte === 0x27 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte),
  );
  return `$'${escaped.join("")}'`;
}
