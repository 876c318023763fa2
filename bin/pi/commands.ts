/** What the commands have in common: whom they ask, and that nothing is ever thrown into pi. */

import type { Asks } from "../agents/agent-service.ts";
import type { Answer } from "../agents/answer.ts";
import { grouped, oneLine, safe } from "../format/safe.ts";
import { type IndexClient, noticeOf } from "./index-client.ts";
import { askingOf, type Pi, type PiCommandContext, type PiContext } from "./pi-types.ts";

export type Ask = <K extends keyof Asks>(
  ask: K,
  question: Asks[K][0],
  signal?: AbortSignal,
) => Promise<Answer<Asks[K][1]>>;

export interface Command {
  name: string;
  description: string;
  run(args: string, at: { pi: Pi; ctx: PiCommandContext; ask: Ask }): Promise<void>;
}

export function registerCommand(pi: Pi, client: IndexClient, { name, description, run }: Command): void {
  pi.registerCommand(name, {
    description,
    async handler(args, ctx) {
      try {
        await run(args.trim(), { pi, ctx, ask: askerOf(client, ctx) });
      } catch (error) {
        notice(ctx, `/${name}: ${noticeOf(error)}`, "error");
      }
    },
  });
}

/** Tells the user something, on the screen where pi has one. A context that is over (another session took its place) throws. */
export function notice(ctx: PiContext, message: string, type: "info" | "warning" | "error"): void {
  const text = safe(message);
  try {
    if (ctx.hasUI) {
      ctx.ui.notify(text, type);
      return;
    }
  } catch {
    // Then there is no other place for it than below.
  }
  console.error(text);
}

/** Shows an answer. Where pi only prints, it becomes part of what pi tells of its session, and is printed: pi prints no commands. */
export function show(pi: Pi, ctx: PiContext, text: string): void {
  if (!ctx.hasUI) {
    pi.sendMessage({ customType: "pidex", content: safe(text), display: true }, { triggerTurn: false });
  }
  notice(ctx, text, "info");
}

/** Asks the index for the session that pi is in; how far a first index is stands in pi's footer meanwhile. */
function askerOf(client: IndexClient, ctx: PiContext): Ask {
  const asking = askingOf(ctx);
  const { ui } = ctx;
  return async (ask, question, signal) => {
    let isShown = false;
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      isShown = true;
      ui.setStatus("pidex", `pidex: ${grouped(done)} of ${grouped(total)} files are indexed`);
    };
    try {
      return await client.ask(ask, question, { asking, signal, onProgress });
    } finally {
      if (isShown) ui.setStatus("pidex", undefined);
    }
  };
}

/** The beginning of a text, on one line. */
export function short(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
