import type { z } from "zod";
import type { Index, ListOptions } from "../../library/index.ts";
import { formatCount, toField } from "../format/safe.ts";
import type { Answer } from "./answer.ts";
import type { ListAnswer } from "./answers.ts";
import { excludeCurrentSession } from "./current-session.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import { formatSessionLine, joinLines, toBriefSession } from "./format-session.ts";
import type { ListParams } from "./params.ts";
import type { RequestContext } from "./request-context.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 80;

/** Lists sessions, newest first, as many as fit. */
export async function listSessions(
  index: Index,
  params: z.output<typeof ListParams>,
  { currentSession, redactor }: RequestContext,
): Promise<Answer<ListAnswer>> {
  const { include_current_session, redact: _, max_tokens, limit, ...rest } = params;
  const options = { ...rest, ...(include_current_session ? {} : excludeCurrentSession(currentSession)) };
  const { items, total, next } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const { sessions, ...list } = await index.listAll({ ...options, limit } as ListOptions);
    const items = sessions.map((session) => {
      const data = toBriefSession(session, redactor);
      return { data, text: `${formatSessionLine(data)}\n${toField(data.path)}` };
    });
    return { items, ...list };
  });
  const data: ListAnswer = {
    sessions: items.map(({ data }) => data),
    total,
    ...(next !== undefined && { next }),
  };
  const text = joinLines(
    `${formatCount(total, "session")}.${items.length < total ? ` Showing ${items.length}.` : ""}`,
    ...items.map(({ text }) => `\n${text}`),
    next !== undefined && `\nMore: cursor ${next}`,
  );
  return { text, data };
}
