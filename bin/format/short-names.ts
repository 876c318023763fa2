/**
 * Each path with the shortest unique suffix of its components, which `--project` accepts. `whole` formats paths that
 * eight components don't make unique.
 */
export function toShortestUniquePaths(
  paths: readonly string[],
  whole: (path: string) => string = (path) => path,
): Map<string, string> {
  const distinct = [...new Set(paths)];
  const tail = (path: string, names: number) => path.split(/[/\\]/).filter(Boolean).slice(-names).join("/");
  const short = new Map<string, string>();
  let left = distinct;
  for (let names = 1; left.length > 0 && names <= 8; names++) {
    const alike = Map.groupBy(left, (path) => tail(path, names));
    for (const [end, [path, ...others]] of alike) {
      if (path !== undefined && others.length === 0 && end !== "") short.set(path, end);
    }
    left = left.filter((path) => !short.has(path));
  }
  for (const path of left) short.set(path, whole(path));
  return short;
}
