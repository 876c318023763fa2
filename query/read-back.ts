import { closeSync } from "node:fs";
import { PidexError } from "../src/errors.ts";
import type { Entry } from "../src/session/entries.ts";
import { type Line, LONG_LINE_HEAD_BYTES, MAX_LINE_BYTES, readAt } from "../src/session/lines.ts";
import { openToRead } from "../src/session/open-to-read.ts";
import type { parseEntry } from "../src/session/parse.ts";
import { parseLine } from "../src/session/parse-line.ts";
import { upgradeEntry } from "../src/session/upgrade.ts";
import type { EntryTable } from "../src/store/sqlite/schema.ts";
import { unreadable } from "./unreadable.ts";

/** What a row says of an entry, as far as finding it in its file takes. */
export type EntryPlace = Pick<
  EntryTable,
  "line" | "byte_offset" | "byte_length" | "entry_id" | "parent_id" | "type" | "timestamp"
>;

/** An open session file from which entries are read back by their rows. */
export class ReadBack {
  /** The open file, to read in beside it. */
  readonly fd: number;
  readonly #path: string;
  readonly #version: number;

  /** @throws PidexError `FILE_UNREADABLE` */
  constructor(path: string, version: number) {
    this.#path = path;
    this.#version = version;
    try {
      this.fd = openToRead(path);
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  /**
   * The entry of a row, upgraded to version 3. The line must still be that entry: same type, id and time.
   *
   * @param parse `parseEntry`, from whoever has loaded it
   * @throws PidexError `FILE_CHANGED` when it is not
   */
  entry(place: EntryPlace, parse: typeof parseEntry): Entry {
    const object = this.object(place);
    return this.sameEntry(parse(object, { byteOffset: place.byte_offset, line: place.line }).value, place);
  }

  /** What stands there of the entry of a row, upgraded, and not yet typed. @throws as `entry` */
  object(place: EntryPlace): Record<string, unknown> {
    const { byte_offset: offset, byte_length: length, line } = place;
    const bytes = this.#read(offset, length > MAX_LINE_BYTES ? LONG_LINE_HEAD_BYTES : length);
    const read: Line = { offset, length, bytes, terminated: true };
    const { object } = parseLine(read, line);
    if (!object) throw this.#changed(offset);
    // Version 1 has no ids of its own: its rows have ids made of the standing, so they tell the standing.
    const index = this.#version < 2 ? Number.parseInt(String(place.entry_id), 16) : 0;
    return upgradeEntry(object, { index, previousId: place.parent_id }, this.#version);
  }

  /** An entry that was read and typed, when it is still that of the row. @throws as `entry` */
  sameEntry(entry: Entry, place: EntryPlace): Entry {
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
      throw unreadable(this.#path, error); // a folder or a pipe has taken the file's place
    }
  }

  #changed(offset: number): PidexError {
    return new PidexError(
      "FILE_CHANGED",
      `${this.#path} was changed at byte ${offset} since it was indexed`,
      "Sync again: pidex index.",
    );
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Text as SQLite keeps it: a lone surrogate comes back as U+FFFD. */
function wellFormed<T>(value: T): T | string {
  return typeof value === "string" ? value.toWellFormed() : value;
}
