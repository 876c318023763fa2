import type { Session } from "../../../fixtures/builder.ts";
import type { ScanPattern } from "../../../query/options.ts";
import { type ScanEntriesOptions, type ScanMatch, scanEntries } from "../../../query/scan/scan.ts";
import type { SessionHeader } from "../../../src/session/entries.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { parseEntry } from "../../../src/session/parse.ts";
import { type EntryText, extractEntryText } from "../../../src/session/text.ts";
import { getHeaderVersion, upgradeEntry } from "../../../src/session/upgrade.ts";
import type { EntryCondition } from "../../../src/store/conditions.ts";
import type { Position } from "../../../src/store/position.ts";
import type { ScanConditions } from "../../../src/store/scan-reads.ts";
import type { Database } from "../../../src/store/sqlite/open.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";
import { type Fields, plainSession } from "../brute-force.ts";

export interface Scanned {
  db: Database;
  root: string;
  paths: string[];
}

/** Writes sessions, and returns a synced database over them. */
export async function createScanned(...sessions: Session[]): Promise<Scanned> {
  const root = temporaryFolder();
  const paths = sessions.map((session, n) => session.write(`${root}/${n}.jsonl`));
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, root);
  return { db, root, paths };
}

export function scan(
  { db, root }: Pick<Scanned, "db" | "root">,
  pattern: ScanPattern,
  options?: ScanEntriesOptions,
) {
  return scanEntries(new SqliteStore(db.reader, { roots: [toRoot(root)] }), pattern, options);
}

/** Selects the entries that satisfy all of these conditions. */
export function entriesThat(...entry: EntryCondition[]): Required<Pick<ScanConditions, "entries">> {
  return { entries: { texts: [], excluded: [], entry } };
}

/** A hit and its row. */
export interface FoundRow extends ScanMatch {
  row: { path: string; line: number; role: string | null; byte_offset: number; byte_length: number };
}

function rowOf({ db }: Pick<Scanned, "db">, position: Position): FoundRow["row"] {
  const row = db.writer
    .prepare<[Position], FoundRow["row"]>(
      `SELECT path, line, role, byte_offset, byte_length
       FROM entry JOIN file ON file.id = entry.file_id WHERE entry.id = ?`,
    )
    .get(position);
  return row as FoundRow["row"];
}

/** All hits of a scan, and the changed files it reports. */
export async function scanAll(
  scanned: Pick<Scanned, "db" | "root">,
  pattern: ScanPattern,
  options?: ScanEntriesOptions,
): Promise<{ hits: FoundRow[]; changedFiles: string[] }> {
  const hits: FoundRow[] = [];
  const changedFiles: string[] = [];
  const onChangedFile = (path: string) => changedFiles.push(path);
  for await (const hit of scan(scanned, pattern, { ...options, onChangedFile })) {
    hits.push({ ...hit, row: rowOf(scanned, hit.position) });
  }
  return { hits, changedFiles };
}

/** The location of a hit, its first matching part, and the number of matches. */
export interface HitLocation {
  path: string;
  line: number;
  part: string;
  count: number;
}

export const toLocation = ({ row, part, matchCount }: FoundRow): HitLocation => ({
  path: row.path,
  line: row.line,
  part,
  count: matchCount,
});

/** The expected hits of a scan, by a loop over every line of every file. */
export function expectedHits(paths: readonly string[], matches: (text: string) => number): HitLocation[] {
  return paths.flatMap((path) => {
    const plain = plainSession(path);
    const version = plain ? getHeaderVersion(plain.header as SessionHeader) : 3;
    return (plain?.entries ?? []).flatMap(({ line, entry }): HitLocation[] => {
      const text = extractParts(entry, version);
      const found = (["said", "called", "output", "thought"] as const).flatMap((part) => {
        const count = matches(text[part]);
        return count > 0 ? [{ part, count }] : [];
      });
      const count = found.reduce((sum, each) => sum + each.count, 0);
      return found[0] ? [{ path, line, part: found[0].part, count }] : [];
    });
  });
}

/** `extractEntryText` and the repair of invalid fields have their own tests: here lines are only parsed. */
function extractParts(entry: Fields, version: number): EntryText {
  const upgraded = upgradeEntry(entry, { index: 1, previousId: null }, version);
  return extractEntryText(parseEntry(upgraded, { byteOffset: 0, line: 1 }).value);
}

export const compareLocations = (a: HitLocation, b: HitLocation): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line;
