import { shellWord } from "../../library/internal.ts";
import { notice } from "./commands.ts";
import type { PiCommandContext } from "./pi-types.ts";

/** Makes another session the one that pi is in. The context is over then, and must not be used again. */
export async function goTo(ctx: PiCommandContext, path: string): Promise<void> {
  if (typeof ctx.switchSession === "function") await ctx.switchSession(path);
  else notice(ctx, `This pi cannot change sessions by itself: pi --session ${shellWord(path)}`, "warning");
}
