import { type Entry, entryText } from "../../index.ts";
import { oneLine } from "./safe.ts";
import { cut } from "./text.ts";

/** One line that tells what an entry is about, for trees. */
export function preview(entry: Entry, length: number): string {
  const text = entryText(entry);
  const said = text.said || text.called || text.output || text.thought;
  // The entry's kind stands beside it already.
  const aside = asideLine(entry)?.replace(/^\S+ /, "") ?? "";
  const words = entry.type === "label" || said === "" ? aside : said;
  return cut(oneLine(words.slice(0, length * 4)), length);
}

/** What happened, for entries that say nothing but change something. */
export function asideLine(entry: Entry): string | undefined {
  switch (entry.type) {
    case "session_info":
      return `named ${oneLine(entry.name ?? "") || "nothing"}`;
    case "label":
      return `label ${oneLine(entry.label ?? "") || "cleared"} on ${oneLine(String(entry.targetId ?? "?"))}`;
    case "model_change":
      return `model ${oneLine([entry.provider, entry.modelId].filter(Boolean).join("/")) || "?"}`;
    case "thinking_level_change":
      return `thinking ${oneLine(entry.thinkingLevel ?? "") || "?"}`;
    case "context_edit":
      return `context of ${oneLine(String(entry.targetId ?? "?"))} edited`;
    case "usage":
      return `usage ${oneLine([entry.kind, entry.note].filter(Boolean).join(": "))}`.trimEnd();
    default:
      return undefined;
  }
}
