/** A parsed command line, equal to what commander would return. */
export interface SimpleCommandLine {
  command: "list" | "search";
  args: string[];
  flags: Record<string, unknown>;
}

/** Flags without a value, by the option they set. */
const SWITCHES = {
  list: ["all", "oldest", "text"],
  search: ["flat", "exact", "facets"],
  both: ["json", "ndjson", "here", "named", "labeled", "pinned"],
} as const;

/** Flags with a free-text value, by the option they set. */
const VALUES: Readonly<Record<string, string>> = {
  "--db": "db",
  "--root": "root",
  "--cwd": "cwd",
  "--project": "project",
  "--model": "model",
};

/**
 * Parses the most frequent command lines: `list` and `search` with simple flags. Undefined for all others, including
 * invalid ones, which commander parses. Loading commander and defining its options takes as long as a whole `pidex list`.
 */
export function parseSimpleCommandLine([command, ...words]: readonly string[]):
  | SimpleCommandLine
  | undefined {
  if (command !== "list" && command !== "search") return undefined;
  const switches = new Map([...SWITCHES.both, ...SWITCHES[command]].map((name) => [`--${name}`, name]));
  const args: string[] = [];
  const flags: Record<string, unknown> = { sync: true, ...(command === "list" && { limit: 50 }) };
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as string;
    const name = switches.get(word);
    if (word === "--json" && words[n + 1]?.includes(",")) return undefined; // fields
    if (name !== undefined) flags[name] = true;
    else if (word === "--no-sync") flags.sync = false;
    else if (word === "-n" || word === "--limit") {
      const count = words[++n] ?? "";
      if (!/^[1-9]\d{0,2}$/.test(count)) return undefined;
      flags.limit = Number(count);
    } else if (Object.hasOwn(VALUES, word)) {
      const key = VALUES[word] as string;
      const value = words[++n] ?? "";
      if (value === "" || value.startsWith("-")) return undefined;
      flags[key] = key === "root" ? [...((flags.root as string[] | undefined) ?? []), value] : value;
    } else if (word === "--" && command === "search") {
      args.push(...words.slice(n + 1));
      break;
    } else if (command === "search" && !word.startsWith("-")) args.push(word);
    else return undefined;
  }
  const contradicts = (flags.json && flags.ndjson) || (flags.here && flags.cwd !== undefined);
  return contradicts ? undefined : { command, args, flags };
}
