import { PidexError } from "../../library/index.ts";
import { writeHandoffForPeople } from "../agents/handoff-for-people.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { withIndexOrHub } from "./run.ts";

/** A shorter brief would leave out almost all requests. */
const MIN_TOKENS = 400;

/** `pidex handoff`: prints the brief of a session. */
export async function run(io: Io, [session = ""]: string[], flags: Flags<"handoff">): Promise<void> {
  const { tokens, leaf, redact } = flags;
  if (tokens !== undefined && tokens < MIN_TOKENS)
    throw new PidexError(
      "BAD_OPTION",
      `--tokens ${tokens} is too short for a brief`,
      `Pass at least ${MIN_TOKENS}.`,
    );
  await withIndexOrHub(io, flags, async (index) => {
    const { text, data } = await writeHandoffForPeople(index, { session, leaf, tokens, redact });
    if (flags.json) await writeJson(io, data);
    else await io.out(`${text}\n`);
  });
}
