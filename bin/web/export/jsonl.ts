/** JSONL exports. A session becomes a session file; search hits become one object per entry. */
import { CURRENT_SESSION_VERSION, type LocatedEntry, type SessionInfo } from "../../../library/index.ts";
import { escapeJson } from "../../format/safe.ts";
import { stringifyDeep } from "../../format/stringify-deep.ts";
import type { ExportContent } from "./export-content.ts";
import { replaceImages } from "./images.ts";

export async function* toJsonl({ sessions, images, getStopReason }: ExportContent): AsyncGenerator<string> {
  const getEntry = (placed: LocatedEntry) => (images ? placed : replaceImages(placed)).entry;
  for await (const { session, entries, hits } of sessions) {
    if (!hits) yield toLine(toHeader(session));
    const { id, path } = session;
    for await (const placed of entries()) {
      const entry = getEntry(placed);
      const { line } = placed;
      yield toLine(hits ? { session: { id, path }, line, isHit: hits.has(line), entry } : entry);
    }
  }
  const message = getStopReason();
  if (message !== undefined) yield toLine({ type: "stopped", message });
}

/** Equivalent JSON with control characters escaped, so that it is safe to print on a terminal. */
function toLine(value: object): string {
  return `${escapeJson(stringifyDeep(value))}\n`;
}

/** The session's header, with the version to which its entries are upgraded. */
function toHeader({ id, cwd, created, parentSessionPath }: SessionInfo): object {
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id,
    timestamp: created !== null && !Number.isNaN(created.getTime()) ? created.toISOString() : undefined,
    cwd,
    ...(parentSessionPath !== undefined && { parentSession: parentSessionPath }),
  };
}
