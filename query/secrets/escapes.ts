import { findLastSorted } from "../../src/find-last-sorted.ts";

/** A text with its escapes removed, and a mapping of offsets back to the original. */
export interface TextVariant {
  text: string;
  /** Maps a range of this variant to a range of the original text. */
  toSourceRange(start: number, end: number): { start: number; end: number };
}

/** The ESC character: literal, as `cat -v` or pidex prints it, or escaped in code and JSON (nested JSON adds backslashes). */
const ESC = "(?:\\x1b|␛|\\^\\[|\\\\{1,16}(?:[uU](?:0000)?001[bB]|u\\{1[bB]\\}|x1[bB]|0?33|[eE]))";

/** Terminal control sequences, also those that lost their ESC character. */
const TERMINAL = `${ESC}\\[[0-?]{0,40}[ -/]{0,4}[@-~]|${ESC}[()][0AB]|\\x1b[0-~]|\\[[0-9;]{0,40}m\\[K|\\[[0-9;]{1,40}m`;

const STRING_ESCAPE =
  "\\\\{1,16}(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|u\\{[0-9A-Fa-f]{1,6}\\}|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|[abefnrtv0])";

/** `%20`, and `%2520` if it was encoded twice. */
const URL_ESCAPE = "%(?:25){0,4}[0-9A-Fa-f]{2}";

const ANY_ESCAPE = new RegExp(`${TERMINAL}|${STRING_ESCAPE}|${URL_ESCAPE}`);
const EACH_ESCAPE = new RegExp(`(${TERMINAL})|${STRING_ESCAPE}|${URL_ESCAPE}`, "g");
const ENDS_LINE = /\\[nr]$|0[aAdD]$/;

/**
 * Variants of a text that contains escapes. Most escapes end in a letter or digit (`\x1b[31m`, `\n`, `%20`), so a key
 * right after one looks like the middle of a word. The first variant has spaces in place of escapes. The second, for
 * text with terminal sequences only, removes these completely: a color change may be in the middle of a key.
 */
export function decodeVariants(text: string): TextVariant[] {
  if (!ANY_ESCAPE.test(text)) return [];
  const cuts: Cut[] = [];
  let visible = "";
  let removed = 0;
  let end = 0;
  const blanked = text.replace(
    EACH_ESCAPE,
    (sequence: string, terminal: string | undefined, offset: number) => {
      const spaces = " ".repeat(sequence.length - 1) + (ENDS_LINE.test(sequence) ? "\n" : " ");
      visible += text.slice(end, offset) + (terminal ? "" : spaces);
      end = offset + sequence.length;
      if (terminal) {
        removed += sequence.length;
        cuts.push({ offset: visible.length, removed });
      }
      return spaces;
    },
  );
  const readings: TextVariant[] = [{ text: blanked, toSourceRange: (start, end) => ({ start, end }) }];
  if (cuts.length === 0) return readings;
  const back = (start: number, end: number) => ({
    start: start + removedUpTo(cuts, start),
    end: end + removedUpTo(cuts, end - 1),
  });
  readings.push({ text: visible + text.slice(end), toSourceRange: back });
  return readings;
}

/** An offset at which text was removed, and the total removed up to there, in UTF-16 units. */
interface Cut {
  offset: number;
  removed: number;
}

/** UTF-16 units removed up to and including an offset. */
function removedUpTo(cuts: readonly Cut[], offset: number): number {
  return findLastSorted(cuts, (cut) => cut.offset <= offset)?.removed ?? 0;
}
