/** Buffers keys that are pressed before the picker reads them. */

/** Exit code when no session was selected: as after Ctrl+C in shells, and in fzf. */
export const CANCELLED_EXIT_CODE = 130;

const CTRL_C = 0x03;
const LINE_FEED = 0x0a;
const ENTER = 0x0d;

/**
 * Buffers typed keys until the picker reads them. Handles Ctrl+C, which in raw mode sends no signal: otherwise users could not quit
 * while the process waits for the index.
 *
 * @param leave called when Ctrl+C is pressed
 * @returns a function that returns the buffered keys to stdin for the next reader
 */
export function bufferEarlyKeys(leave: () => void): () => void {
  const chunks: Buffer[] = [];
  const keep = (chunk: Buffer) => {
    if (chunk.includes(CTRL_C)) leave();
    // Before raw mode, the terminal turns Enter into a line feed, which is Ctrl+J later.
    chunks.push(chunk.map((byte) => (byte === LINE_FEED ? ENTER : byte)) as Buffer);
  };
  process.stdin.on("data", keep);
  return () => {
    process.stdin.off("data", keep).pause();
    if (chunks.length > 0) process.stdin.unshift(Buffer.concat(chunks.splice(0)));
  };
}
