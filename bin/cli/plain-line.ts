/** What a plain command line says, as commander would read it. */
export interface PlainLine {
  command: "list" | "search";
  args: string[];
  flags: Record<string, unknown>;
}

/** Flags without a value, by what they set. */
const SWITCHES = {
  list: ["all", "oldest", "text"],
  search: ["flat", "exact", "facets"],
  both: ["json", "ndjson", "here", "named", "labelled", "pinned"],
} as const;

/**
 * Reads the command lines that are asked most: `list` and `search` with plain flags. Undefined for all others, wrong ones
 * too: they are for commander, which takes as long to load and to be told of the flags as a list does to be answered.
 */
export function plainLine([command, ...words]: readonly string[]): PlainLine | undefined {
  if (command !== "list" && command !== "search") return undefined;
  const switches = new Map([...SWITCHES.both, ...SWITCHES[command]].map((name) => [`--${name}`, name]));
  const args: string[] = [];
  const flags: Record<string, unknown> = { sync: true, ...(command === "list" && { limit: 50 }) };
  for (let n = 0; n < words.length; n++) {
    const word = words[n] as string;
    const name = switches.get(word);
    if (name !== undefined) flags[name] = true;
    else if (word === "--no-sync") flags.sync = false;
    else if (word === "-n" || word === "--limit") {
      const count = words[++n] ?? "";
      if (!/^[1-9]\d{0,2}$/.test(count)) return undefined;
      flags.limit = Number(count);
    } else if (word === "--db") {
      const file = words[++n] ?? "";
      if (file === "" || file.startsWith("-")) return undefined;
      flags.db = file;
    } else if (command === "search" && !word.startsWith("-")) args.push(word);
    else return undefined;
  }
  return flags.json && flags.ndjson ? undefined : { command, args, flags };
}
