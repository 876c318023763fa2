import { readAt } from "../../src/session/lines.ts";
import type { Match } from "./text-rule.ts";

/** Bytes of a line that are looked through at once, and those that are seen on either side of them. */
const PIECE = { size: (1 << 20) - (32 << 10), margin: 16 << 10 };

/**
 * The secrets in a line that is not, or cannot be, parsed: torn, no JSON, or longer than is read whole. It is read in
 * pieces, each with a margin around it as wide as any secret, as Latin-1, so that offsets are bytes; JSON's short
 * escapes become what they stand for. Yields after each piece.
 *
 * @throws the error of `fs.readSync` when the file cannot be read
 */
export function* rawSecrets(
  fd: number,
  { offset, length }: { offset: number; length: number },
  find: (text: string) => Match[],
  { size, margin } = PIECE,
): Generator<{ match: Match; secret: string }[]> {
  for (let start = 0; start < length; start += size) {
    const from = Math.max(0, start - margin);
    const wanted = Math.min(length, start + size + margin) - from;
    const bytes = readAt(fd, offset + from, wanted);
    const text = unescaped(bytes.toString("latin1"));
    const found = find(text).filter(
      (match) => from + match.start >= start && from + match.start < start + size,
    );
    yield found.map((match) => ({ match, secret: text.slice(match.start, match.end) }));
    if (bytes.length < wanted) return; // the file is shorter than it was
  }
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: " ", f: " " };

/** JSON's short escapes as what they stand for, behind a blank, so that nothing moves. */
function unescaped(text: string): string {
  return text.replace(/\\(["nrtbf])/g, (_, sign: string) => ` ${ESCAPES[sign] ?? sign}`);
}
