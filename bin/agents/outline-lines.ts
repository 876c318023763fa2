/** A branch in outline: what people asked, what was summed up, and how much was done in between. */
import type { EntryId, Outline, PlacedEntry, Redactor } from "../../index.ts";
import { counted } from "../wording/safe.ts";
import type { ReadEntry } from "./answers.ts";
import type { Branch } from "./branch.ts";
import { tokensIn } from "./tokens.ts";
import { cutAt, nameIn, timeIn } from "./told.ts";

/** How much of what somebody said is told, in characters. */
const MOST_SAID = 160;
/** What the rest of a line takes, in tokens. */
const ABOUT = 45;

/** An entry of the branch, read. */
interface Read {
  at: number;
  who: string;
  text: string;
  place: PlacedEntry;
}

/** The entries of note from one on, as many as fit, and the one to go on with. */
export async function outlineOf(
  {
    branch,
    from,
    outline,
    redactor,
    tokens,
  }: { branch: Branch; from: number; outline: Outline; redactor: Redactor | undefined; tokens: number },
  readOn: (first: number) => AsyncGenerator<Read>,
): Promise<{ entries: { at: number; entry: ReadEntry }[]; next: number | undefined }> {
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));
  const entries: { at: number; entry: ReadEntry }[] = [];
  let left = tokens;
  const notable = notableOf(branch, outline, labels).filter((at) => at >= from);
  for (const [n, at] of notable.entries()) {
    const position = branch.positions[at] as number;
    const upTo = notable[n + 1] ?? branch.positions.length;
    for await (const { who, text, place } of readOn(at)) {
      const label = labels.get(position);
      const done = upTo - at - 1;
      const words = [
        label === undefined ? "" : `[label ${nameIn(label, redactor)}] `,
        cutAt(text.replace(/\s+/g, " "), MOST_SAID),
        done > 0 ? ` (then ${counted(done, "entry", "entries")})` : "",
      ].join("");
      left -= ABOUT + tokensIn(words);
      if (left < 0 && entries.length > 0) return { entries, next: at };
      const id: EntryId | null = place.entry.id ?? null;
      const timestamp = timeIn(place.entry.timestamp);
      const entry = { entryId: id, line: place.line, who, text: words };
      entries.push({
        at,
        entry: timestamp === undefined ? entry : { ...entry, timestamp },
      });
      break; // the one alone
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
    ({ type, role }) =>
      role === "user" || ["compaction", "branch_summary", "session_summary", "session_info"].includes(type),
  );
  return positions.flatMap((position, at) =>
    at === 0 || isNotable[kind[position] as number] || labels.has(position) ? [at] : [],
  );
}
