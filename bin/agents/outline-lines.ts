/** A branch in outline: what people asked, what was summed up, and how much was done in between. */
import type { Outline } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { counted } from "../format/safe.ts";
import type { ReadEntry } from "./answers.ts";
import type { Branch } from "./branch.ts";
import type { Placed } from "./branch-entries.ts";
import { tokensIn } from "./tokens.ts";
import { cutAt, nameIn, timeIn } from "./told.ts";

/** How much of what somebody said is told, in characters. */
const MOST_SAID = 160;
/** Entries that are read at once. */
const AT_ONCE = 16;
/** What the rest of a line takes, in tokens. */
const ABOUT = 45;

/** The entries of note from one on, as many as fit, and the one to go on with. */
export async function outlineOf(
  {
    branch,
    from,
    outline,
    redactor,
    tokens,
  }: { branch: Branch; from: number; outline: Outline; redactor: Redactor | undefined; tokens: number },
  readAt: (places: number[]) => Promise<Placed[]>,
): Promise<{ entries: { at: number; entry: ReadEntry }[]; next: number | undefined }> {
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));
  const entries: { at: number; entry: ReadEntry }[] = [];
  let left = tokens;
  const notable = notableOf(branch, outline, labels).filter((at) => at >= from);
  for (let first = 0; first < notable.length; first += AT_ONCE) {
    const read = await readAt(notable.slice(first, first + AT_ONCE));
    for (const [n, { at, who, text, place }] of read.entries()) {
      const label = labels.get(branch.positions[at] as number);
      const done = (notable[first + n + 1] ?? branch.positions.length) - at - 1;
      const words = [
        label === undefined ? "" : `[label ${nameIn(label, redactor)}] `,
        cutAt(text.replace(/\s+/g, " "), MOST_SAID),
        done > 0 ? ` (then ${counted(done, "entry", "entries")})` : "",
      ].join("");
      left -= ABOUT + tokensIn(words);
      if (left < 0 && entries.length > 0) return { entries, next: at };
      const timestamp = timeIn(place.entry.timestamp);
      const entry = { entryId: place.entry.id ?? null, line: place.line, who, text: words };
      entries.push({ at, entry: timestamp === undefined ? entry : { ...entry, timestamp } });
    }
  }
  return { entries, next: undefined };
}

/** Where on a branch something is that tells what it is about: the first entry, too. */
function notableOf(
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
