/** Common code of the commands. Errors become notifications and are never thrown into pi. */
import type { Asks } from "../agents/agent-service.ts";
import type { Answer } from "../agents/answer.ts";
import { grouped, oneLine, safe } from "../format/safe.ts";
import { type IndexClient, noticeOf } from "./index-client.ts";
import { askingOf, type Pi, type PiCommandContext, type PiContext } from "./pi-types.ts";

export type Ask = <K extends keyof Asks>(
  kind: K,
  params: Asks[K][0],
  signal?: AbortSignal,
) => Promise<Answer<Asks[K][1]>>;

export interface Command {
  name: string;
  description: string;
  run(args: string, context: { pi: Pi; ctx: PiCommandContext; ask: Ask }): Promise<void>;
}

export function registerCommand(pi: Pi, client: IndexClient, { name, description, run }: Command): void {
  pi.registerCommand(name, {
    description,
    async handler(args, ctx) {
      try {
        await run(args.trim(), { pi, ctx, ask: createAsk(client, ctx) });
      } catch (error) {
        notice(ctx, `/${name}: ${noticeOf(error)}`, "error");
      }
    },
  });
}

/** Notifies the user, in pi's UI if it has one. Contexts of a session that was switched away from throw. */
export function notice(ctx: PiContext, message: string, type: "info" | "warning" | "error"): void {
  const text = safe(message);
  try {
    if (ctx.hasUI) {
      ctx.ui.notify(text, type);
      return;
    }
  } catch {
    // The context has ended: print to standard error instead.
  }
  console.error(text);
}

/** Shows a result. Without a UI it also becomes a message of the session, because pi prints no command output. */
export function show(pi: Pi, ctx: PiContext, text: string): void {
  if (!ctx.hasUI) {
    pi.sendMessage({ customType: "pidex", content: safe(text), display: true }, { triggerTurn: false });
  }
  notice(ctx, text, "info");
}

/** Queries the index on behalf of pi's session, and shows the progress of the first index in pi's footer. */
function createAsk(client: IndexClient, ctx: PiContext): Ask {
  const asking = askingOf(ctx);
  const { ui } = ctx;
  return async (kind, params, signal) => {
    let isShown = false;
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      isShown = true;
      ui.setStatus("pidex", `pidex: ${grouped(done)} of ${grouped(total)} files indexed`);
    };
    try {
      return await client.ask(kind, params, { asking, signal, onProgress });
    } finally {
      if (isShown) ui.setStatus("pidex", undefined);
    }
  };
}

/** Truncates text to `most` characters, on one line. */
export function short(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
