import { closeSync, fstatSync } from "node:fs";
import { openToRead } from "../src/session/open-to-read.ts";
import { readSession, START } from "../src/session/read.ts";
import { conversationText } from "../src/session/text.ts";

/**
 * Returns the text of all user and assistant messages of a file, joined by spaces as in pi.
 *
 * @throws the error of `fs` if the file cannot be read
 */
export function sessionText(path: string): string {
  let fd: number | undefined;
  try {
    fd = openToRead(path);
    const texts: string[] = [];
    for (const { entry } of readSession(fd, { ...START }, fstatSync(fd).size)) {
      const text = entry && conversationText(entry);
      if (text) texts.push(text);
    }
    return texts.join(" ");
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
