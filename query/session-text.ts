import { openForReading } from "../src/session/open-for-reading.ts";
import { INITIAL_READ_STATE, readSession } from "../src/session/read.ts";
import { closeBytes, getByteCount, type SessionBytes } from "../src/session/session-bytes.ts";
import { extractConversationText } from "../src/session/text.ts";

/**
 * Returns the text of all user and assistant messages of a file, joined by spaces as in pi.
 *
 * @throws the error of `fs` if the file cannot be read
 */
export function readSessionText(path: string): string {
  let fd: SessionBytes | undefined;
  try {
    fd = openForReading(path);
    const texts: string[] = [];
    for (const { entry } of readSession(fd, { ...INITIAL_READ_STATE }, getByteCount(fd))) {
      const text = entry && extractConversationText(entry);
      if (text) texts.push(text);
    }
    return texts.join(" ");
  } finally {
    if (fd !== undefined) closeBytes(fd);
  }
}
