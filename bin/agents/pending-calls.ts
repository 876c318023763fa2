/**
 * Finds the sessions with a pending call of a tool. Agents don't send an MCP server the session that calls a tool, but they
 * write the call to its file before making it, and the result afterwards.
 */
import { type IndexQueries, PidexError } from "../../library/index.ts";
import { readLastLines } from "../../library/internal.ts";

/** Maximum age of a call, in milliseconds: an older call without a result belongs to an agent that has quit. */
const MAX_AGE_MS = 60 * 60_000;

/** Maximum number of sessions examined, newest first: few agents run at the same time. */
const MAX_SESSIONS = 20;

/** Sizes of the file's tail to read, in bytes, until it contains the last model response, which the results of other calls may follow. */
const TAIL_BYTES = [64 << 10, 1 << 20, 16 << 20];

/**
 * Returns the files of sessions with a last response that calls this tool and has no result yet. Sync the index first.
 *
 * @param tool the tool's name on its server
 */
export async function findCallingSessions(index: IndexQueries, tool: string): Promise<string[]> {
  const { sessions } = await index.listAll({
    ...{ archived: "yes", subagents: "yes", sort: "modified" },
    ...{ since: Date.now() - MAX_AGE_MS, limit: MAX_SESSIONS },
  });
  return sessions.map(({ path }) => path).filter((path) => isCalling(path, tool));
}

/** Reads the file instead of the index: only its end matters, however long it is. */
function isCalling(path: string, tool: string): boolean {
  try {
    for (const bytes of TAIL_BYTES) {
      const { lines, isAll } = readLastLines(path, bytes);
      const found = findPendingCall(lines, tool);
      if (found !== undefined) return found;
      if (isAll) return false;
    }
    return false;
  } catch (error) {
    // Deleted since the sync or unreadable, so no agent is writing to it.
    if (error instanceof PidexError) return false;
    throw error;
  }
}

/** Whether the last response has a pending call of the tool; undefined if these lines hold no response and no user message. */
function findPendingCall(lines: readonly string[], tool: string): boolean | undefined {
  const answered = new Set<unknown>();
  for (const line of lines) {
    const { role, content, toolCallId } = parseMessage(line);
    if (role === "toolResult") answered.add(toolCallId);
    if (role === "user") return false;
    if (role !== "assistant") continue;
    const calls = Array.isArray(content) ? content.filter(isCall) : [];
    return calls.some((call) => !answered.has(call.id) && isCallOf(call, tool));
  }
  return undefined;
}

interface Message {
  role?: unknown;
  content?: unknown;
  toolCallId?: unknown;
}

/** The message on a line; an empty object for a torn line or another kind of entry. */
function parseMessage(line: string): Message {
  try {
    const entry = JSON.parse(line);
    return (entry?.type === "message" && entry.message) || {};
  } catch {
    return {};
  }
}

interface Call {
  type: "toolCall";
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
}

const isCall = (block: unknown): block is Call => (block as Call | null)?.type === "toolCall";

/** Matches the tool's own name, `mcp__SERVER__TOOL`, and a script or proxy tool that has the name in its arguments. */
function isCallOf({ name, arguments: args }: Call, tool: string): boolean {
  return String(name).endsWith(tool) || JSON.stringify(args ?? null).includes(tool);
}
