import { PidexError } from "../../src/errors.ts";
import { memoize } from "../../src/memoize.ts";
import type { Entry } from "../../src/session/entries.ts";
import { isPlainEntry } from "../../src/session/plain-entry.ts";
import { type EntryText, extractEntryText } from "../../src/session/text.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type LocationRow, readLocations } from "../entry-locations.ts";
import { EntryReader } from "../entry-reader.ts";

/** Texts of entries, read from their files once each. */
export class EntryTexts {
  readonly #db: Reader;
  readonly #read = new Map<number, { place: LocationRow; text: EntryText }>();
  /** Files with lines that have changed since they were indexed. Their entries are omitted, because offsets are unreliable. */
  readonly changedFiles = new Set<string>();

  constructor(db: Reader) {
    this.#db = db;
  }

  /** Reads the entries with these ids, unless already read. */
  async read(ids: readonly number[]): Promise<void> {
    const unread = ids.filter((id) => !this.#read.has(id));
    if (unread.length > 0) await this.readAt(await readLocations(this.#db, unread));
  }

  /** Reads the entries of these rows, unless already read. */
  async readAt(rows: readonly LocationRow[]): Promise<void> {
    const unread = rows.filter(({ id }) => !this.#read.has(id));
    let file: { path: string; open: EntryReader } | undefined;
    try {
      for (const place of unread.sort((a, b) => a.file_id - b.file_id || a.line - b.line)) {
        try {
          if (file?.path !== place.path) {
            file?.open.close();
            file = undefined;
            file = { path: place.path, open: new EntryReader(place.path, place.version) };
          }
          this.#read.set(place.id, { place, text: extractEntryText(await readEntry(file.open, place)) });
        } catch (error) {
          if (!(error instanceof PidexError)) throw error;
          this.changedFiles.add(place.path);
        }
      }
    } finally {
      file?.open.close();
    }
  }

  /** Returns an entry that was read; undefined if its file has changed. */
  get(id: number): { place: LocationRow; text: EntryText } | undefined {
    const read = this.#read.get(id);
    return read && !this.changedFiles.has(read.place.path) ? read : undefined;
  }
}

/** Parser for entries that need validation, loaded on first use. */
const parser = memoize(() => import("../../src/session/parse.ts"));

async function readEntry(file: EntryReader, place: LocationRow): Promise<Entry> {
  const object = file.readObject(place);
  if (isPlainEntry(object)) return file.verifyEntry(object as Entry, place);
  return file.readEntry(place, (await parser()).parseEntry);
}
