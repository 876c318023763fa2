/**
 * Which lines of a session file can hold a literal at all, told from their bytes: parsing a line takes fifty
 * times as long as looking. Says yes too often rather than too seldom.
 */

/** At most so many characters of a literal are looked for. */
const MAX_RUN = 32;

/** What a run of characters looks like in JSON, as sources of a regular expression over bytes as Latin-1. */
interface Run {
  text: string;
  source: string;
  /** Other ways in which a file may write one of the characters: a line that has one must be parsed. */
  otherwise: Otherwise[];
}

/** Hex digits behind a `\u`, or anything else. */
type Otherwise = { escape: string } | { source: string };

/**
 * A pattern that finds something in every line whose entry may hold one of the literals, for lines read as
 * Latin-1; undefined when any line may.
 */
export function linePattern(literals: readonly string[], caseSensitive: boolean): RegExp | undefined {
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
    if (mayBeOfNumber(run.text)) sources.add(ODD_NUMBER);
  }
  sources.add(`\\\\u(?:${[...escapes].join("|")})`);
  return new RegExp([...sources].join("|"), "g");
}

/**
 * Numbers among a tool call's arguments are searched as JavaScript writes them. These are written otherwise in
 * the file: with an exponent, with too many digits, with zeros at the end.
 */
const ODD_NUMBER = String.raw`[:[,][ \t\r]*-?(?:\d{16}|\d+\.\d{16}|0\.000000|\d+\.\d*0(?!\d)|\d[\d.]*[eE])`;

function mayBeOfNumber(text: string): boolean {
  return /^[\d.eE+-]+$/.test(text) || "-infinity".includes(text.toLowerCase());
}

/** The longest run of characters that JSON writes in one way, or in ways that can be told. */
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

/** `\u0041`: printable ASCII, which hardly anybody writes so. */
const ASCII_ESCAPE = "00[2-7]";

/** A character in JSON; undefined for one that may be written in too many ways, or not at all. */
function writtenAs(
  character: string,
  caseSensitive: boolean,
): { source: string; otherwise: Otherwise[] } | undefined {
  if (character > "\x7f") return writtenBeyondAscii(character, caseSensitive);
  // Blanks and newlines may be what text blocks were joined by. Other control characters are not worth it.
  if (character <= " ") return undefined;
  if (character === "/") return { source: "/", otherwise: [{ source: String.raw`\\/` }] };
  if (character === '"') return { source: String.raw`\\"`, otherwise: [] };
  if (character === "\\") return { source: String.raw`\\\\`, otherwise: [] };
  if (!/[A-Za-z]/.test(character)) return { source: byteSource(character.charCodeAt(0)), otherwise: [] };
  if (caseSensitive) return { source: character, otherwise: [] };
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const source = `[${upper}${lower}]`;
  // The two letters beyond ASCII that differ from one of ASCII only in case: the Kelvin sign and the long s.
  const twin = lower === "k" ? "\u212a" : lower === "s" ? "\u017f" : undefined;
  return { source, otherwise: twin ? [{ source: bytesSource(twin) }, escapeOf(twin)] : [] };
}

function writtenBeyondAscii(character: string, caseSensitive: boolean) {
  // A half of a pair has no bytes of its own, and U+FFFD is what bytes that are no UTF-8 were read as.
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

/** `\u00e9` or `\u00E9`; of a pair its first half will do. */
function escapeOf(character: string): Otherwise {
  const hex = character.charCodeAt(0).toString(16).padStart(4, "0");
  return { escape: hex.replace(/[a-f]/g, (digit) => `[${digit.toUpperCase()}${digit}]`) };
}
