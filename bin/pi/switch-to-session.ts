import { quoteForShell } from "../../library/internal.ts";
import { notify } from "./commands.ts";
import type { PiCommandContext } from "./pi-types.ts";

/** Switches pi to another session. Ends the context, which must not be used afterwards. */
export async function switchToSession(ctx: PiCommandContext, path: string): Promise<void> {
  if (typeof ctx.switchSession === "function") await ctx.switchSession(path);
  else
    notify(
      ctx,
      `This version of pi can't switch sessions. Run: pi --session ${quoteForShell(path)}`,
      "warning",
    );
}
