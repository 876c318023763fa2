/** Groups tool results, which are later entries, with the message that made the calls. */
import type { LocatedEntry } from "../../../library/index.ts";
import { toTranscript } from "../../format/transcript.ts";

export interface EntryWithResults {
  placed: LocatedEntry;
  results: LocatedEntry[];
}

/** Limits of what is held back while results are outstanding. */
const MAX_HELD_ENTRIES = 200;
const MAX_HELD_BYTES = 16_000_000;

/** Entries in order, except results, which are returned with the message that made the calls. */
export async function* groupResults(entries: AsyncIterable<LocatedEntry>): AsyncGenerator<EntryWithResults> {
  let held: EntryWithResults[] = [];
  let heldBytes = 0;
  /** Messages with outstanding calls, by call id. */
  const open = new Map<string, EntryWithResults>();
  function* release(): Generator<EntryWithResults> {
    yield* held;
    held = [];
    heldBytes = 0;
    open.clear();
  }
  for await (const placed of entries) {
    heldBytes += placed.byteLength;
    const { kind, parts } = toTranscript(placed.entry);
    const callId = parts.find((part) => part.kind === "result")?.callId;
    const caller = callId === undefined ? undefined : open.get(callId);
    if (callId !== undefined && caller) {
      caller.results.push(placed);
      open.delete(callId);
    } else {
      // After the next message, earlier calls no longer get a result.
      if (kind === "person" || kind === "assistant") yield* release();
      const group: EntryWithResults = { placed, results: [] };
      held.push(group);
      if (kind === "assistant")
        for (const part of parts) if (part.kind === "call" && part.id !== undefined) open.set(part.id, group);
    }
    if (open.size === 0 || held.length > MAX_HELD_ENTRIES || heldBytes > MAX_HELD_BYTES) yield* release();
  }
  yield* release();
}
