import type { z } from "zod";
import type { Index, ListOptions, Redactor } from "../../index.ts";
import { counted, field } from "../wording/safe.ts";
import type { Answer } from "./answer.ts";
import type { ListAnswer } from "./answers.ts";
import { type AskingSession, isAsking } from "./asking.ts";
import type { ListQuestion } from "./questions.ts";
import { howMany } from "./tokens.ts";
import { briefly, headingOf, lines } from "./told.ts";

/** What is left for anything but the sessions themselves, in tokens. */
const AROUND = 80;

/** Sessions, newest first; as many as the answer may hold. */
export async function list(
  index: Index,
  asked: z.output<typeof ListQuestion>,
  { asking, redactor }: { asking: AskingSession; redactor: Redactor | undefined },
): Promise<Answer<ListAnswer>> {
  const { include_asking, redact: _, max_tokens, limit, ...rest } = asked;
  const tell = async (limit: number) => {
    const { sessions, total, next } = await index.listAll({ ...rest, limit } as ListOptions);
    const shown = sessions.filter((session) => include_asking || !isAsking(asking, session));
    const told = shown.map((session) => {
      const data = briefly(session, redactor);
      // Behind it a page would end: the one that asks is passed over, and counts.
      return { data, text: `${headingOf(data)}\n${field(data.path)}`, end: sessions.indexOf(session) + 1 };
    });
    return { told, total: total - (sessions.length - shown.length), next };
  };
  let all = await tell(limit);
  const passed = limit - all.told.length;
  // In place of what was passed over there is room for others.
  if (passed > 0 && all.next !== undefined) all = await tell(limit + passed);
  const fits = howMany(all.told, max_tokens - AROUND);
  const page = fits === all.told.length ? all : await tell(all.told[fits - 1]?.end ?? limit);
  const { told, total, next } = page;
  const data: ListAnswer = {
    sessions: told.map(({ data }) => data),
    total,
    ...(next !== undefined && { next }),
  };
  const text = lines(
    `${counted(total, "session")}.${told.length < total ? ` These are ${told.length}.` : ""}`,
    ...told.map(({ text }) => `\n${text}`),
    next !== undefined && `\nMore: cursor ${next}`,
  );
  return { text, data };
}
