/** Calls of tools with what they were answered, though that stands in entries that come later. */
import type { PlacedEntry } from "../../../library/index.ts";
import { toTranscript } from "../../format/transcript.ts";

export interface WithResults {
  placed: PlacedEntry;
  results: PlacedEntry[];
}

/** No more than this is held back for an answer that is still to come. */
const MOST_HELD = 200;
const MOST_BYTES_HELD = 16_000_000;

/** Entries in their order, but for results: those stand with the message that called for them. */
export async function* withResults(entries: AsyncIterable<PlacedEntry>): AsyncGenerator<WithResults> {
  let held: WithResults[] = [];
  let heldBytes = 0;
  const open = new Map<string, WithResults>();
  function* release(): Generator<WithResults> {
    yield* held;
    held = [];
    heldBytes = 0;
    open.clear();
  }
  for await (const placed of entries) {
    heldBytes += placed.byteLength;
    const { kind, parts } = toTranscript(placed.entry);
    const call = parts.find((part) => part.kind === "result")?.callId;
    const asker = call === undefined ? undefined : open.get(call);
    if (call !== undefined && asker) {
      asker.results.push(placed);
      open.delete(call);
    } else {
      // Earlier calls get no result any more.
      if (kind === "person" || kind === "assistant") yield* release();
      const whole: WithResults = { placed, results: [] };
      held.push(whole);
      if (kind === "assistant")
        for (const part of parts) if (part.kind === "call" && part.id !== undefined) open.set(part.id, whole);
    }
    if (open.size === 0 || held.length > MOST_HELD || heldBytes > MOST_BYTES_HELD) yield* release();
  }
  yield* release();
}
