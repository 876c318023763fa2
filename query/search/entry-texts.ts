import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.ts";
import { PidexError } from "../../src/errors.ts";
import { type EntryText, entryText } from "../../src/session/text.ts";
import { isCurrent } from "../field-condition.ts";
import { type EntryPlace, ReadBack } from "../read-back.ts";

/** The row of an entry, with all that finding it in its file takes. */
export interface PlaceRow extends EntryPlace {
  id: number;
  role: string | null;
  path: string;
  version: number;
  session_id: string;
  current: number;
}

/** The columns of a `PlaceRow`, for a query from `entry`, `file` and `session`. */
export const placeColumns = sql`
  entry.id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id, entry.parent_id, entry.type, entry.role,
  entry.timestamp, file.path, file.version, session.id AS session_id, ${isCurrent} AS current`;

/** The texts of entries, read back from their files: each once, however often it is asked for. */
export class EntryTexts {
  readonly #db: Kysely<Schema>;
  readonly #read = new Map<number, { place: PlaceRow; text: EntryText }>();
  /** Files whose lines are no longer what was indexed. Nothing of them is given: what looks right may stand elsewhere. */
  readonly changedFiles = new Set<string>();

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** Reads the entries of these ids that were not read yet. */
  async read(ids: readonly number[]): Promise<void> {
    const unread = JSON.stringify(ids.filter((id) => !this.#read.has(id)));
    const { rows } = await sql<PlaceRow>`
      SELECT ${placeColumns}
      FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
      WHERE entry.id IN (SELECT value FROM json_each(${unread}))
      ORDER BY file.path, entry.line`.execute(this.#db);
    let file: { path: string; open: ReadBack } | undefined;
    try {
      for (const place of rows) {
        try {
          if (file?.path !== place.path) {
            file?.open.close();
            file = undefined;
            file = { path: place.path, open: new ReadBack(place.path, place.version) };
          }
          this.#read.set(place.id, { place, text: entryText(file.open.entry(place)) });
        } catch (error) {
          if (!(error instanceof PidexError)) throw error;
          this.changedFiles.add(place.path);
        }
      }
    } finally {
      file?.open.close();
    }
  }

  /** An entry that was read; undefined when its file changed. */
  get(id: number): { place: PlaceRow; text: EntryText } | undefined {
    const read = this.#read.get(id);
    return read && !this.changedFiles.has(read.place.path) ? read : undefined;
  }
}
