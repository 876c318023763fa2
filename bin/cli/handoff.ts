import { loadRedactor } from "../../library/internal.ts";
import { writeHandoff } from "../agents/handoff.ts";
import { OutlineCache } from "../agents/outline-cache.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { withIndexOrHub } from "./run.ts";

const DEFAULT_TOKENS = 4000;

/** `pidex handoff`. Another agent reads it, so likely secrets are masked by default. */
export async function run(io: Io, [session = ""]: string[], flags: Flags<"handoff">): Promise<void> {
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  const { tokens = DEFAULT_TOKENS, leaf } = flags;
  await withIndexOrHub(io, flags, async (index) => {
    const context = {
      index,
      except: undefined,
      redactor,
      signal: undefined,
      outlines: new OutlineCache(index),
    };
    const { text, data } = await writeHandoff(
      { session, leaf, max_tokens: tokens },
      context,
      (brief) => brief.data.tokens,
    );
    if (flags.json) await writeJson(io, data);
    else await io.out(`${text}\n`);
  });
}
