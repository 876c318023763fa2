/** The outline of a branch: user messages, summaries, and the number of entries in between. */
import type { Outline } from "../../library/index.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { formatCount } from "../format/safe.ts";
import type { Branch } from "./branch.ts";
import { type Reading, readEntriesAt } from "./branch-reader.ts";
import { toSafeName, toTimestamp, truncateForModel } from "./format-session.ts";
import type { RenderedEntry } from "./token-budget.ts";
import { estimateTokens } from "./tokens.ts";

/** Maximum length of a message in the outline, in characters. */
const MAX_TEXT_CHARACTERS = 160;
/** Entries read per batch. */
const BATCH_SIZE = 16;
/** Tokens of a line besides its text. */
const LINE_OVERHEAD_TOKENS = 45;

/** Yields the notable entries of a branch from the index `from` on, with their tokens. */
export async function* readOutlineEntries(
  reading: Reading,
  branch: Branch,
  from: number,
): AsyncGenerator<RenderedEntry & { tokens: number }> {
  const { outline, redactor } = reading;
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));
  const notable = findNotable(branch, outline, labels).filter((at) => at >= from);
  for (let first = 0; first < notable.length; first += BATCH_SIZE) {
    const read = await readEntriesAt(reading, branch, notable.slice(first, first + BATCH_SIZE));
    for (const [n, { index, who, text, located }] of read.entries()) {
      const label = labels.get(branch.positions[index] as number);
      const omitted = (notable[first + n + 1] ?? branch.positions.length) - index - 1;
      const summary = [
        label === undefined ? "" : `[label ${toSafeName(label, redactor)}] `,
        truncateForModel(text.replace(/\s+/g, " "), MAX_TEXT_CHARACTERS),
        omitted > 0 ? ` (then ${formatCount(omitted, "entry", "entries")})` : "",
      ].join("");
      const { line, entry } = located;
      yield {
        index,
        entry: {
          entryId: entry.id ?? null,
          line,
          who,
          timestamp: toTimestamp(entry.timestamp),
          text: summary,
        },
        tokens: LINE_OVERHEAD_TOKENS + estimateTokens(summary),
      };
    }
  }
}

/** The indexes of entries that describe a branch: the first one, user messages, names, summaries and labels. */
function findNotable(
  { positions }: Branch,
  { kind, kinds }: Outline,
  labels: ReadonlyMap<number, string>,
): number[] {
  const isNotable = kinds.map(
    ({ type, role }) => role === "user" || type === "session_info" || isSummary(type),
  );
  return positions.flatMap((position, at) =>
    at === 0 || isNotable[kind[position] as number] || labels.has(position) ? [at] : [],
  );
}
