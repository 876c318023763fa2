/** The tools of the server: their names and descriptions, and the requests they make. */
import type { McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import { type AgentRequest, REQUESTS, type RequestInput, type RequestName } from "../agents/requests.ts";
import { formatError } from "./format-error.ts";
import type { LazyIndex } from "./lazy-index.ts";

/** All tools are read-only. */
const READS_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

interface Tool {
  name: string;
  title: string;
  description: string;
  request: RequestName;
}

const TOOLS: readonly Tool[] = [
  {
    name: "search_sessions",
    title: "Search past sessions",
    description:
      "Searches past coding-agent sessions (messages, tool calls, output), best matches first. Use it before solving something " +
      "that may have been solved before: an earlier fix, a decision, a command that worked. Read hits with read_session.",
    request: "search",
  },
  {
    name: "list_sessions",
    title: "List past sessions",
    description: "Lists past sessions of one project or all projects, newest first.",
    request: "list",
  },
  {
    name: "read_session",
    title: "Read a past session",
    description:
      "Reads a session: around an entry (pass a citation path:line#entry from search_sessions), along a branch from its start " +
      "or end, or as an outline (view: outline). Long sessions are paged: pass the cursor to continue.",
    request: "read",
  },
  {
    name: "handoff",
    title: "Get a brief of a past session",
    description:
      "Briefs you on a session, to continue its work: goal, the user's later requests and decisions in their words, what came of " +
      "each, files changed, commands, errors, what was undone and what is open. Every line has a citation for read_session.",
    request: "handoff",
  },
  {
    name: "session_tree",
    title: "Show the tree of a past session",
    description:
      "Shows the branches of a session: branch points, first and last entries, labels, and the current branch.",
    request: "tree",
  },
  {
    name: "sessions_touching_file",
    title: "Find sessions that touched a file",
    description:
      "Finds sessions that read, wrote or edited a file, most recent first, with the entries that did.",
    request: "touching",
  },
  {
    name: "blame_file",
    title: "Show which session wrote lines of a file",
    description:
      "Shows which session, prompt and commit is behind the lines of a file in git, with how sure that is. Use it to find out why code is as it " +
      "is, and read the call with read_session.",
    request: "blame",
  },
  {
    name: "usage_summary",
    title: "Show usage and cost",
    description:
      "Sums cost, tokens, cache use and tool calls of sessions, grouped by day, month, model, project, session, tool and more. " +
      "Entries that forks copied count once.",
    request: "usage",
  },
  {
    name: "session_insights",
    title: "Find where work stalls",
    description:
      "Counts over all sessions: failures, errors and calls that repeat, edits that were undone, slow calls and responses, compactions, " +
      "with what they cost, citations, and the period before. Default: the last 30 days.",
    request: "insights",
  },
];

export function registerTools(server: McpServer, opened: LazyIndex): void {
  for (const { name, title, description, request } of TOOLS) {
    const { params, answer } = REQUESTS[request] as AgentRequest;
    const config = { title, description, inputSchema: params, outputSchema: answer, annotations: READS_ONLY };
    server.registerTool(name, config, async (input: unknown, context: ServerContext) => {
      try {
        const { text, data } = await opened.request(
          request,
          input as RequestInput<RequestName>,
          context,
          name,
        );
        return { content: [{ type: "text", text }], structuredContent: data };
      } catch (error) {
        if (context.mcpReq.signal.aborted) throw error;
        return { content: [{ type: "text", text: formatError(error, name) }], isError: true };
      }
    });
  }
}
