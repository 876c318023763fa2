/** The tools of the server: what each is called, what it takes and gives, and how it is answered. */
import type { McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { AgentIndex } from "../agents/agent-index.ts";
import type { Answer, Control } from "../agents/answer.ts";
import {
  ListAnswer,
  ReadAnswer,
  SearchAnswer,
  TouchAnswer,
  TreeAnswer,
  UsageAnswer,
} from "../agents/answers.ts";
import {
  ListQuestion,
  ReadQuestion,
  SearchQuestion,
  TouchQuestion,
  TreeQuestion,
  UsageQuestion,
} from "../agents/questions.ts";
import { controlOf } from "./control.ts";
import { wordsOf } from "./failure.ts";
import type { Opened } from "./opened.ts";

/** None of them changes anything, here or elsewhere. */
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
  question: Q;
  answer: A;
  ask: (index: AgentIndex, question: z.output<Q>, control: Control) => Promise<Answer<z.output<A>>>;
}

/** Holds the schemas of a tool and what answers it together. */
const tool = <Q extends z.ZodType, A extends z.ZodType>(one: Tool<Q, A>): Tool<Q, A> => one;

const TOOLS = [
  tool({
    name: "search_sessions",
    title: "Search past sessions",
    description:
      "Finds past coding-agent sessions by what was said, called and put out in them, best first. Ask this before solving " +
      "something anew: how was it done last time, what was decided, which command worked. Read on with read_session.",
    question: SearchQuestion,
    answer: SearchAnswer,
    ask: (index, question, control) => index.search(question, control),
  }),
  tool({
    name: "list_sessions",
    title: "List past sessions",
    description: "Lists past sessions, newest first, of one project or of all.",
    question: ListQuestion,
    answer: ListAnswer,
    ask: (index, question, control) => index.list(question, control),
  }),
  tool({
    name: "read_session",
    title: "Read a past session",
    description:
      "Reads what stands in a session: around an entry (give a citation path:line#entry from search_sessions), along a branch " +
      "from its start or end, or in outline (view: outline). Long sessions come in pages: go on with the cursor.",
    question: ReadQuestion,
    answer: ReadAnswer,
    ask: (index, question, control) => index.read(question, control),
  }),
  tool({
    name: "session_tree",
    title: "Tree of a past session",
    description: "Shows where a session's branches part, begin and end, and which of them was gone on with.",
    question: TreeQuestion,
    answer: TreeAnswer,
    ask: (index, question, control) => index.tree(question, control),
  }),
  tool({
    name: "sessions_touching_file",
    title: "Sessions that touched a file",
    description:
      "Finds the sessions that read, wrote or edited a file, the last one first, with the entries that did.",
    question: TouchQuestion,
    answer: TouchAnswer,
    ask: (index, question, control) => index.touching(question, control),
  }),
  tool({
    name: "usage_summary",
    title: "What sessions cost",
    description:
      "Sums up cost, tokens, cache and tool calls of sessions, broken down by day, month, model, project, session, tool and more. " +
      "What forks copied counts once.",
    question: UsageQuestion,
    answer: UsageAnswer,
    ask: (index, question, control) => index.usage(question, control),
  }),
];

export function registerTools(server: McpServer, opened: Opened): void {
  // What each takes and gives is checked by `tool`; a list of them knows no more than that they are tools.
  for (const one of TOOLS as unknown as Tool<z.ZodType, z.ZodType>[]) {
    const { name, title, description, question, answer, ask } = one;
    const described = {
      title,
      description,
      inputSchema: question,
      outputSchema: answer,
      annotations: READS_ONLY,
    };
    server.registerTool(name, described, async (asked: unknown, context: ServerContext) => {
      try {
        const { text, data } = await ask(await opened.index(), asked, { ...controlOf(context), tool: name });
        return { content: [{ type: "text", text }], structuredContent: data as Record<string, unknown> };
      } catch (error) {
        if (context.mcpReq.signal.aborted) throw error;
        return { content: [{ type: "text", text: wordsOf(error, name) }], isError: true };
      }
    });
  }
}
