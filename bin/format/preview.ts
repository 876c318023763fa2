import { type Entry, entryText } from "../../library/index.ts";
import { asideLine } from "./entry-words.ts";
import { oneLine } from "./safe.ts";
import { cut } from "./text.ts";

/** One line that tells what an entry is about, for trees. */
export function preview(entry: Entry, length: number): string {
  const text = entryText(entry);
  const said = text.said || text.called || text.output || text.thought;
  // The entry's kind stands beside it already.
  const told = asideLine(entry) ?? "";
  const aside = entry.type === "custom" ? told : told.replace(/^\S+ /, "");
  const words = entry.type === "label" || said === "" ? aside : said;
  return cut(oneLine(words.slice(0, length * 4)), length);
}
