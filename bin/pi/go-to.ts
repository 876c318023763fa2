import { shellWord } from "../../library/internal.ts";
import { notice } from "./commands.ts";
import type { PiCommandContext } from "./pi-types.ts";

/** Switches pi to another session. Ends the context, which must not be used afterwards. */
export async function goTo(ctx: PiCommandContext, path: string): Promise<void> {
  if (typeof ctx.switchSession === "function") await ctx.switchSession(path);
  else
    notice(ctx, `This version of pi can't switch sessions. Run: pi --session ${shellWord(path)}`, "warning");
}
