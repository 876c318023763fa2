/** The entries of a branch, read from the file a few at a time. */
import type { LocatedEntry, SessionInfo } from "../../library/index.ts";
import type { RequestContext } from "./answer.ts";
import type { Branch } from "./branch.ts";
import { toEntryText } from "./entry-text.ts";
import type { OtherBranch } from "./other-branches.ts";
import type { CachedOutline } from "./outline-cache.ts";
import type { Params, ReadParams } from "./params.ts";

/** Entries per batch, and the tokens of a page per entry: every batch goes through all rows of the session. */
const BATCH = { minEntries: 16, maxEntries: 64, tokensPerEntry: 800 };

/** A session, and how to read it. */
export interface Reading extends RequestContext, CachedOutline {
  session: SessionInfo;
  params: Params<typeof ReadParams>;
}

/** An entry as text, with its location. */
export interface BranchEntry {
  /** Its index on the branch, from 0. */
  index: number;
  who: string;
  /** Empty if the entry has no readable text. */
  text: string;
  located: LocatedEntry;
  /** The entries that replace it on other branches. */
  otherBranches: OtherBranch[];
  /** Paths of sessions. */
  subagents: string[];
}

/**
 * Yields entries from the index `first` on, forwards or backwards.
 *
 * @throws as `Index.entries`; the signal's reason when aborted
 */
export async function* readEntriesFrom(
  reading: Reading,
  branch: Branch,
  first: number,
  step: 1 | -1,
): AsyncGenerator<BranchEntry> {
  const { minEntries, maxEntries, tokensPerEntry } = BATCH;
  const fitting = Math.ceil(reading.params.max_tokens / tokensPerEntry);
  const count = Math.max(minEntries, Math.min(maxEntries, fitting));
  for (let from = first; from >= 0 && from < branch.positions.length; from += step * count) {
    const indexes = Array.from({ length: count }, (_, n) => from + step * n);
    const read = await readEntriesAt(
      reading,
      branch,
      indexes.filter((at) => at >= 0 && at < branch.positions.length),
    );
    yield* step === 1 ? read : read.reverse();
  }
}

/** Reads the entries at the given indexes, in branch order. @throws as `readEntriesFrom` */
export async function readEntriesAt(
  { index, session, params, outline, otherBranches, redactor, signal }: Reading,
  { positions }: Branch,
  indexes: readonly number[],
): Promise<BranchEntry[]> {
  signal?.throwIfAborted();
  const { line, runs } = outline;
  const byLine = new Map(indexes.map((at) => [line[positions[at] as number] as number, at]));
  const read: BranchEntry[] = [];
  for await (const located of index.entries(session.path, { branch: { lines: [...byLine.keys()] } })) {
    const entry = redactor ? redactor.redactValue(located.entry) : located.entry;
    const at = byLine.get(located.line) as number;
    const position = positions[at] as number;
    read.push({
      ...{ index: at, located, ...toEntryText(entry, params) },
      otherBranches: otherBranches.findReplacing(position),
      subagents: runs.filter((run) => run.position === position).map(({ path }) => path),
    });
  }
  return read.sort((a, b) => a.index - b.index);
}
