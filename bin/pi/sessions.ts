/** `/sessions`: lists the sessions of this folder, or searches all sessions, and switches to one. */
import type { BriefSession } from "../agents/answers.ts";
import { formatCount } from "../format/safe.ts";
import { formatRelativeTime } from "../format/times.ts";
import { type Choice, choose } from "./chooser.ts";
import { type Command, type RequestFunction, showResult, switchToSession, truncateLine } from "./commands.ts";

/** Maximum number of sessions in the list. */
const MAX_SESSIONS = 50;

export const sessions: Command = {
  name: "sessions",
  description: "Switch to another session of this folder, or search all sessions",
  async run(query, context) {
    const { ctx } = context;
    const path = await chooseSession("sessions", query, context);
    if (path !== undefined) await switchToSession(ctx, path);
  },
};

/**
 * Lets the user choose a session of this folder, or one that a search finds. Without a UI, or if there is none, shows the list instead.
 *
 * @param command the name of the command that asks, for its hint
 * @returns the path of the session, if one was chosen
 */
export async function chooseSession(
  command: string,
  query: string,
  { pi, ctx, ask }: Parameters<Command["run"]>[1],
): Promise<string | undefined> {
  const { cwd } = ctx;
  const { text, found } = await find(ask, query, cwd);
  if (!ctx.hasUI) showResult(pi, ctx, text);
  else if (found.length === 0) {
    const empty = `This folder has no other sessions. Search all sessions with /${command} WORDS.`;
    showResult(pi, ctx, query === "" ? empty : text);
  } else
    return choose(ctx, {
      title: "Sessions",
      initialQuery: query,
      initialChoices: found,
      find: async (typed, signal) => (await find(ask, typed, cwd, signal)).found,
    });
  return undefined;
}

/** Searches all sessions; without a query lists those of the folder. */
async function find(ask: RequestFunction, query: string, cwd: string, signal?: AbortSignal) {
  if (query === "") {
    const { data, text } = await ask("list", { cwd, limit: MAX_SESSIONS, max_tokens: 20_000 }, signal);
    return { text, found: data.sessions.map(toChoice) };
  }
  const { data, text } = await ask(
    "search",
    { query, limit: MAX_SESSIONS, hits: 1, max_tokens: 20_000 },
    signal,
  );
  return { text, found: data.sessions.map(({ session }) => toChoice(session)) };
}

function toChoice({ path, title, modified, messageCount, cwd }: BriefSession): Choice<string> {
  const details = [
    formatRelativeTime(new Date(modified)),
    truncateLine(title, 60),
    formatCount(messageCount, "message"),
    truncateLine(cwd, 60),
  ];
  return { value: path, text: details.join(" · ") };
}
