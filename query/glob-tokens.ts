/** Tokens of a glob. `**` is special only as a whole name; `]` may be the first character of a class. */
const TOKEN =
  /(?<folders>(?<=^|[/{,])\*\*\/)|(?<anything>(?<=^|[/{,])\*\*(?=$|[,}]))|\*+|\[(?:[!^][\s\S]|[^!^])[^\]]*\]|[\s\S]/gu;

/** A part of a glob. */
export interface GlobToken {
  text: string;
  special: "folders" | "anything" | undefined;
  /** Whether it is a brace with a partner, or a comma between alternatives in braces. */
  isGrouping: boolean;
}

export function tokenizeGlob(glob: string): GlobToken[] {
  const tokens = [...glob.matchAll(TOKEN)];
  const braces = findPairedBraces(tokens.map(([token]) => token));
  let depth = 0;
  return tokens.map(({ 0: text, groups }, n) => {
    const special =
      groups?.folders !== undefined ? "folders" : groups?.anything !== undefined ? "anything" : undefined;
    if (braces.has(n)) depth += text === "{" ? 1 : -1;
    return { text, special, isGrouping: braces.has(n) || (text === "," && depth > 0) };
  });
}

/** Indexes of the braces that open or close a group, that is, those with a partner. */
function findPairedBraces(tokens: readonly string[]): Set<number> {
  const open: number[] = [];
  const paired = new Set<number>();
  tokens.forEach((token, n) => {
    if (token === "{") open.push(n);
    const partner = token === "}" ? open.pop() : undefined;
    if (partner !== undefined) paired.add(partner).add(n);
  });
  return paired;
}

/** A glob of alternatives: texts to match literally, and globs. */
export function joinGlobs({ texts, globs }: { texts: readonly string[]; globs: readonly string[] }): string {
  const alternatives = [
    ...texts.map((text) => text.replace(/[*?[{},]/g, "[$&]")),
    ...globs.map(toAlternative),
  ];
  return `{${alternatives.join(",")}}`;
}

/** Escapes the braces and commas of a glob that are literal, and would not be within other braces. */
function toAlternative(glob: string): string {
  return tokenizeGlob(glob)
    .map(({ text, isGrouping }) => (/^[{},]$/.test(text) && !isGrouping ? `[${text}]` : text))
    .join("");
}
