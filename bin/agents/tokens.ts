/**
 * About how many tokens a text is: models differ by a fifth and more, so this is an upper bound of what common text takes in
 * the usual vocabularies. Words take a token for four letters, digits and signs one for two, other writing one a character.
 */
export function tokensIn(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) quarters += 4;
    else if (isLetterOrSpace(code)) quarters += 1;
    else quarters += 2;
  }
  return Math.ceil(quarters / 4);
}

function isLetterOrSpace(code: number): boolean {
  const lower = code | 32;
  return code === 32 || (lower >= 97 && lower <= 122);
}

/** How many characters of a text, from one on, so many tokens are at the most: half of a pair is never one of them. */
export function charactersFor(text: string, from: number, tokens: number): number {
  let quarters = tokens * 4;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    quarters -= code > 127 ? 4 : isLetterOrSpace(code) ? 1 : 2;
    if (quarters < 0) break;
    at++;
  }
  const isInPair = at < text.length && at > from && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return (isInPair ? at - 1 : at) - from;
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
