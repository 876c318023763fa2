// biome-ignore-start lint/suspicious/noControlCharactersInRegex: the patterns match them

/** Everything that a terminal may interpret: sequences, control characters, bidi controls and invisible characters. */
const INTERPRETED =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]P^_X][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]+[0-~]|[0-~])?|[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g;

/** Sequences that pi-tui and the picker write. */
const OWN = [
  /^[\r\n\b]$/,
  /^\x1b\[[\d;:]*m$/, // colors and weights
  /^\x1b\[[\d;]*[ABCDEFGHdf]$/, // cursor positions
  /^\x1b\[\d*[JK]$/, // erasing
  /^\x1b\[\?(?:25|7|1000|1006|1049|2004|2026|2031)(?:;(?:25|7|1049|2004|2026|2031))*[hl]$/,
  /^\x1b\]11;\?\x07$/, // the question for the background
  /^\x1b\[(?:>\d+|\?|<\d*)u$/, // keyboard protocol
  /^\x1b\[>4;\d*m$/,
  /^\x1b\[0?c$/, // terminal queries
  /^\x1b\[16t$/, // cell size
  /^\x1b\]8;;(?:\x07|\x1b\\)$/, // the end of a link that was not started
];

// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/**
 * Returns the sequences in a program's output that a terminal interprets and pi-tui does not write, so they come from a
 * session: links with an address, the clipboard (OSC 52), titles, NUL, C1 controls, bidi overrides.
 */
export function foreignSequences(bytes: string): string[] {
  return (bytes.match(INTERPRETED) ?? []).filter((each) => !OWN.some((own) => own.test(each)));
}
