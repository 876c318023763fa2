// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for

/** All that a terminal may obey rather than show: sequences, control characters, what turns text around or hides in it. */
const OBEYED =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]P^_X][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]+[0-~]|[0-~])?|[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g;

/** What the picker's own layer may write. */
const OWN = [
  /^[\r\n\b]$/,
  /^\x1b\[[\d;:]*m$/, // colors and weights
  /^\x1b\[[\d;]*[ABCDEFGHdf]$/, // where the cursor goes
  /^\x1b\[\d*[JK]$/, // what is erased
  /^\x1b\[\?(?:25|7|1049|2004|2026|2031)(?:;(?:25|7|1049|2004|2026|2031))*[hl]$/,
  /^\x1b\[(?:>\d+|\?|<\d*)u$/, // which keyboard protocol
  /^\x1b\[>4;\d*m$/,
  /^\x1b\[0?c$/, // what the terminal is
  /^\x1b\[16t$/, // how large a cell is
  /^\x1b\]8;;(?:\x07|\x1b\\)$/, // the end of a link, of which none began
];

// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/**
 * What a program wrote to its terminal that the terminal obeys and the picker's own layer has no use for: what came from
 * a session. Links with an address, the clipboard (OSC 52), titles, NUL, C1 controls, bidirectional overrides.
 */
export function foreignSequences(bytes: string): string[] {
  return (bytes.match(OBEYED) ?? []).filter((each) => !OWN.some((own) => own.test(each)));
}
