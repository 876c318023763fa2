import { PidexError, SYNC_AND_RETRY } from "../src/errors.ts";
import type { Entry } from "../src/session/entries.ts";
import type { parseEntry } from "../src/session/parse.ts";
import { parseLine } from "../src/session/parse-line.ts";
import { withIsoTime } from "../src/session/times.ts";
import { upgradeEntry } from "../src/session/upgrade.ts";
import type { EntryLocation, LinePlace, LineSource } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";

/** A session file, by its path and the version of its format. */
interface SessionFile {
  path: string;
  version: number;
}

/** An open session file from which entries are read by their rows. */
export class EntryReader {
  readonly #lines: LineSource;
  readonly #path: string;
  readonly #version: number;

  /** @param lines the file's; closed with this reader */
  constructor(lines: LineSource, { path, version }: SessionFile) {
    this.#lines = lines;
    this.#path = path;
    this.#version = version;
  }

  /** @param rows those that will be read, in order @throws PidexError `FILE_UNREADABLE` */
  static async open(store: Store, file: SessionFile, rows: readonly LinePlace[]): Promise<EntryReader> {
    const entries = await store.entries();
    return new EntryReader(await entries.openLines(file.path, rows), file);
  }

  /**
   * Reads the entry of a row, upgraded to version 3. The line must still contain the same entry: same type, id and time. Not a
   * promise if the store has the line already: there may be 200,000 to read.
   *
   * @param parse `parseEntry`, passed in because loading it is slow
   * @throws PidexError `FILE_CHANGED` if it does not, `FILE_UNREADABLE`
   */
  readEntry(place: EntryLocation, parse: typeof parseEntry): Entry | Promise<Entry> {
    const bytes = this.#lines.read(place);
    if (bytes instanceof Promise) return bytes.then((read) => this.#toEntry(read, place, parse));
    return this.#toEntry(bytes, place, parse);
  }

  /** The bytes of a row's line, whatever is there. @throws PidexError `FILE_UNREADABLE` */
  readLine(place: EntryLocation): Buffer | Promise<Buffer> {
    return this.#lines.read(place);
  }

  /** Reads the JSON object of a row's entry, upgraded but not validated. @throws as `readEntry` */
  readObject(place: EntryLocation): Record<string, unknown> | Promise<Record<string, unknown>> {
    const bytes = this.#lines.read(place);
    return bytes instanceof Promise
      ? bytes.then((read) => this.#toObject(read, place))
      : this.#toObject(bytes, place);
  }

  /** Returns an entry, parsed or as it is in the file, if it is still the row's. @throws as `readEntry` */
  verifyEntry(entry: Entry, place: EntryLocation): Entry {
    const { timestamp } = withIsoTime({ timestamp: entry.timestamp });
    const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
    const same =
      wellFormed(entry.type) === place.type &&
      wellFormed(entry.id ?? null) === place.entry_id &&
      (Number.isNaN(time) ? null : time) === place.timestamp;
    if (!same) throw this.#changed(place.byte_offset);
    return entry;
  }

  #toEntry(bytes: Buffer, place: EntryLocation, parse: typeof parseEntry): Entry {
    const object = this.#toObject(bytes, place);
    return this.verifyEntry(parse(object, { byteOffset: place.byte_offset, line: place.line }).value, place);
  }

  #toObject(bytes: Buffer, place: EntryLocation): Record<string, unknown> {
    const { byte_offset: offset, byte_length: length, line } = place;
    const { object } = parseLine({ offset, length, bytes, terminated: true }, line);
    if (!object) throw this.#changed(offset);
    // Version 1 has no ids: rows have ids derived from the position, so the position is parsed from the id.
    const index = this.#version < 2 ? Number.parseInt(String(place.entry_id), 16) : 0;
    return upgradeEntry(object, { index, previousId: place.parent_id }, this.#version);
  }

  #changed(offset: number): PidexError {
    return new PidexError(
      "FILE_CHANGED",
      `${this.#path} has changed at byte ${offset} since it was indexed`,
      SYNC_AND_RETRY,
    );
  }

  close(): void {
    this.#lines.close();
  }
}

/** Text as the index has it: lone surrogates become U+FFFD. */
function wellFormed<T>(value: T): T | string {
  return typeof value === "string" ? value.toWellFormed() : value;
}
