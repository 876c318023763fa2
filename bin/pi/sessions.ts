/** `/sessions`: the sessions of this project, or what is typed, to go on with one. */
import type { BriefSession } from "../agents/answers.ts";
import { ago } from "../format/times.ts";
import { choose } from "./chooser.ts";
import type { Choice } from "./chooser-component.ts";
import { type Ask, type Command, short, show } from "./commands.ts";
import { goTo } from "./go-to.ts";

/** Most sessions that are listed. */
const LIMIT = 50;

export const sessions: Command = {
  name: "sessions",
  description: "Go to another session: those of this folder, or what you look for in all",
  async run(query, { pi, ctx, ask }) {
    const { cwd } = ctx;
    const { text, found } = await find(ask, query, cwd);
    if (!ctx.hasUI) return show(pi, ctx, text);
    if (found.length === 0) {
      const nothing = "There is no other session of this folder. /sessions WORDS looks through all.";
      return show(pi, ctx, query === "" ? nothing : text);
    }
    const path = await choose(ctx, {
      title: "Sessions",
      typed: query,
      first: found,
      find: async (typed, signal) => (await find(ask, typed, cwd, signal)).found,
    });
    if (path !== undefined) await goTo(ctx, path);
  },
};

/** What words find anywhere, else what is in a folder. */
async function find(ask: Ask, query: string, cwd: string, signal?: AbortSignal) {
  if (query === "") {
    const { data, text } = await ask("list", { cwd, limit: LIMIT, max_tokens: 20_000 }, signal);
    return { text, found: data.sessions.map(choiceOf) };
  }
  const { data, text } = await ask("search", { query, limit: LIMIT, hits: 1, max_tokens: 20_000 }, signal);
  return { text, found: data.sessions.map(({ session }) => choiceOf(session)) };
}

function choiceOf({ path, title, modified, messageCount, cwd }: BriefSession): Choice<string> {
  const about = [ago(new Date(modified)), short(title, 60), `${messageCount} messages`, short(cwd, 60)];
  return { value: path, text: about.join(" · ") };
}
