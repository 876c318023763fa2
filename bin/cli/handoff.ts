import { writeHandoffForPeople } from "../agents/handoff-for-people.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { withIndexOrHub } from "./run.ts";

/** `pidex handoff`: prints the brief of a session. */
export async function run(io: Io, [session = ""]: string[], flags: Flags<"handoff">): Promise<void> {
  const { tokens, leaf, redact } = flags;
  await withIndexOrHub(io, flags, async (index) => {
    const { text, data } = await writeHandoffForPeople(index, { session, leaf, tokens, redact });
    if (flags.json) await writeJson(io, data);
    else await io.out(`${text}\n`);
  });
}
