/**
 * Truncates a line to a number of terminal columns. Characters outside Latin scripts count as two columns: pi exits if a line is
 * wider than the screen, and a full width table is larger than this extension.
 */
export function truncateToColumns(text: string, maxColumns: number): string {
  let columns = 0;
  let end = 0;
  /** End of the text that leaves room for an ellipsis. */
  let ellipsisPosition = 0;
  for (const character of text) {
    columns += countColumns(character);
    if (columns > maxColumns) return maxColumns < 2 ? "" : `${text.slice(0, ellipsisPosition)}…`;
    end += character.length;
    if (columns <= maxColumns - 2) ellipsisPosition = end;
  }
  return text;
}

function countColumns(character: string): number {
  const code = character.codePointAt(0) as number;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa1 && code < 0x300 && code !== 0xad) ? 1 : 2;
}
