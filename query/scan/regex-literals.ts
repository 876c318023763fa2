/**
 * Analyzes the text of a regular expression: literals that every match contains, whether it contains uppercase letters, and the
 * expression without assertions such as `^` and `\b`. Expects a pattern that RE2 accepts.
 */

type Token =
  | { kind: "literal"; source: string; text: string }
  /** One character of a set: `.`, `\d`, `[a-z]`. */
  | { kind: "class"; source: string }
  | { kind: "assertion"; source: string }
  | { kind: "open" | "close" | "or" | "flags"; source: string }
  | { kind: "repeat"; source: string; min: number };

/** Maximum number of alternatives. */
const MAX_ALTERNATIVES = 16;

/**
 * Returns literals of which every match contains at least one; undefined if unknown. Conservative: optional parts are
 * ignored, and a pattern that sets `(?i)` inside has none.
 */
export function extractRequiredLiterals(regex: string): string[] | undefined {
  const tokens = tokensOf(regex);
  if (tokens.some(({ kind, source }) => isFlags(kind, source) && source.includes("i"))) return undefined;
  return alternatives(tokens.values());
}

/** The text that a regular expression matches if it is characters as they are, and escaped punctuation: `a\.b` is `a.b`. */
export function toPlainText(regex: string): string | undefined {
  const tokens = tokensOf(regex);
  const isPlain = tokens.every(
    ({ kind, source }) => kind === "literal" && /^(?:\\[!-/:-@[-`{-~]|[^\\])$/u.test(source),
  );
  return isPlain ? tokens.map((token) => (token.kind === "literal" ? token.text : "")).join("") : undefined;
}

/** Whether a literal letter is uppercase: `\S` and `\p{Lu}` do not count. */
export function hasUpperCase(regex: string): boolean {
  return tokensOf(regex).some((token) => {
    if (token.kind === "literal") return /\p{Lu}/u.test(token.text);
    return token.source.startsWith("[") && /\p{Lu}/u.test(token.source.replace(ESCAPES, ""));
  });
}

/** Removes the assertions, so that the result matches "" if the pattern ever can. */
export function removeAssertions(regex: string): string {
  return tokensOf(regex)
    .map(({ kind, source }) => (kind === "assertion" ? "(?:)" : source))
    .join("");
}

function isFlags(kind: Token["kind"], source: string): boolean {
  return kind === "flags" || (kind === "open" && /^\(\?[a-zA-Z-]+:/.test(source));
}

/** Parses up to the end or the `)`. Returns the best literals of each branch; undefined if a branch has none. */
function alternatives(tokens: Iterator<Token>): string[] | undefined {
  const branches: (string[] | undefined)[] = [];
  let options: string[][] = [];
  /** What the last token requires; a following repeat may make it optional. */
  let last: { text?: string; group?: string[] } = {};
  let run = "";
  const endRun = () => {
    if (run) options.push([run]);
    run = "";
  };
  const commit = () => {
    if (last.text !== undefined) run += last.text;
    else endRun();
    if (last.group) options.push(last.group);
    last = {};
  };
  const endBranch = () => {
    commit();
    endRun();
    branches.push(best(options));
    options = [];
  };
  for (let next = tokens.next(); !next.done && next.value.kind !== "close"; next = tokens.next()) {
    const token = next.value;
    if (token.kind === "repeat") {
      if (token.min === 0) last = {};
      commit();
      endRun();
      continue;
    }
    commit();
    if (token.kind === "or") endBranch();
    else if (token.kind === "open") last = { group: alternatives(tokens) };
    else if (token.kind === "literal") last = { text: token.text };
  }
  endBranch();
  const all = new Set<string>();
  for (const branch of branches) {
    if (!branch) return undefined;
    for (const literal of branch) all.add(literal);
  }
  return all.size > MAX_ALTERNATIVES ? undefined : [...all];
}

/** The option with the longest shortest literal, not counting across white space. */
function best(options: readonly string[][]): string[] | undefined {
  const worth = (literals: string[]) => Math.min(...literals.map(longestWord));
  return options.toSorted((a, b) => worth(b) - worth(a))[0];
}

function longestWord(literal: string): number {
  return Math.max(...literal.split(/\s/).map(({ length }) => length));
}

const ESCAPES = /\\(?:[pP]\{[^}]*\}|x\{[^}]*\}|[\s\S])/g;
const CONTROLS: Record<string, string> = {
  a: "\x07",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const SYNTAX: [RegExp, (match: RegExpExecArray) => Token[]][] = [
  [/\\Q([\s\S]*?)(?:\\E|$)/y, ([source, text = ""]) => quoted(source, text)],
  [
    /\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/y,
    ([source, long, short]) => [{ kind: "literal", source, text: characterOf(long ?? short ?? "") }],
  ],
  [/\\(?:[dDsSwW]|[0-7]{1,3}|[pP](?:\{[^}]*\}|.))|\./y, ([source]) => [{ kind: "class", source }]],
  [/\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]/y, ([source]) => [{ kind: "class", source }]],
  [/\\[bBAz]|[$^]/y, ([source]) => [{ kind: "assertion", source }]],
  [/\\([\s\S])/y, ([source, text = ""]) => [{ kind: "literal", source, text: CONTROLS[text] ?? text }]],
  [/\(\?[a-zA-Z-]*\)/y, ([source]) => [{ kind: "flags", source }]],
  [/\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/y, ([source]) => [{ kind: "open", source }]],
  [/\)/y, ([source]) => [{ kind: "close", source }]],
  [/\|/y, ([source]) => [{ kind: "or", source }]],
  [/[*?]\??/y, ([source]) => [{ kind: "repeat", source, min: 0 }]],
  [/\+\??/y, ([source]) => [{ kind: "repeat", source, min: 1 }]],
  [
    /\{(0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?\}\??/y,
    ([source, min]) => [{ kind: "repeat", source, min: Number(min) }],
  ],
  [/[\s\S]/uy, ([source]) => [{ kind: "literal", source, text: source }]],
];

function tokensOf(regex: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < regex.length; ) {
    for (const [syntax, read] of SYNTAX) {
      syntax.lastIndex = at;
      const match = syntax.exec(regex);
      if (!match) continue;
      tokens.push(...read(match));
      at += match[0].length;
      break;
    }
  }
  return tokens;
}

/** `\Qa.b\E`: one literal token per character, so that a following repeat applies to the last. */
function quoted(source: string, text: string): Token[] {
  return Array.from(text, (character, n) => ({
    kind: "literal",
    source: n === 0 ? source : "",
    text: character,
  }));
}

function characterOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
