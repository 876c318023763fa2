/** Calls of tools with what they were answered, though that stands in entries that come later. */
import type { PlacedEntry } from "../../../library/index.ts";

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
    const call = answeredBy(placed);
    const asker = call === undefined ? undefined : open.get(call);
    if (call !== undefined && asker) {
      asker.results.push(placed);
      open.delete(call);
    } else {
      if (speaks(placed)) yield* release();
      const whole: WithResults = { placed, results: [] };
      held.push(whole);
      for (const id of callsOf(placed)) open.set(id, whole);
    }
    if (open.size === 0 || held.length > MOST_HELD || heldBytes > MOST_BYTES_HELD) yield* release();
  }
  yield* release();
}

function answeredBy({ entry }: PlacedEntry): string | undefined {
  if (entry.type !== "message" || entry.message?.role !== "toolResult") return undefined;
  return entry.message.toolCallId;
}

/** What somebody says after calls: they get no answer any more. */
function speaks({ entry }: PlacedEntry): boolean {
  return entry.type === "message" && /^(?:user|assistant)$/.test(String(entry.message?.role));
}

function callsOf({ entry }: PlacedEntry): string[] {
  if (entry.type !== "message" || entry.message?.role !== "assistant") return [];
  const { content } = entry.message;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (block.type === "toolCall" && block.id !== undefined ? [block.id] : []));
}
