/** The numbers of matches in all entries that were found, counted while the user goes on. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { BranchRows } from "./branch-rows.ts";
import { countMatches, type MatchCounts } from "./count-matches.tsx";

interface Options {
  session: string;
  /** The displayed branch. */
  rows: BranchRows | undefined;
  /** The lines of the entries, in order; undefined until they are known. */
  lines: readonly number[] | undefined;
  /** Undefined if each entry counts as one. */
  pattern: RegExp | undefined;
  hidesCalls: boolean;
  failedOnly: boolean;
  folder: string | undefined;
}

const NONE: MatchCounts = new Map();

export function useMatchCounts({ session, rows, lines = NO_LINES, pattern, ...display }: Options) {
  const { hidesCalls, failedOnly, folder } = display;
  const known = useMemo(
    () => new Map<string, MatchCounts>(),
    [session, pattern, hidesCalls, failedOnly, folder, rows?.tree.origin],
  );
  const [reported, setReported] = useState<{ known: unknown; counts: MatchCounts }>();
  useEffect(() => {
    if (!pattern || !rows || lines.length === 0) return undefined;
    const stop = new AbortController();
    const report = (counts: MatchCounts) =>
      // Counts of entries stay when others are added to the file.
      setReported((last) => ({
        known,
        counts: last?.known === known ? new Map([...last.counts, ...counts]) : counts,
      }));
    countMatches({ session, rows, lines, pattern, ...display, known }, report, stop.signal).catch(() => {
      // Aborted, or the server does not respond, which the transcript says. The number of matches stays open.
    });
    return () => stop.abort();
  }, [session, rows, lines, pattern, hidesCalls, failedOnly, folder, known]);

  const marks = reported?.known === known ? reported.counts : NONE;
  return useMemo(() => {
    const counts = new Map<number, number>();
    /** The number of matches before each entry, as far as all of them are counted. */
    const before = new Map<number, number>();
    let total = 0;
    for (const line of lines) {
      const count = pattern ? marks.get(line) : 1;
      if (counts.size === before.size) before.set(line, total);
      if (count === undefined) continue;
      counts.set(line, count);
      total += count;
    }
    return { counts, before, total, isComplete: counts.size === lines.length };
  }, [lines, marks, pattern]);
}

const NO_LINES: readonly number[] = [];
