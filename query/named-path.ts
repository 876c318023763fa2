/** A session file that a query names, with the line and entry of a citation. */
const CITATION = /^(.*\.jsonl)(?::(\d+))?(?:#.*)?$/;

/** Strips quotes and surrounding punctuation. */
export function toBareName(word: string): string {
  return word.replace(/^[("“<[]+|[)"”>\],;.*]+$/g, "");
}

/** Whether a name is the path or the end of the path of a session file. */
export function isNamedPath(name: string): boolean {
  return CITATION.test(name);
}

/** The path in a name, and the line if it has one. */
export function parseNamedPath(name: string): { path: string; line: number | undefined } {
  const [, path = "", line] = CITATION.exec(name) ?? [];
  return { path, line: line === undefined ? undefined : Number(line) };
}

/** Whether a path is relative to the home folder or the working directory, such as `~/a.jsonl` and `./a.jsonl`. */
export function isRelativeToFolder(path: string): boolean {
  return /^(?:~|\.\.?)[/\\]/.test(path);
}
