import { type Entry, extractEntryText } from "../../library/index.ts";
import { toOneLine } from "./safe.ts";
import { truncate } from "./text.ts";
import { toTranscript } from "./transcript.ts";

/** An entry on one line, for trees, which show its kind beside it. */
export function formatPreview(entry: Entry, length: number): string {
  const { said, called, output, thought } = extractEntryText(entry);
  const text = said || called || output || thought;
  const shown = text === "" || entry.type === "label" ? noticeText(entry) : text;
  return truncate(toOneLine(shown.slice(0, length * 4)), length);
}

/** A notice without its first word, which repeats the kind of the entry. */
function noticeText(entry: Entry): string {
  const [part] = toTranscript(entry).parts;
  if (part?.kind !== "notice" || entry.type === "message") return "";
  return entry.type === "custom" ? part.text : part.text.replace(/^\S+ /, "");
}
