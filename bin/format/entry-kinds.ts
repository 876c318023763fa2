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

/** One word for the kind of an entry, safe for a terminal: the role of a message, else the type. */
export function entryKind({ role, type }: { role?: string | null | undefined; type: string }): string {
  const kind = role ?? type;
  return toOneLine(WORDS.get(kind) ?? kind);
}
