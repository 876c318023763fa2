import { PidexError } from "../../src/errors.ts";
import { memoize } from "../../src/memoize.ts";
import type { Entry } from "../../src/session/entries.ts";
import { isPlainEntry } from "../../src/session/plain-entry.ts";
import { type EntryText, extractEntryText } from "../../src/session/text.ts";
import type { LocationRow } from "../../src/store/entry-reads.ts";
import type { Position } from "../../src/store/position.ts";
import type { Store } from "../../src/store/store.ts";
import { EntryReader } from "../entry-reader.ts";

/** Texts of entries, read from their files once each. */
export class EntryTexts {
  readonly #store: Store;
  readonly #read = new Map<Position, { place: LocationRow; text: EntryText }>();
  /** Files with lines that have changed since they were indexed. Their entries are omitted, because offsets are unreliable. */
  readonly changedFiles = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the entries at these positions, unless already read. */
  async read(positions: readonly Position[]): Promise<void> {
    const unread = positions.filter((position) => !this.#read.has(position));
    if (unread.length === 0) return;
    const entries = await this.#store.entries();
    await this.readAt(await entries.getLocations(unread, { copies: false }));
  }

  /** Reads the entries of these rows, unless already read. */
  async readAt(rows: readonly LocationRow[]): Promise<void> {
    const unread = rows.filter(({ position }) => !this.#read.has(position));
    const files = Map.groupBy(unread, ({ file_id }) => file_id);
    for (const places of files.values()) {
      await this.#readFile(places.sort((a, b) => a.line - b.line));
    }
  }

  /** Reads the entries of these rows of one file. */
  async #readFile(places: readonly LocationRow[]): Promise<void> {
    const [{ path, version }] = places as [LocationRow];
    let file: EntryReader | undefined;
    try {
      file = await EntryReader.open(this.#store, { path, version }, places);
      for (const place of places) {
        const read = file.readObject(place);
        const object = read instanceof Promise ? await read : read;
        const entry = isPlainEntry(object)
          ? file.verifyEntry(object as Entry, place)
          : await file.readEntry(place, (await parser()).parseEntry);
        this.#read.set(place.position, { place, text: extractEntryText(entry) });
      }
    } catch (error) {
      if (!(error instanceof PidexError)) throw error;
      this.changedFiles.add(path);
    } finally {
      file?.close();
    }
  }

  /** Returns an entry that was read; undefined if its file has changed. */
  get(position: Position): { place: LocationRow; text: EntryText } | undefined {
    const read = this.#read.get(position);
    return read && !this.changedFiles.has(read.place.path) ? read : undefined;
  }
}

/** Parser for entries that need validation, loaded on first use. */
const parser = memoize(() => import("../../src/session/parse.ts"));
