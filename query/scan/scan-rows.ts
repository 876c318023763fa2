import { PidexError, SYNC_AND_RETRY } from "../../src/errors.ts";
import type { EntryLocation } from "../../src/store/entry-reads.ts";
import type { FileTable } from "../../src/store/schema.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";

/** A file to scan, as indexed. */
export type ScanFile = Pick<FileTable, "path" | "version" | "size" | "mtime_ns" | "ctime_ns" | "cursor"> & {
  id: number;
  /** JSON array of the row ids of the selected entries; null if all are selected. */
  selectedIds: string | null;
  /** Total bytes of those entries, and their number. */
  selectedBytes: number;
  selectedCount: number;
};

/** The columns needed to read an entry. */
export type ScanRow = EntryLocation & { id: number };

/** Conditions that narrow a scan within its scope. */
export interface ScanConditions {
  /** A condition on `entry`, `file` and `session`. */
  condition?: Sql<SqlBool>;
  /** A condition on `file` and `session`. */
  sessionCondition?: Sql<SqlBool>;
}

/**
 * Returns the files to scan, newest session first. The condition on entries is evaluated once for all files: with full text
 * in it, evaluating it per file would take minutes.
 */
export async function listFilesToScan(
  db: Reader,
  scope: Scope,
  { condition, sessionCondition = sql`TRUE` }: ScanConditions,
): Promise<ScanFile[]> {
  const file = sql`file.id, file.path, file.version, file.size, file.mtime_ns, file.ctime_ns, file.cursor`;
  const sessions = sql`${inScope(scope)} AND ${sessionCondition}`;
  const order = sql`session.modified DESC, file.id DESC`;
  const statement = condition
    ? // One text of ids per file takes a tenth of the memory that rows would.
      sql<ScanFile>`
        SELECT ${file}, json_group_array(entry.id) AS selectedIds, sum(entry.byte_length) AS selectedBytes,
          count(*) AS selectedCount
        FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = file.id
        WHERE ${sessions} AND ${condition} GROUP BY file.id ORDER BY ${order}`
    : sql<ScanFile>`
        SELECT ${file}, NULL AS selectedIds, file.cursor AS selectedBytes, 0 AS selectedCount
        FROM file JOIN session ON session.file_id = file.id WHERE ${sessions} ORDER BY ${order}`;
  return (await statement.execute(db)).rows;
}

const PAGE_ROWS = 500;

const columns = sql`entry.id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id,
  entry.parent_id, entry.type, entry.timestamp`;

/**
 * Reads the selected rows of a file in file order, which is the order of their ids.
 *
 * @throws PidexError `FILE_CHANGED` if another process has reindexed the file meanwhile
 */
export async function* readSelectedRows(db: Reader, file: ScanFile): AsyncGenerator<ScanRow[]> {
  if (file.selectedIds !== null) {
    const ids = Float64Array.from(JSON.parse(file.selectedIds) as number[]).sort();
    for (let from = 0; from < ids.length; from += PAGE_ROWS) {
      const { rows } = await sql<ScanRow>`
        SELECT ${columns} FROM entry
        WHERE entry.id IN ${sql.list(ids.subarray(from, from + PAGE_ROWS))} AND entry.file_id = ${file.id}
        ORDER BY entry.id`.execute(db);
      if (rows.length < Math.min(PAGE_ROWS, ids.length - from)) throw reindexed(file.path);
      yield rows;
    }
    return;
  }
  for (let after = 0, full = true; full; ) {
    const { rows } = await sql<ScanRow>`
      SELECT ${columns} FROM entry WHERE entry.file_id = ${file.id} AND entry.id > ${after}
      ORDER BY entry.id LIMIT ${PAGE_ROWS}`.execute(db);
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.id ?? 0;
    full = rows.length === PAGE_ROWS;
  }
}

/** The row of a file's last indexed entry. */
export async function readLastRow(db: Reader, fileId: number): Promise<ScanRow | undefined> {
  const { rows } = await sql<ScanRow>`
    SELECT ${columns} FROM entry WHERE entry.file_id = ${fileId} ORDER BY entry.id DESC LIMIT 1`.execute(db);
  return rows[0];
}

function reindexed(path: string): PidexError {
  return new PidexError("FILE_CHANGED", `${path} was reindexed during the scan`, SYNC_AND_RETRY);
}
