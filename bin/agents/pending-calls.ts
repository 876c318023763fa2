/**
 * The sessions that wait for a tool right now. pi and other agents tell an MCP server nothing about the session that calls a
 * tool, but they write the call to its file before they make it, and the result after.
 */
import { type Index, PidexError } from "../../library/index.ts";
import { readLastLines } from "../../library/internal.ts";

/** How old a call may be, in milliseconds: an older one without a result is of an agent that was ended. */
const MAX_AGE_MS = 60 * 60_000;

/** How many sessions are looked at, the newest first: agents that work at the same time are few. */
const MAX_SESSIONS = 20;

/** How much of a file's end is read, in bytes, until a model's last answer is in it: behind it are the results of its other calls. */
const TAIL_BYTES = [64 << 10, 1 << 20, 16 << 20];

/**
 * The files of the sessions whose last calls include one of this tool that has no result yet. Call it once the index is up
 * to date.
 *
 * @param tool the tool's name, as its server calls it
 */
export async function sessionsCalling(index: Index, tool: string): Promise<string[]> {
  const { sessions } = await index.listAll({
    ...{ archived: "yes", subagents: "yes", sort: "modified" },
    ...{ since: Date.now() - MAX_AGE_MS, limit: MAX_SESSIONS },
  });
  return sessions.map(({ path }) => path).filter((path) => isCalling(path, tool));
}

/** Of the file, and not of the index: only its end counts, however long it is. */
function isCalling(path: string, tool: string): boolean {
  try {
    for (const bytes of TAIL_BYTES) {
      const { lines, isAll } = readLastLines(path, bytes);
      const found = lookAtEnd(lines, tool);
      if (found !== undefined) return found;
      if (isAll) return false;
    }
    return false;
  } catch (error) {
    // Deleted since the sync, or not readable: then no agent writes to it.
    if (error instanceof PidexError) return false;
    throw error;
  }
}

/** Whether the last answer calls the tool and waits for it; undefined where no answer and no person's words are in these lines. */
function lookAtEnd(lines: readonly string[], tool: string): boolean | undefined {
  const answered = new Set<unknown>();
  for (const line of lines) {
    const { role, content, toolCallId } = messageOf(line);
    if (role === "toolResult") answered.add(toolCallId);
    if (role === "user") return false;
    if (role !== "assistant") continue;
    const calls = Array.isArray(content) ? content.filter(isCall) : [];
    return calls.some((call) => !answered.has(call.id) && isOf(call, tool));
  }
  return undefined;
}

interface Message {
  role?: unknown;
  content?: unknown;
  toolCallId?: unknown;
}

/** The message on a line, without fields where there is none: a torn line, another entry. */
function messageOf(line: string): Message {
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

/** A call by the tool's own name or `mcp__SERVER__TOOL`, or of a tool that is given the name: a script, a proxy. */
function isOf({ name, arguments: given }: Call, tool: string): boolean {
  return String(name).endsWith(tool) || JSON.stringify(given ?? null).includes(tool);
}
