import type { ListOptions } from "../../library/index.ts";
import { formatCount, formatInteger, toField } from "../format/safe.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { ListAnswer } from "./answers.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import { formatSessionLine, joinLines, toBriefSession } from "./format-session.ts";
import type { ListParams, Params } from "./params.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 80;

/** Lists sessions, newest first, as many as fit. */
export async function listSessions(
  { max_tokens, limit, ...filters }: Params<typeof ListParams>,
  { index, except, redactor }: RequestContext,
): Promise<Answer<ListAnswer>> {
  const { items, total, next } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const { sessions, ...list } = await index.listAll({ ...filters, except, limit } as ListOptions);
    const items = sessions.map((session) => {
      const data = toBriefSession(session, redactor);
      return { data, text: `${formatSessionLine(data)}\n${toField(data.path)}` };
    });
    return { items, ...list };
  });
  const text = joinLines(
    `${formatCount(total, "session")}.${items.length < total ? ` Showing ${formatInteger(items.length)}.` : ""}`,
    ...items.map(({ text }) => `\n${text}`),
  );
  return { text, data: { sessions: items.map(({ data }) => data), total, next } };
}
