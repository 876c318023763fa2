/** Common code of the commands. Errors become notifications and are never thrown into pi. */
import { existsSync } from "node:fs";
import { encodePath } from "../../library/index.ts";
import { quoteForShell } from "../../library/internal.ts";
import type { Answer, Progress } from "../agents/answer.ts";
import type { RequestData, RequestInput, RequestName } from "../agents/requests.ts";
import { formatErrorNotice } from "../format/error-notice.ts";
import { formatInteger, toOneLine, toSafe } from "../format/safe.ts";
import type { IndexClient } from "./index-client.ts";
import { getCurrentSession, type Pi, type PiCommandContext, type PiContext } from "./pi-types.ts";

export type RequestFunction = <N extends RequestName>(
  name: N,
  params: RequestInput<N>,
  signal?: AbortSignal,
) => Promise<Answer<RequestData<N>>>;

export interface Command {
  name: string;
  description: string;
  run(args: string, context: { pi: Pi; ctx: PiCommandContext; ask: RequestFunction }): Promise<void>;
}

export function registerCommand(pi: Pi, client: IndexClient, { name, description, run }: Command): void {
  pi.registerCommand(name, {
    description,
    async handler(args, ctx) {
      try {
        await run(args.trim(), { pi, ctx, ask: createRequestFunction(client, ctx) });
      } catch (error) {
        notify(ctx, `/${name}: ${formatErrorNotice(error)}`, "error");
      }
    },
  });
}

/** Notifies the user, in pi's UI if it has one. Contexts of a session that was switched away from throw. */
export function notify(ctx: PiContext, message: string, type: "info" | "warning" | "error"): void {
  const text = toSafe(message);
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
export function showResult(pi: Pi, ctx: PiContext, text: string): void {
  if (!ctx.hasUI) {
    pi.sendMessage({ customType: "pidex", content: toSafe(text), display: true }, { triggerTurn: false });
  }
  notify(ctx, text, "info");
}

/** Switches pi to another session. Ends the context, which must not be used afterwards. */
export async function switchToSession(ctx: PiCommandContext, path: string): Promise<void> {
  if (!existsSync(encodePath(path))) {
    // pi would begin an empty session there. Its runtime may have no zstd, so it can't be restored here.
    const command = `pidex restore ${quoteForShell(path)}`;
    notify(
      ctx,
      `There is no file ${path}. If the session is compressed or in the trash, run: ${command}`,
      "error",
    );
    return;
  }
  if (typeof ctx.switchSession === "function") await ctx.switchSession(path);
  else {
    const command = `pi --session ${quoteForShell(path)}`;
    notify(ctx, `This version of pi can't switch sessions. Run: ${command}`, "warning");
  }
}

/** Queries the index on behalf of pi's session, and shows the progress of the first index in pi's footer. */
function createRequestFunction(client: IndexClient, ctx: PiContext): RequestFunction {
  const currentSession = getCurrentSession(ctx);
  const { ui } = ctx;
  return async (name, params, signal) => {
    let isShown = false;
    const onProgress = ({ done, total }: Progress) => {
      isShown = true;
      ui.setStatus("pidex", `pidex: ${formatInteger(done)} of ${formatInteger(total)} files indexed`);
    };
    try {
      return await client.request(name, params, { currentSession, signal, onProgress });
    } finally {
      if (isShown) ui.setStatus("pidex", undefined);
    }
  };
}

/** Truncates text to `most` characters, on one line. */
export function truncateLine(text: string, most: number): string {
  const line = toOneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
