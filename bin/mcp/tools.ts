/** The tools of the server: names, descriptions, schemas and handlers. */
import type { McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { AgentIndex } from "../agents/agent-index.ts";
import type { Answer, RequestOptions } from "../agents/answer.ts";
import {
  ListAnswer,
  ReadAnswer,
  SearchAnswer,
  TouchAnswer,
  TreeAnswer,
  UsageAnswer,
} from "../agents/answers.ts";
import {
  ListParams,
  ReadParams,
  SearchParams,
  TouchParams,
  TreeParams,
  UsageParams,
} from "../agents/params.ts";
import { formatError } from "./format-error.ts";
import type { LazyIndex } from "./lazy-index.ts";
import { toRequestOptions } from "./request-options.ts";

/** All tools are read-only. */
const READS_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

interface Tool<Q extends z.ZodType, A extends z.ZodType> {
  name: string;
  title: string;
  description: string;
  params: Q;
  answer: A;
  run: (index: AgentIndex, params: z.output<Q>, control: RequestOptions) => Promise<Answer<z.output<A>>>;
}

/** Checks that the handler of a tool fits its schemas. */
const tool = <Q extends z.ZodType, A extends z.ZodType>(definition: Tool<Q, A>): Tool<Q, A> => definition;

const TOOLS = [
  tool({
    name: "search_sessions",
    title: "Search past sessions",
    description:
      "Searches past coding-agent sessions (messages, tool calls, output), best matches first. Use it before solving something " +
      "that may have been solved before: an earlier fix, a decision, a command that worked. Read hits with read_session.",
    params: SearchParams,
    answer: SearchAnswer,
    run: (index, params, control) => index.search(params, control),
  }),
  tool({
    name: "list_sessions",
    title: "List past sessions",
    description: "Lists past sessions of one project or all projects, newest first.",
    params: ListParams,
    answer: ListAnswer,
    run: (index, params, control) => index.list(params, control),
  }),
  tool({
    name: "read_session",
    title: "Read a past session",
    description:
      "Reads a session: around an entry (pass a citation path:line#entry from search_sessions), along a branch from its start " +
      "or end, or as an outline (view: outline). Long sessions are paged: pass the cursor to continue.",
    params: ReadParams,
    answer: ReadAnswer,
    run: (index, params, control) => index.read(params, control),
  }),
  tool({
    name: "session_tree",
    title: "Show the tree of a past session",
    description:
      "Shows the branches of a session: branch points, first and last entries, labels, and the current branch.",
    params: TreeParams,
    answer: TreeAnswer,
    run: (index, params, control) => index.tree(params, control),
  }),
  tool({
    name: "sessions_touching_file",
    title: "Find sessions that touched a file",
    description:
      "Finds sessions that read, wrote or edited a file, most recent first, with the entries that did.",
    params: TouchParams,
    answer: TouchAnswer,
    run: (index, params, control) => index.findTouchingSessions(params, control),
  }),
  tool({
    name: "usage_summary",
    title: "Show usage and cost",
    description:
      "Sums cost, tokens, cache use and tool calls of sessions, grouped by day, month, model, project, session, tool and more. " +
      "Entries that forks copied count once.",
    params: UsageParams,
    answer: UsageAnswer,
    run: (index, params, control) => index.usage(params, control),
  }),
];

export function registerTools(server: McpServer, opened: LazyIndex): void {
  // `tool` has checked the types of each; the list needs only the common type.
  for (const definition of TOOLS as unknown as Tool<z.ZodType, z.ZodType>[]) {
    const { name, title, description, params, answer, run } = definition;
    const config = {
      title,
      description,
      inputSchema: params,
      outputSchema: answer,
      annotations: READS_ONLY,
    };
    server.registerTool(name, config, async (input: unknown, context: ServerContext) => {
      try {
        const { text, data } = await run(await opened.open(), input, {
          ...toRequestOptions(context),
          tool: name,
        });
        return { content: [{ type: "text", text }], structuredContent: data as Record<string, unknown> };
      } catch (error) {
        if (context.mcpReq.signal.aborted) throw error;
        return { content: [{ type: "text", text: formatError(error, name) }], isError: true };
      }
    });
  }
}
