/** Tool calls counted by tool: "7 tool calls: 4 read, 2 edit, 1 bash failed". Built into the page. */
import type { OutlineKind } from "../../library/index.ts";
import { formatCount, formatInteger, toOneLine } from "./safe.ts";

export interface CallCounts {
  total: number;
  /** Calls of one tool, those that failed apart and last; else the most frequent ones first. */
  each: { tool: string; failed: boolean; count: number }[];
}

/** Tools that are named; the others are counted. */
const MAX_TOOLS = 5;
const MAX_TOOL_LENGTH = 40;

/** Whether an entry is a model response with nothing but thinking and calls. */
export function isOnlyCalls({ role, hasText, failed }: Partial<OutlineKind>): boolean {
  return role === "assistant" && !hasText && !failed;
}

/** Counts the calls by their results. */
export function countCalls(kinds: Iterable<Partial<OutlineKind>>): CallCounts {
  const counts = new Map<string, CallCounts["each"][number]>();
  let total = 0;
  for (const { role, tool = "tool", failed = false } of kinds) {
    if (role !== "toolResult") continue;
    total++;
    const name = `${failed} ${tool}`;
    const known = counts.get(name);
    if (known) known.count++;
    else counts.set(name, { tool, failed, count: 1 });
  }
  const each = [...counts.values()].sort((a, b) => Number(a.failed) - Number(b.failed) || b.count - a.count);
  return { total, each };
}

/** The number of all calls, and the counts of the tools: safe for a terminal. */
export function formatCallCounts({ total, each }: CallCounts) {
  const tools = each.slice(0, MAX_TOOLS).map(({ tool, failed, count }) => ({
    count: formatInteger(count),
    tool: toOneLine(tool.slice(0, MAX_TOOL_LENGTH)),
    failed,
  }));
  const others = each.slice(MAX_TOOLS).reduce((sum, { count }) => sum + count, 0);
  return {
    total: formatCount(total, "tool call"),
    tools,
    others: others > 0 ? `${formatInteger(others)} others` : undefined,
  };
}
