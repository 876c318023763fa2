import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The text of every session file, by path below the root, in the order of the paths. */
export function readRoot(path: string): Map<string, string> {
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(path, name), "utf8")]));
}
