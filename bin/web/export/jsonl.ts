/** An export as JSONL: of a session, a session file that can be read again; of what was found, the entries one by one. */
import { CURRENT_SESSION_VERSION, type PlacedEntry, type SessionInfo } from "../../../library/index.ts";
import { safeJson } from "../../format/safe.ts";
import { wholeJson } from "../../format/whole-json.ts";
import type { Exporting } from "./exporting.ts";
import { withoutPictures } from "./pictures.ts";

export async function writeJsonl({ passages, images, stopped, out }: Exporting): Promise<void> {
  const entryOf = (placed: PlacedEntry) => (images ? placed : withoutPictures(placed)).entry;
  for await (const { session, entries, hits } of passages) {
    if (!hits) await out(lineOf(headerOf(session)));
    const { id, path } = session;
    for await (const placed of entries()) {
      const entry = entryOf(placed);
      const { line } = placed;
      const told = hits ? { session: { id, path }, line, isHit: hits.has(line), entry } : entry;
      await out(lineOf(told));
    }
  }
  const missing = stopped();
  if (missing !== undefined) await out(lineOf({ type: "stopped", message: missing }));
}

/** It means the same, and a terminal that it comes to obeys nothing in it. */
function lineOf(value: object): string {
  return `${safeJson(wholeJson(value))}\n`;
}

/** As the file has it, but in the version that its entries are read as. */
function headerOf({ id, cwd, created, parentSessionPath }: SessionInfo): object {
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id,
    timestamp: created !== null && !Number.isNaN(created.getTime()) ? created.toISOString() : undefined,
    cwd,
    ...(parentSessionPath !== undefined && { parentSession: parentSessionPath }),
  };
}
