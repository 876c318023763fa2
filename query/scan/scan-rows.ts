import { PidexError } from "../../src/errors.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { FileTable } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import type { EntryPlace } from "../read-back.ts";
import { inScope, type Scope } from "../scope.ts";

/** A file to look through, as the index knows it. */
export type ScanFile = Pick<FileTable, "path" | "version" | "size" | "mtime_ns" | "ctime_ns" | "cursor"> & {
  id: number;
  /** The rows of the entries that are asked for, as a JSON array; null when all are. */
  wanted: string | null;
  /** How many bytes those entries have, and how many they are. */
  wantedBytes: number;
  wantedCount: number;
};

/** An entry's row, as far as reading it takes. */
export type ScanRow = EntryPlace & { id: number };

/** What a scan is narrowed to, beyond its scope. */
export interface ScanConditions {
  /** Which entries: a condition on `entry`, `file` and `session`. */
  condition?: Sql<SqlBool>;
  /** Which sessions: a condition on `file` and `session`. */
  sessionCondition?: Sql<SqlBool>;
}

/**
 * The files to look through, those of the newest sessions first. The condition on entries is asked once for all
 * files: with full text in it, once for each would take minutes.
 */
export async function filesToScan(
  db: Reader,
  scope: Scope,
  { condition, sessionCondition = sql`TRUE` }: ScanConditions,
): Promise<ScanFile[]> {
  const file = sql`file.id, file.path, file.version, file.size, file.mtime_ns, file.ctime_ns, file.cursor`;
  const sessions = sql`${inScope(scope)} AND ${sessionCondition}`;
  const order = sql`session.modified DESC, file.id DESC`;
  const statement = condition
    ? // As one text a file, the ids take a tenth of the memory that rows would.
      sql<ScanFile>`
        SELECT ${file}, json_group_array(entry.id) AS wanted, sum(entry.byte_length) AS wantedBytes,
          count(*) AS wantedCount
        FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = file.id
        WHERE ${sessions} AND ${condition} GROUP BY file.id ORDER BY ${order}`
    : sql<ScanFile>`
        SELECT ${file}, NULL AS wanted, file.cursor AS wantedBytes, 0 AS wantedCount
        FROM file JOIN session ON session.file_id = file.id WHERE ${sessions} ORDER BY ${order}`;
  return (await statement.execute(db)).rows;
}

/** Rows that are fetched at a time. */
const PAGE = 500;

const columns = sql`entry.id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id,
  entry.parent_id, entry.type, entry.timestamp`;

/**
 * The rows that are asked for in a file, in file order, which is that of their ids.
 *
 * @throws PidexError `FILE_CHANGED` when another process has indexed the file anew since it was asked
 */
export async function* wantedRows(db: Reader, file: ScanFile): AsyncGenerator<ScanRow[]> {
  if (file.wanted !== null) {
    const ids = Float64Array.from(JSON.parse(file.wanted) as number[]).sort();
    for (let from = 0; from < ids.length; from += PAGE) {
      const some = JSON.stringify(Array.from(ids.subarray(from, from + PAGE)));
      const { rows } = await sql<ScanRow>`
        SELECT ${columns} FROM entry
        WHERE entry.id IN (SELECT value FROM json_each(${some})) AND entry.file_id = ${file.id}
        ORDER BY entry.id`.execute(db);
      if (rows.length < Math.min(PAGE, ids.length - from)) throw indexedAnew(file.path);
      yield rows;
    }
    return;
  }
  for (let after = 0, full = true; full; ) {
    const { rows } = await sql<ScanRow>`
      SELECT ${columns} FROM entry WHERE entry.file_id = ${file.id} AND entry.id > ${after}
      ORDER BY entry.id LIMIT ${PAGE}`.execute(db);
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.id ?? 0;
    full = rows.length === PAGE;
  }
}

/** The row of the last entry that was indexed in a file. */
export async function lastRow(db: Reader, fileId: number): Promise<ScanRow | undefined> {
  const { rows } = await sql<ScanRow>`
    SELECT ${columns} FROM entry WHERE entry.file_id = ${fileId} ORDER BY entry.id DESC LIMIT 1`.execute(db);
  return rows[0];
}

function indexedAnew(path: string): PidexError {
  return new PidexError("FILE_CHANGED", `${path} was indexed anew meanwhile`, "Ask again.");
}
