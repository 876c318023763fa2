import type { Content } from "./entries.ts";
import { isRecord } from "./json.ts";
import type { SystemMessage } from "./session-types.ts";
import { extractContentText } from "./text.ts";

/**
 * Merges all system messages of a context into one: concatenated contents, the last value of each section (null removes it), the
 * current tools. Undefined if there are none. A compaction stores the result, because it replaces those messages.
 */
export function mergeSystemMessages(
  messages: readonly { role?: string | undefined }[],
): SystemMessage | undefined {
  const contents: string[] = [];
  const sections = new Map<string, string>();
  const tools = new Map<unknown, unknown>();
  let first: Lenient | undefined;
  for (const message of messages as readonly Lenient[]) {
    if (message.role !== "system") continue;
    first ??= message;
    const { content } = message;
    const text = extractContentText(Array.isArray(content) ? content.filter(isRecord) : content, "\n");
    if (text !== "") contents.push(text);
    for (const [name, value] of Object.entries(isRecord(message.sections) ? message.sections : {})) {
      if (typeof value === "string") sections.set(name, value);
      else if (value === null) sections.delete(name);
    }
    for (const tool of toTools(message.toolsRemoved)) tools.delete(tool.name);
    for (const tool of toTools(message.toolsAdded)) tools.set(tool.name, tool);
  }
  if (!first) return undefined;
  return {
    role: "system",
    content: contents.join("\n\n"),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: typeof first.timestamp === "number" ? first.timestamp : 0,
  };
}

/** A message as found in a file. */
interface Lenient extends Record<string, unknown> {
  role?: string;
  content?: Content;
}

function toTools(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
