/** Counts the matches in entries that are not on the screen, by rendering them as the transcript does. */
import { render } from "preact";
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import { DisplayContext, type FoundText } from "../entries/display-options.ts";
import { EntryView } from "../entries/entry-view.tsx";
import { apiGet, delay } from "../shell/api.ts";
import type { BranchRows } from "./branch-rows.ts";
import { listMarks } from "./list-marks.ts";

/** Numbers of matches by the lines of their entries. */
export type MatchCounts = ReadonlyMap<number, number>;

interface Counting {
  session: string;
  /** The displayed branch. */
  rows: BranchRows;
  /** The lines to count in, in order. */
  lines: readonly number[];
  pattern: RegExp;
  /** Whether tool calls and thinking are left out. */
  hidesCalls: boolean;
  /** Whether only calls that failed are shown. */
  failedOnly: boolean;
  /** The session's folder. */
  folder: string | undefined;
  /** Counts of rows, by their lines, those of hits and others, from earlier calls with the same session, pattern and display. */
  known: Map<string, MatchCounts>;
}

/** Lines per request: parsing a response takes a few milliseconds. */
const BATCH_SIZE = 40;
/** How long to count without a pause, and how often to report, in milliseconds. */
const SLICE_MS = 8;
const REPORT_INTERVAL_MS = 400;
/** No links are needed in what is only counted, and no image is loaded. */
const NO_LINKS = { image: () => undefined, entry: () => undefined };

/**
 * Counts the matches entry by entry, without blocking the page.
 *
 * @param report receives all counts so far
 * @throws as `apiGet`
 */
export async function countMatches(
  { session, rows, lines, pattern, known, ...display }: Counting,
  report: (counts: MatchCounts) => void,
  signal: AbortSignal,
): Promise<void> {
  const found: FoundText = { pattern, lines: new Set(lines) };
  const counts = new Map<number, number>();
  // The first counts are reported at once: the user waits for them.
  let [reportedAt, pausedAt] = [Number.NEGATIVE_INFINITY, performance.now()];
  const toKey = (row: readonly number[]) => row.map((line) => (found.lines.has(line) ? line : -line)).join();
  for (const batch of toBatches(listRows(rows, lines), (row) => known.has(toKey(row)))) {
    const missing = batch.filter((row) => !known.has(toKey(row))).flat();
    const byLine = missing.length === 0 ? undefined : await load(session, missing, signal);
    await delay(0, signal); // the response was parsed in this task
    pausedAt = performance.now();
    for (const row of batch) {
      const key = toKey(row);
      const own = known.get(key) ?? countInRow(row, byLine ?? new Map(), { found, ...display });
      known.set(key, own);
      for (const [line, count] of own) counts.set(line, count);
      const now = performance.now();
      if (now - pausedAt < SLICE_MS) continue;
      await delay(0, signal);
      if (now - reportedAt > REPORT_INTERVAL_MS) {
        report(new Map(counts));
        reportedAt = now;
        await delay(0, signal); // the view is rendered in this task
      }
      pausedAt = performance.now();
    }
  }
  report(counts);
}

/** The lines of each row that has some of the lines, in order. An entry of another branch is a row of its own. */
function* listRows(rows: BranchRows, lines: readonly number[]): Generator<number[]> {
  const { tree } = rows;
  let last: number | undefined;
  for (const line of lines) {
    const position = tree.findByLine(line);
    const row = position === undefined || tree.line[position] !== line ? undefined : rows.findRow(position);
    if (row === undefined) yield [line];
    else if (row !== last) yield Array.from(rows.positions(row), (each) => tree.line[each] as number);
    last = row;
  }
}

/** Rows for one request of their entries, without those with known counts. */
function* toBatches(
  rows: Iterable<number[]>,
  isKnown: (row: readonly number[]) => boolean,
): Generator<number[][]> {
  let [batch, size]: [number[][], number] = [[], 0];
  for (const row of rows) {
    batch.push(row);
    if (!isKnown(row)) size += row.length;
    if (size < BATCH_SIZE) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  yield batch;
}

async function load(
  session: string,
  lines: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, LocatedEntryJson>> {
  const loaded = new Map<number, LocatedEntryJson>();
  for (let start = 0; start < lines.length; start += BATCH_SIZE) {
    const some = lines.slice(start, start + BATCH_SIZE).join(",");
    const { entries } = await apiGet("entries", { session, lines: some }, signal);
    for (const entry of entries) loaded.set(entry.line, entry);
  }
  return loaded;
}

/** The numbers of matches in the entries of a row, by line. */
function countInRow(
  row: readonly number[],
  byLine: ReadonlyMap<number, LocatedEntryJson>,
  display: { found: FoundText } & Pick<Counting, "hidesCalls" | "failedOnly" | "folder">,
): MatchCounts {
  const [placed, ...results] = row.flatMap((line) => byLine.get(line) ?? []);
  const hits = row.filter((line) => display.found.lines.has(line));
  // Not readable any more. Without a count of each entry, the total would never be known.
  if (!placed) return new Map(hits.map((line) => [line, 0]));
  const element = document.createElement("div");
  render(
    <DisplayContext.Provider value={{ links: NO_LINKS, ...display }}>
      <EntryView {...{ placed, results }} />
    </DisplayContext.Provider>,
    element,
  );
  const counts = hits.map((line) => [line, listMarks(element, line, placed.line).length] as const);
  render(null, element); // before its effects run
  return new Map(counts);
}
