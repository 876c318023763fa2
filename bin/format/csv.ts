/**
 * One line of CSV as RFC 4180 has it: commas between, CRLF at the end, quotes where a cell needs them. Null is an
 * empty cell, an empty text a quoted one. Text that a spreadsheet would take for a formula begins with an apostrophe:
 * anybody can make a session say something.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && isFormula(cell) ? `'${cell}` : String(cell);
  return text === "" || /[",\r\n]/.test(text) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/** Numbers are none, whatever sign they begin with. The wide signs are those of Chinese and Japanese keyboards. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
}
