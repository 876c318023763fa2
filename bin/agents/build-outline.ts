/** The outline of a branch: user messages, summaries, and the number of entries in between. */
import type { Outline } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { formatCount } from "../format/safe.ts";
import type { ReadEntry } from "./answers.ts";
import type { Branch } from "./branch.ts";
import type { BranchEntry } from "./branch-reader.ts";
import { toSafeName, toTimestamp, truncateForModel } from "./format-session.ts";
import { estimateTokens } from "./tokens.ts";

/** Maximum length of a message in the outline, in characters. */
const MAX_TEXT_CHARACTERS = 160;
/** Entries read per batch. */
const BATCH_SIZE = 16;
/** Tokens of a line besides its text. */
const LINE_OVERHEAD_TOKENS = 45;

/** Returns the notable entries from the index `from` on, as many as fit, and the index of the next page. */
export async function buildOutline(
  {
    branch,
    from,
    outline,
    redactor,
    tokens,
  }: { branch: Branch; from: number; outline: Outline; redactor: Redactor | undefined; tokens: number },
  readAt: (indexes: number[]) => Promise<BranchEntry[]>,
): Promise<{ entries: { index: number; entry: ReadEntry }[]; next: number | undefined }> {
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));
  const entries: { index: number; entry: ReadEntry }[] = [];
  let tokensLeft = tokens;
  const notable = findNotable(branch, outline, labels).filter((at) => at >= from);
  for (let first = 0; first < notable.length; first += BATCH_SIZE) {
    const read = await readAt(notable.slice(first, first + BATCH_SIZE));
    for (const [n, { index, who, text, located }] of read.entries()) {
      const label = labels.get(branch.positions[index] as number);
      const omitted = (notable[first + n + 1] ?? branch.positions.length) - index - 1;
      const summary = [
        label === undefined ? "" : `[label ${toSafeName(label, redactor)}] `,
        truncateForModel(text.replace(/\s+/g, " "), MAX_TEXT_CHARACTERS),
        omitted > 0 ? ` (then ${formatCount(omitted, "entry", "entries")})` : "",
      ].join("");
      tokensLeft -= LINE_OVERHEAD_TOKENS + estimateTokens(summary);
      if (tokensLeft < 0 && entries.length > 0) return { entries, next: index };
      const timestamp = toTimestamp(located.entry.timestamp);
      const entry = { entryId: located.entry.id ?? null, line: located.line, who, text: summary };
      entries.push({ index, entry: timestamp === undefined ? entry : { ...entry, timestamp } });
    }
  }
  return { entries, next: undefined };
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
