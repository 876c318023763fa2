/**
 * Answers a question as an agent would: searches, then reads from each hit to the end of its session, and the other branches and
 * subagents' sessions that the pages name, until a result contains the answer or the tokens are used up.
 */
import type { ReadAnswer, SearchAnswer } from "../../bin/agents/answers.ts";
import type { CallResult, CountingClient } from "./counting-client.ts";
import type { Question } from "./questions.ts";

/** Maximum tokens to find an answer. */
export const TOKEN_BUDGET = 4000;

export interface Outcome {
  question: string;
  query: string;
  calls: number;
  /** Tokens of the arguments and results of all calls. */
  tokens: number;
  answered: boolean;
  /** Names of the called tools, in order. */
  tools: string[];
}

export async function answerQuestion(
  client: CountingClient,
  { question, query, answer }: Question,
  budget = TOKEN_BUDGET,
): Promise<Outcome> {
  const calls: CallResult<unknown>[] = [];
  const tokensUsed = () => calls.reduce((sum, { tokens }) => sum + tokens, 0);
  const isAnswered = () => calls.some(({ text }) => containsText(text, answer));
  const call = async <Data>(tool: string, params: Record<string, unknown>): Promise<Data> => {
    const result = await client.call<Data>(tool, params);
    calls.push(result);
    return result.data;
  };

  const found = await call<SearchAnswer>("search_sessions", { query });
  const visited = new Set<string>();
  const pending = getCitations(found);
  for (let citation = pending.shift(); citation !== undefined; citation = pending.shift()) {
    if (isAnswered() || tokensUsed() >= budget) break;
    if (visited.has(citation)) continue;
    visited.add(citation);
    let next: string | undefined;
    do {
      const params = { session: citation, ...(next !== undefined && { cursor: next }) };
      const page = await call<ReadAnswer>("read_session", params);
      const { path } = page.session;
      for (const entry of page.entries) visited.add(toCitation(path, entry));
      // Other branches and subagents' sessions come before hits in other sessions.
      const related = page.entries.flatMap(({ otherBranches = [], subagents = [] }) => [
        ...otherBranches.map((entry) => toCitation(path, entry)),
        ...subagents,
      ]);
      pending.unshift(...related);
      next = page.next;
    } while (next !== undefined && !isAnswered() && tokensUsed() < budget);
  }
  const tools = calls.map(({ tool }) => tool);
  return {
    question,
    query,
    calls: calls.length,
    tokens: tokensUsed(),
    answered: isAnswered() && tokensUsed() <= budget,
    tools,
  };
}

function getCitations({ sessions }: SearchAnswer): string[] {
  return sessions.flatMap(({ session, hits }) => hits.map((hit) => toCitation(session.path, hit)));
}

/** Formats an entry as `read_session` takes it. */
export function toCitation(
  path: string,
  { line, entryId }: { line: number; entryId: string | number | null },
): string {
  return `${path}:${line}${entryId === null ? "" : `#${entryId}`}`;
}

/** Whether one text contains another, ignoring quotation marks (`> `) and whitespace. */
export function containsText(text: string, part: string): boolean {
  const normalize = (value: string) => value.replace(/^> ?/gm, "").replace(/\s+/g, " ");
  return normalize(text).includes(normalize(part));
}
