import { PidexError } from "../../src/errors.ts";
import type { Entry } from "../../src/session/entries.ts";
import type { LocationRow } from "../../src/store/entry-reads.ts";
import type { Position } from "../../src/store/position.ts";
import type { Store } from "../../src/store/store.ts";
import { EntryReader } from "../entry-reader.ts";

/** Entries read back for one report, the newest ones: their lines may have several KB each. */
const MAX_ENTRIES = 60_000;

/** Longer lines are left out: a failure's output or an edit that is larger says nothing about others. */
const MAX_BYTES = 4 << 20;

/** Locations read per query. */
const PAGE_SIZE = 2_000;

export interface ReadCounts {
  entries: number;
  bytes: number;
  omitted: number;
  unreadable: number;
}

/** An entry to read back. */
export interface EntryPlace {
  position: Position;
  /** Unix milliseconds of its period: entries of older ones are omitted first. */
  rank: number;
}

export interface LocatedEntries {
  rows: LocationRow[];
  omitted: number;
  /** The ranks of omitted entries. */
  omittedRanks: ReadonlySet<number>;
  missing: number;
}

/** Where the wanted entries are, without those beyond the limit. */
export async function locateEntries(
  store: Store,
  wanted: readonly EntryPlace[],
  maximum = MAX_ENTRIES,
): Promise<LocatedEntries> {
  const unique = [...new Map(wanted.map((place) => [place.position, place])).values()];
  unique.sort((a, b) => b.rank - a.rank);
  const kept = unique.slice(0, maximum).map(({ position }) => position);
  const entries = await store.entries();
  const rows: LocationRow[] = [];
  for (let from = 0; from < kept.length; from += PAGE_SIZE) {
    rows.push(...(await entries.getLocations(kept.slice(from, from + PAGE_SIZE), { copies: false })));
  }
  return {
    rows,
    omitted: unique.length - kept.length,
    omittedRanks: new Set(unique.slice(maximum).map(({ rank }) => rank)),
    missing: kept.length - rows.length,
  };
}

/**
 * Reads located entries from their files. A file that has changed or cannot be read is counted, not an error: the rest of the report
 * does not depend on it.
 *
 * @param pick what to keep of each entry, because all of them together may be larger than memory
 */
export async function readBack<T>(
  store: Store,
  { rows, omitted, missing }: LocatedEntries,
  pick: (entry: Record<string, unknown>) => T,
): Promise<{ get(file: number, line: number): T | undefined; counts: ReadCounts }> {
  const picked = new Map<string, T>();
  const counts: ReadCounts = { entries: 0, bytes: 0, omitted, unreadable: missing };
  for (const [path, ofFile] of Map.groupBy(rows, ({ path }) => path)) {
    const short = ofFile.filter(({ byte_length }) => byte_length <= MAX_BYTES);
    short.sort((a, b) => a.line - b.line);
    counts.omitted += ofFile.length - short.length;
    const [first] = short;
    if (!first) continue;
    let reader: EntryReader;
    try {
      reader = await EntryReader.open(store, { path, version: first.version }, short);
    } catch (error) {
      assertUnreadable(error);
      counts.unreadable += short.length;
      continue;
    }
    try {
      for (const row of short) {
        try {
          const read = reader.readObject(row);
          const object = read instanceof Promise ? await read : read;
          reader.verifyEntry(object as Entry, row);
          picked.set(`${row.file_id}:${row.line}`, pick(object));
          counts.entries++;
          counts.bytes += row.byte_length;
        } catch (error) {
          assertUnreadable(error);
          counts.unreadable++;
        }
      }
    } finally {
      reader.close();
    }
  }
  return { get: (file, line) => picked.get(`${file}:${line}`), counts };
}

/** Rethrows errors that do not concern one file. */
function assertUnreadable(error: unknown): void {
  const isExpected =
    error instanceof PidexError && (error.code === "FILE_UNREADABLE" || error.code === "FILE_CHANGED");
  if (!isExpected) throw error;
}
