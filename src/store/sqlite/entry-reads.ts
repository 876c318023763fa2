import type { EntryReads } from "../entry-reads.ts";
import type { Reader } from "./reader.ts";
import type { Scope } from "./scope.ts";
import { type SqlBool, sql } from "./sql.ts";

export class SqliteEntryReads implements EntryReads {
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  // The next three include other roots, because that is faster: what is found is used in conditions within the scope.

  async listPaths(candidates?: readonly string[]): Promise<{ id: number; path: string }[]> {
    const among = candidates ? sql<SqlBool>`path IN (${sql.join(candidates)})` : sql<SqlBool>`TRUE`;
    const { rows } = await sql<{ id: number; path: string }>`
      SELECT id, path FROM path WHERE ${among} ORDER BY id`.execute(this.#db);
    return rows;
  }

  async listTexts(of: "name" | "label"): Promise<string[]> {
    const texts =
      of === "name"
        ? sql<{ text: string | null }>`SELECT DISTINCT name AS text FROM session`
        : sql<{ text: string | null }>`SELECT DISTINCT label AS text FROM label`;
    const { rows } = await texts.execute(this.#db);
    return rows.flatMap(({ text }) => text ?? []);
  }

  async listFiles(): Promise<{ file: number; path: string }[]> {
    const { rows } = await sql<{ file: number; path: string }>`SELECT id AS file, path FROM file`.execute(
      this.#db,
    );
    return rows;
  }
}
