import { readAt } from "../../src/session/lines.ts";
import type { SessionBytes } from "../../src/session/session-bytes.ts";
import type { Match } from "./text-rule.ts";

/** Bytes of a line searched at once, and bytes of context on either side. */
const WINDOW = { size: (1 << 20) - (32 << 10), margin: 16 << 10 };

/**
 * The secrets in a line that can't be parsed: torn, not JSON, or too long. Reads it in windows, each with a margin as
 * wide as any secret, as Latin-1 so that offsets are bytes. JSON's short escapes are decoded. Yields after each window.
 *
 * @throws the error of `fs.readSync` when the file cannot be read
 */
export function* findSecretsInRawLine(
  fd: SessionBytes,
  { offset, length }: { offset: number; length: number },
  find: (text: string) => Match[],
  { size, margin } = WINDOW,
): Generator<{ match: Match; secret: string }[]> {
  for (let start = 0; start < length; start += size) {
    const from = Math.max(0, start - margin);
    const windowLength = Math.min(length, start + size + margin) - from;
    const bytes = readAt(fd, offset + from, windowLength);
    const text = unescaped(bytes.toString("latin1"));
    const found = find(text).filter(
      (match) => from + match.start >= start && from + match.start < start + size,
    );
    yield found.map((match) => ({ match, secret: text.slice(match.start, match.end) }));
    if (bytes.length < windowLength) return; // the file has been truncated
  }
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: " ", f: " " };

/** Decodes JSON's short escapes to a space and the character, so that offsets stay the same. */
function unescaped(text: string): string {
  return text.replace(/\\(["nrtbf])/g, (_, sign: string) => ` ${ESCAPES[sign] ?? sign}`);
}
