import { closeSync } from "node:fs";
import { PidexError, SYNC_AND_RETRY } from "../src/errors.ts";
import type { Entry } from "../src/session/entries.ts";
import { type Line, LONG_LINE_HEAD_BYTES, MAX_LINE_BYTES, readAt } from "../src/session/lines.ts";
import { openForReading } from "../src/session/open-for-reading.ts";
import type { parseEntry } from "../src/session/parse.ts";
import { parseLine } from "../src/session/parse-line.ts";
import { upgradeEntry } from "../src/session/upgrade.ts";
import type { EntryLocation } from "../src/store/entry-reads.ts";
import { toUnreadableError } from "./unreadable-error.ts";

/** An open session file from which entries are read by their rows. */
export class EntryReader {
  /** File descriptor, for reading other parts of the file. */
  readonly fd: number;
  readonly #path: string;
  readonly #version: number;

  /** @throws PidexError `FILE_UNREADABLE` */
  constructor(path: string, version: number) {
    this.#path = path;
    this.#version = version;
    try {
      this.fd = openForReading(path);
    } catch (error) {
      throw toUnreadableError(path, error);
    }
  }

  /**
   * Reads the entry of a row, upgraded to version 3. The line must still contain the same entry: same type, id and time.
   *
   * @param parse `parseEntry`, passed in because loading it is slow
   * @throws PidexError `FILE_CHANGED` if it does not
   */
  readEntry(place: EntryLocation, parse: typeof parseEntry): Entry {
    const object = this.readObject(place);
    return this.verifyEntry(parse(object, { byteOffset: place.byte_offset, line: place.line }).value, place);
  }

  /** Reads the JSON object of a row's entry, upgraded but not validated. @throws as `readEntry` */
  readObject(place: EntryLocation): Record<string, unknown> {
    const { byte_offset: offset, byte_length: length, line } = place;
    const bytes = this.#read(offset, length > MAX_LINE_BYTES ? LONG_LINE_HEAD_BYTES : length);
    const read: Line = { offset, length, bytes, terminated: true };
    const { object } = parseLine(read, line);
    if (!object) throw this.#changed(offset);
    // Version 1 has no ids: rows have ids derived from the position, so the position is parsed from the id.
    const index = this.#version < 2 ? Number.parseInt(String(place.entry_id), 16) : 0;
    return upgradeEntry(object, { index, previousId: place.parent_id }, this.#version);
  }

  /** Returns a parsed entry if it is still the row's. @throws as `readEntry` */
  verifyEntry(entry: Entry, place: EntryLocation): Entry {
    const time = Date.parse(entry.timestamp ?? "");
    const same =
      wellFormed(entry.type) === place.type &&
      wellFormed(entry.id ?? null) === place.entry_id &&
      (Number.isNaN(time) ? null : time) === place.timestamp;
    if (!same) throw this.#changed(place.byte_offset);
    return entry;
  }

  #read(offset: number, length: number): Buffer {
    try {
      return readAt(this.fd, offset, length);
    } catch (error) {
      throw toUnreadableError(this.#path, error); // a folder or a pipe replaced the file
    }
  }

  #changed(offset: number): PidexError {
    return new PidexError(
      "FILE_CHANGED",
      `${this.#path} has changed at byte ${offset} since it was indexed`,
      SYNC_AND_RETRY,
    );
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Text as SQLite stores it: lone surrogates become U+FFFD. */
function wellFormed<T>(value: T): T | string {
  return typeof value === "string" ? value.toWellFormed() : value;
}
