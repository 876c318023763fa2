/**
 * The beginning of a line that takes at most so many columns. What is not plain is counted as two: pi ends where a line is
 * wider than its screen, and what knows all widths is larger than the extension.
 */
export function fitting(text: string, most: number): string {
  let columns = 0;
  let end = 0;
  /** Where there is still room for an ellipsis. */
  let lastFit = 0;
  for (const character of text) {
    columns += columnsOf(character);
    if (columns > most) return most < 2 ? "" : `${text.slice(0, lastFit)}…`;
    end += character.length;
    if (columns <= most - 2) lastFit = end;
  }
  return text;
}

function columnsOf(character: string): number {
  const code = character.codePointAt(0) as number;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa1 && code < 0x300 && code !== 0xad) ? 1 : 2;
}
