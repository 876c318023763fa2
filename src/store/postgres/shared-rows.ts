import type { ClientBase } from "pg";
import type { NewEntry } from "../file-rows.ts";
import { encodeArray } from "./binary-array.ts";
import { type Columns, insertRows, toStorable } from "./insert-rows.ts";
import type { Posting } from "./postings.ts";

interface Touch {
  line: number;
  path: string;
  ordinal: number;
  action: string;
}

/**
 * The words and paths of some lines. Files of a shelf share them, and a transaction that adds one makes others with the same one wait
 * until it ends. So they are written last, and in order: two transactions that wait for each other would end in a deadlock.
 */
export class SharedRows {
  readonly #shelf: number;
  readonly #file: number;
  readonly #words = new Set<string>();
  readonly #touches: Touch[] = [];

  constructor({ shelf, id }: { shelf: number; id: number }) {
    this.#shelf = shelf;
    this.#file = id;
  }

  add(postings: readonly Posting[], entries: readonly NewEntry[]): void {
    for (const { word } of postings) this.#words.add(word);
    for (const { line, touches } of entries) {
      for (const { path, ordinal, action } of touches) {
        this.#touches.push({ line, path: toStorable(path), ordinal, action });
      }
    }
  }

  /** Writes the words, the paths, and the touches of these. */
  async write(client: ClientBase): Promise<void> {
    await Promise.all([this.#addWords(client), this.#addTouches(client)]);
  }

  async #addWords(client: ClientBase): Promise<void> {
    if (this.#words.size === 0) return;
    await client.query({
      name: "add words",
      text: `INSERT INTO vocabulary (shelf, word)
        SELECT $1, word FROM unnest($2::text[]) AS new (word) ORDER BY word COLLATE "C"
        ON CONFLICT (shelf, word) DO NOTHING`,
      values: [this.#shelf, encodeArray("text", [...this.#words])],
    });
  }

  async #addTouches(client: ClientBase): Promise<void> {
    if (this.#touches.length === 0) return;
    const ids = await this.#addPaths(client);
    const rows = this.#touches.map(({ path, line, ordinal, action }) => [
      ...[this.#shelf, ids.get(path) as number, this.#file, line, ordinal, action],
    ]);
    await insertRows(client, { table: "touch", columns: TOUCH_COLUMNS, rows });
  }

  async #addPaths(client: ClientBase): Promise<ReadonlyMap<string, number>> {
    const paths = [...new Set(this.#touches.map(({ path }) => path))].sort();
    // The second SELECT sees the rows that were there before, and `added` those that are new.
    const { rows } = await client.query<{ id: number; path: string }>({
      name: "add paths",
      text: `WITH added AS (
          INSERT INTO path (shelf, path) SELECT $1, * FROM unnest($2::text[])
          ON CONFLICT (shelf, path) DO NOTHING RETURNING id, path)
        SELECT id, path FROM added UNION ALL SELECT id, path FROM path WHERE shelf = $1 AND path = ANY ($2)`,
      values: [this.#shelf, paths],
    });
    const ids = new Map(rows.map(({ id, path }) => [path, id]));
    const missing = paths.filter((path) => !ids.has(path));
    if (missing.length > 0) {
      // Another transaction has added them since this statement began.
      const later = await client.query<{ id: number; path: string }>(
        "SELECT id, path FROM path WHERE shelf = $1 AND path = ANY ($2)",
        [this.#shelf, missing],
      );
      for (const { id, path } of later.rows) ids.set(path, id);
    }
    return ids;
  }
}

const TOUCH_COLUMNS: Columns = {
  ...{ shelf: "int", path_id: "int", file_id: "int", line: "int", ordinal: "int", action: "text" },
};
