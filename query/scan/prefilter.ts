/**
 * A test on the bytes of a line for whether its entry may contain a literal: parsing the line takes fifty times as long.
 * False positives are allowed, false negatives are not.
 */

/** Maximum number of characters of a literal that are searched for. */
const MAX_RUN = 32;

/** A run of characters as JSON writes it, as regular expression sources over bytes read as Latin-1. */
interface Run {
  text: string;
  source: string;
  /** Other ways to write one of the characters; a line that contains one must be parsed. */
  otherwise: Otherwise[];
}

/** Hex digits of a `\u` escape, or any other source. */
type Otherwise = { escape: string } | { source: string };

/**
 * Compiles a pattern that matches every line with an entry that may contain one of the literals, for lines read as Latin-1.
 * Undefined if any line may.
 */
export function compilePrefilter(literals: readonly string[], caseSensitive: boolean): RegExp | undefined {
  const runs = literals.map((literal) => longestRun(literal, caseSensitive));
  const sources = new Set<string>();
  const escapes = new Set([ASCII_ESCAPE]);
  for (const run of runs) {
    if (!run) return undefined;
    sources.add(run.source);
    for (const way of run.otherwise) {
      if ("escape" in way) escapes.add(way.escape);
      else sources.add(way.source);
    }
    if (mayBeInNumber(run.text)) sources.add(ODD_NUMBER);
  }
  sources.add(`\\\\u(?:${[...escapes].join("|")})`);
  return new RegExp([...sources].join("|"), "g");
}

/**
 * Numbers in tool call arguments are searched as JavaScript formats them. This matches numbers that the file may write
 * differently: with an exponent, too many digits, or trailing zeros.
 */
const ODD_NUMBER = String.raw`[:[,][ \t\r]*-?(?:\d{16}|\d+\.\d{16}|0\.000000|\d+\.\d*0(?!\d)|\d[\d.]*[eE])`;

function mayBeInNumber(text: string): boolean {
  return /^[\d.eE+-]+$/.test(text) || "-infinity".includes(text.toLowerCase());
}

/** The longest run of characters that JSON writes in one way, or in a few known ways. */
function longestRun(literal: string, caseSensitive: boolean): Run | undefined {
  let best: Run | undefined;
  let bestWorth = 0;
  let run: Run | undefined;
  let length = 0;
  let worth = 0;
  for (const character of literal) {
    const written = writtenAs(character, caseSensitive);
    if (!written || length === MAX_RUN) run = undefined;
    if (!written) continue;
    if (!run) {
      run = { text: "", source: "", otherwise: [] };
      length = 0;
      worth = 0;
    }
    run.text += character;
    run.source += written.source;
    run.otherwise.push(...written.otherwise);
    length++;
    worth += character > "\x7f" ? 2 : 1;
    if (worth <= bestWorth) continue;
    best = run;
    bestWorth = worth;
  }
  return best;
}

/** `\u0041`: escapes of printable ASCII, which are rare. */
const ASCII_ESCAPE = "00[2-7]";

/** A character in JSON; undefined if there are too many ways to write it, or none. */
function writtenAs(
  character: string,
  caseSensitive: boolean,
): { source: string; otherwise: Otherwise[] } | undefined {
  if (character > "\x7f") return writtenBeyondAscii(character, caseSensitive);
  // Spaces and newlines may come from joining text blocks. Other control characters are too rare to matter.
  if (character <= " ") return undefined;
  if (character === "/") return { source: "/", otherwise: [{ source: String.raw`\\/` }] };
  if (character === '"') return { source: String.raw`\\"`, otherwise: [] };
  if (character === "\\") return { source: String.raw`\\\\`, otherwise: [] };
  if (!/[A-Za-z]/.test(character)) return { source: byteSource(character.charCodeAt(0)), otherwise: [] };
  if (caseSensitive) return { source: character, otherwise: [] };
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const source = `[${upper}${lower}]`;
  // The only characters beyond ASCII that fold to ASCII letters: the Kelvin sign and the long s.
  const twin = lower === "k" ? "\u212a" : lower === "s" ? "\u017f" : undefined;
  return { source, otherwise: twin ? [{ source: bytesSource(twin) }, escapeOf(twin)] : [] };
}

function writtenBeyondAscii(character: string, caseSensitive: boolean) {
  // Lone surrogates have no bytes, and U+FFFD may replace invalid UTF-8.
  if (!character.isWellFormed() || character === "\ufffd") return undefined;
  if (!caseSensitive && /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u.test(character)) {
    return undefined;
  }
  return { source: bytesSource(character), otherwise: [escapeOf(character)] };
}

function bytesSource(character: string): string {
  return [...Buffer.from(character)].map(byteSource).join("");
}

function byteSource(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** `\u00e9` or `\u00E9`; of a surrogate pair the first half is sufficient. */
function escapeOf(character: string): Otherwise {
  const hex = character.charCodeAt(0).toString(16).padStart(4, "0");
  return { escape: hex.replace(/[a-f]/g, (digit) => `[${digit.toUpperCase()}${digit}]`) };
}
