import { parseEntry } from "../../src/session/parse.ts";
import { extractContentText } from "../../src/session/text.ts";
import type { EntryRow } from "../../src/store/entry-reads.ts";
import type { Store } from "../../src/store/store.ts";
import type { SessionInfo } from "../answers.ts";
import { EntryReader } from "../entry-reader.ts";
import { addCosts } from "../session-costs.ts";
import { readSessions } from "../session-info.ts";
import type { RecordedWrite } from "./recorded-write.ts";

/** The sessions of writes with their costs, by the store's id. */
export async function readNamedSessions(
  store: Store,
  writes: Iterable<RecordedWrite>,
): Promise<Map<number, SessionInfo>> {
  const sessions = await readSessions(store, [...new Set(Array.from(writes, ({ session }) => session))]);
  await addCosts(store, sessions);
  return sessions;
}

/** What of a session led to a write. */
export interface WriteOrigin {
  entryId: EntryRow["id"];
  /** The user's last message before it, in its branch. */
  prompt: string | undefined;
}

/** The origins of writes, by their id. */
export async function readOrigins(
  store: Store,
  writes: readonly RecordedWrite[],
): Promise<Map<number, WriteOrigin>> {
  const origins = new Map<number, WriteOrigin>();
  for (const [session, ofSession] of Map.groupBy(writes, (write) => write.session)) {
    const [info] = await store.sessions.get([session]);
    if (!info) continue;
    const rows = await (await store.entries()).list(session);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const byLine = new Map(rows.map((row) => [row.line, row]));
    const prompts = new Map(
      ofSession.map((write) => [write, findPrompt(byLine.get(write.line), byId)] as const),
    );
    const places = [...new Set([...prompts.values()].flatMap((row) => row ?? []))].sort(
      (a, b) => a.line - b.line,
    );
    const texts = await readTexts(store, info, places);
    for (const [write, row] of prompts) {
      const entryId = byLine.get(write.line)?.id ?? null;
      origins.set(write.id, { entryId, prompt: row && texts.get(row) });
    }
  }
  return origins;
}

function findPrompt(
  row: EntryRow | undefined,
  byId: ReadonlyMap<EntryRow["id"], EntryRow>,
): EntryRow | undefined {
  // Parents always come earlier; in a damaged file they may not.
  for (let at = row; at; ) {
    if (at.role === "user") return at;
    const parent: EntryRow | undefined = at.parentId === null ? undefined : byId.get(at.parentId);
    at = parent && parent.line < at.line ? parent : undefined;
  }
  return undefined;
}

async function readTexts(
  store: Store,
  session: { path: string; version: number },
  rows: readonly EntryRow[],
): Promise<Map<EntryRow, string>> {
  const reader = await EntryReader.open(store, session, rows);
  const texts = new Map<EntryRow, string>();
  try {
    for (const row of rows) {
      const { id, parentId, ...place } = row;
      const entry = await reader.readEntry({ ...place, entry_id: id, parent_id: parentId }, parseEntry);
      if (entry.type === "message" && entry.message?.role === "user")
        texts.set(row, extractContentText(entry.message.content, "\n"));
    }
  } finally {
    reader.close();
  }
  return texts;
}
