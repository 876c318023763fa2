/** A text read in another way, and where in the text itself each place of it is. */
export interface Reading {
  text: string;
  /** From a range in the reading to that in the text. */
  back(start: number, end: number): { start: number; end: number };
}

/** How an escape sign is written: as itself, by `cat -v` and by pidex, and in code and JSON, with more backslashes
 * where JSON lies in JSON. */
const ESC = "(?:\\x1b|␛|\\^\\[|\\\\{1,16}(?:[uU](?:0000)?001[bB]|u\\{1[bB]\\}|x1[bB]|0?33|[eE]))";

/** What sets colours and the like, and what is left of that where the escape sign was lost. */
const TERMINAL = `${ESC}\\[[0-?]{0,40}[ -/]{0,4}[@-~]|${ESC}[()][0AB]|\\x1b[0-~]|\\[[0-9;]{0,40}m\\[K|\\[[0-9;]{1,40}m`;

const WRITTEN =
  "\\\\{1,16}(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|u\\{[0-9A-Fa-f]{1,6}\\}|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|[abefnrtv0])";

/** `%20`, and `%2520` where that was done twice. */
const IN_URL = "%(?:25){0,4}[0-9A-Fa-f]{2}";

const ANY = new RegExp(`${TERMINAL}|${WRITTEN}|${IN_URL}`);
const EACH = new RegExp(`(${TERMINAL})|${WRITTEN}|${IN_URL}`, "g");
const ENDS_LINE = /\\[nr]$|0[aAdD]$/;

/**
 * Other ways to read a text in which something is escaped: most escapes end in a letter or a digit (`\x1b[31m`, `\n`,
 * `%20`), and a key right behind one looks like the middle of a word. In the first reading blanks are where escapes
 * were. In the second, which only a text for a terminal has, nothing is where colours were: they may lie within a key.
 */
export function otherReadings(text: string): Reading[] {
  if (!ANY.test(text)) return [];
  const cuts: Cut[] = [];
  let shown = "";
  let removed = 0;
  let end = 0;
  const blanked = text.replace(EACH, (sign: string, terminal: string | undefined, at: number) => {
    const blanks = " ".repeat(sign.length - 1) + (ENDS_LINE.test(sign) ? "\n" : " ");
    shown += text.slice(end, at) + (terminal ? "" : blanks);
    end = at + sign.length;
    if (terminal) {
      removed += sign.length;
      cuts.push({ at: shown.length, removed });
    }
    return blanks;
  });
  const readings: Reading[] = [{ text: blanked, back: (start, end) => ({ start, end }) }];
  if (cuts.length === 0) return readings;
  const back = (start: number, end: number) => ({
    start: start + removedUpTo(cuts, start),
    end: end + removedUpTo(cuts, end - 1),
  });
  readings.push({ text: shown + text.slice(end), back });
  return readings;
}

/** Where something was taken out, and how much was, from the beginning on. */
interface Cut {
  at: number;
  removed: number;
}

/** How much was taken out up to a place, there included. */
function removedUpTo(cuts: readonly Cut[], place: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] as Cut).at <= place) low = middle + 1;
    else high = middle;
  }
  return cuts[low - 1]?.removed ?? 0;
}
