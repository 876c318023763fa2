import { toOneLine } from "./safe.ts";

const WORDS: ReadonlyMap<string, string> = new Map([
  ["toolResult", "output"],
  ["bashExecution", "bash"],
  ["pythonExecution", "python"],
  ["fileMention", "files"],
  ["branch_summary", "summary"],
  ["branchSummary", "summary"],
  ["compactionSummary", "summary"],
  ["session_summary", "summary"],
  ["session_info", "name"],
  ["title_change", "name"],
  ["model_change", "model"],
  ["thinking_level_change", "thinking"],
  ["custom_message", "custom"],
  ["context_edit", "context"],
]);

/** Whether entries of a type summarize earlier ones. */
export function isSummary(type: string): boolean {
  return ["compaction", "branch_summary", "session_summary"].includes(type);
}

/** Entries about the session rather than in the conversation: settings, names, labels, and the data of extensions. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  ...["custom", "label", "session_info", "title_change", "model_change", "thinking_level_change"],
  ...["session_init", "usage", "model_usage", "child_usage_attributed"],
]);

/** Whether entries of a type are not in the conversation. At the end of a branch, trees leave them out. */
export function isHousekeeping(type: string): boolean {
  return HOUSEKEEPING.has(type);
}

/** One word for the kind of an entry, safe for a terminal: the role of a message, else the type. */
export function entryKind({ role, type }: { role?: string | null | undefined; type: string }): string {
  const kind = role ?? type;
  return toOneLine(WORDS.get(kind) ?? kind);
}
