/**
 * About how many tokens a text is: models differ by a fifth and more, so this is an upper bound of what common text takes in
 * the usual vocabularies. Words take a token for four letters, digits and signs one for two, other writing one a character.
 */
export function tokensIn(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += quartersOf(text.charCodeAt(at));
  return Math.ceil(quarters / 4);
}

/**
 * How many characters of a text, from one on, so many tokens are at the most where it is quoted, or written as JSON: half of
 * a pair is never one of them.
 */
export function charactersFor(text: string, from: number, tokens: number): number {
  let quarters = tokens * 4;
  let at = from;
  while (at < text.length) {
    quarters -= quartersAsQuoted(text.charCodeAt(at));
    if (quarters < 0) break;
    at++;
  }
  const isInPair = at < text.length && at > from && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return (isInPair ? at - 1 : at) - from;
}

const [SPACE, NEWLINE, QUOTE, BACKSLASH, LAST_ASCII] = [32, 10, 34, 92, 127];

/** What a UTF-16 unit takes, in quarters of a token. */
function quartersOf(code: number): number {
  if (code > LAST_ASCII) return 4;
  const lower = code | 0x20;
  return code === SPACE || (lower >= 97 && lower <= 122) ? 1 : 2;
}

function quartersAsQuoted(code: number): number {
  if (code === NEWLINE) return 5; // with the mark at the next line's beginning
  if (code === QUOTE || code === BACKSLASH) return 4; // JSON writes them as two
  return code < SPACE ? 12 : quartersOf(code); // and others as six
}

/** How many of some parts, in order, fit into so many tokens, whichever form of them is taken; one always does. */
export function howMany(told: readonly { text: string; data: unknown }[], tokens: number): number {
  let left = tokens;
  let fits = 0;
  for (const { text, data } of told) {
    left -= Math.max(tokensIn(text), tokensIn(JSON.stringify(data)));
    if (left < 0 && fits > 0) break;
    fits++;
  }
  return fits;
}
