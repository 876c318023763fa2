import type { z } from "zod";
import type { Index, ListOptions } from "../../library/index.ts";
import { counted, field } from "../format/safe.ts";
import type { Answer } from "./answer.ts";
import type { ListAnswer } from "./answers.ts";
import { asManyAsFit } from "./as-many-as-fit.ts";
import { exceptAsking } from "./asking.ts";
import type { Context } from "./context.ts";
import type { ListQuestion } from "./questions.ts";
import { briefly, headingOf, lines } from "./told.ts";

/** Tokens reserved for everything but the sessions. */
const RESERVED_TOKENS = 80;

/** Lists sessions, newest first, as many as fit. */
export async function list(
  index: Index,
  params: z.output<typeof ListQuestion>,
  { asking, redactor }: Context,
): Promise<Answer<ListAnswer>> {
  const { include_asking, redact: _, max_tokens, limit, ...rest } = params;
  const options = { ...rest, ...(include_asking ? {} : exceptAsking(asking)) };
  const { items, total, next } = await asManyAsFit(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const { sessions, ...list } = await index.listAll({ ...options, limit } as ListOptions);
    const items = sessions.map((session) => {
      const data = briefly(session, redactor);
      return { data, text: `${headingOf(data)}\n${field(data.path)}` };
    });
    return { items, ...list };
  });
  const data: ListAnswer = {
    sessions: items.map(({ data }) => data),
    total,
    ...(next !== undefined && { next }),
  };
  const text = lines(
    `${counted(total, "session")}.${items.length < total ? ` Showing ${items.length}.` : ""}`,
    ...items.map(({ text }) => `\n${text}`),
    next !== undefined && `\nMore: cursor ${next}`,
  );
  return { text, data };
}
