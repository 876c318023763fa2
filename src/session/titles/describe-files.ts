/** Columns up to which a path is shown whole. */
const MAX_PATH = 40;

/**
 * Names some files: `src/tax.ts`, `tax.ts, rates.ts`, `3 files in src/hub`. Files outside the session's folder only count if there
 * are no others: they are mostly notes and scripts for the moment.
 *
 * @param isMore whether there are more than these
 */
export function describeFiles(paths: readonly string[], cwd: string, isMore = false): string {
  const inside = paths.flatMap((path) => toRelative(path, cwd) ?? []);
  const files = inside.length > 0 ? inside : paths.map((path) => toName(path));
  const [first = "", second = ""] = files;
  if (files.length === 1) return first.length <= MAX_PATH ? first : toName(first);
  const folder = toCommonFolder(files);
  const count = `${files.length}${isMore ? " or more" : ""} files`;
  if (folder !== "") return `${count} in ${folder}`;
  return files.length === 2 ? `${toName(first)}, ${toName(second)}` : count;
}

function toRelative(path: string, cwd: string): string | undefined {
  const folder = cwd.replace(/[\\/]$/, "");
  if (!/^(?:[\\/~]|[a-z]:)/i.test(path)) return path;
  return folder !== "" && path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length))
    ? path.slice(folder.length + 1)
    : undefined;
}

function toName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function toCommonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split(/[\\/]/).slice(0, -1));
  let length = first.length;
  for (const names of others) {
    let common = 0;
    while (common < length && names[common] === first[common]) common++;
    length = common;
  }
  return first.slice(0, length).join("/");
}
