/** A path in the output of git: quoted like a string in C if it contains special characters; in patches followed by a tab if it contains a blank. */
export function unquotePath(path: string): string {
  if (!path.startsWith('"')) return path.replace(/\t$/, "");
  const bytes: number[] = [];
  const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
  for (const [, octal, letter, other] of path.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(other ?? ""));
  }
  return Buffer.from(bytes).toString();
}
