/**
 * One line of CSV by RFC 4180. Null is an empty cell, "" a quoted one. Text that a spreadsheet would take for a formula
 * gets an apostrophe in front, because session text is untrusted.
 */
export function formatCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && isFormula(cell) ? `'${cell}` : String(cell);
  return text === "" || /[",\r\n]/.test(text) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/** Numbers are not formulas, whatever their sign. The full-width signs are those of Chinese and Japanese keyboards. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
}
