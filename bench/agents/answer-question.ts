/**
 * Asks as an agent does: search, then read around the hits in order, on to the end of each session, along the other branches and
 * in the sessions of subagents that its pages name, until the answer is there or the tokens are used up.
 */
import type { ReadAnswer, SearchAnswer } from "../../bin/agents/answers.ts";
import type { CallResult, CountingClient } from "./counting-client.ts";
import type { Question } from "./questions.ts";

/** How many tokens an answer may take to be reached. */
export const TOKEN_BUDGET = 4000;

export interface Outcome {
  asked: string;
  query: string;
  calls: number;
  /** Of the arguments and the texts of all calls. */
  tokens: number;
  reached: boolean;
  /** The tools that were called, in order. */
  tools: string[];
}

export async function answerQuestion(
  client: CountingClient,
  question: Question,
  budget = TOKEN_BUDGET,
): Promise<Outcome> {
  const calls: CallResult<unknown>[] = [];
  const used = () => calls.reduce((sum, { tokens }) => sum + tokens, 0);
  const isReached = () => calls.some(({ text }) => containsText(text, question.answer));
  const call = async <Data>(tool: string, asked: Record<string, unknown>): Promise<Data> => {
    const called = await client.call<Data>(tool, asked);
    calls.push(called);
    return called.data;
  };

  const found = await call<SearchAnswer>("search_sessions", { query: question.query });
  const seen = new Set<string>();
  const ahead = citationsIn(found);
  for (let citation = ahead.shift(); citation !== undefined; citation = ahead.shift()) {
    if (isReached() || used() >= budget) break;
    if (seen.has(citation)) continue;
    seen.add(citation);
    let next: string | undefined;
    do {
      const asked = { session: citation, ...(next !== undefined && { cursor: next }) };
      const page = await call<ReadAnswer>("read_session", asked);
      const { path } = page.session;
      for (const entry of page.entries) seen.add(extractCitations(path, entry));
      // What was tried beside it, and what subagents did for it, come before what other sessions have.
      const beside = page.entries.flatMap(({ instead = [], subagents = [] }) => [
        ...instead.map((entry) => extractCitations(path, entry)),
        ...subagents,
      ]);
      ahead.unshift(...beside);
      next = page.next;
    } while (next !== undefined && !isReached() && used() < budget);
  }
  const { asked, query } = question;
  const tools = calls.map(({ tool }) => tool);
  return {
    asked,
    query,
    calls: calls.length,
    tokens: used(),
    reached: isReached() && used() <= budget,
    tools,
  };
}

function citationsIn({ sessions }: SearchAnswer): string[] {
  return sessions.flatMap(({ session, hits }) => hits.map((hit) => extractCitations(session.path, hit)));
}

/** An entry as `read_session` takes it. */
export function extractCitations(
  path: string,
  { line, entryId }: { line: number; entryId: string | number | null },
): string {
  return `${path}:${line}${entryId === null ? "" : `#${entryId}`}`;
}

/** Whether a text has another in it, whatever marks of quotation and ends of lines stand between its words. */
export function containsText(text: string, wanted: string): boolean {
  const plain = (one: string) => one.replace(/^> ?/gm, "").replace(/\s+/g, " ");
  return plain(text).includes(plain(wanted));
}
