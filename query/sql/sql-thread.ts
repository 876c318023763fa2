import { parentPort, workerData } from "node:worker_threads";
import SQLite from "better-sqlite3";
import { systemCode, toMessage } from "../../src/errors.ts";
import { explainError } from "./sql-hints.ts";
import { CREDIT_SLOT, type SqlCell, type SqlMessage, type SqlRequest, WAITING_SLOT } from "./sql-messages.ts";

/** A batch is sent when it reaches any of these sizes, or this age. */
const BATCH_ROWS = 500;
const BATCH_CHARACTERS = 256 * 1024;
const BATCH_MS = 100;

/** Maximum length of a row: a few rows must not fill the reader's memory. */
const MAX_ROW_CHARACTERS = 16_000_000;

/** How long a statement waits for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Runs the query in `workerData` and sends its rows or its error. */
export function runQueryThread(): void {
  const { request, shared } = workerData as { request: SqlRequest; shared: Int32Array };
  const send = (message: SqlMessage) => {
    takeCredit(shared);
    parentPort?.postMessage(message);
  };
  try {
    const db = new SQLite(request.path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    db.pragma("temp_store = MEMORY"); // sorting must not fill the disk; memory is limited
    db.pragma("query_only = ON");
    db.pragma("trusted_schema = OFF");
    try {
      runQuery(db, request, send);
    } catch (error) {
      const failure = toFailure(error);
      send({ failed: { ...failure, ...explainError(db, failure.message, request.sql) } });
    }
  } catch (error) {
    send({ failed: toFailure(error) });
  }
}

function runQuery(db: SQLite.Database, request: SqlRequest, send: (message: SqlMessage) => void): void {
  const statement = db.prepare<[], unknown[]>(request.sql);
  if (!statement.readonly || !statement.reader) {
    throw new SQLite.SqliteError("this statement writes, or returns no rows", "SQLITE_READONLY");
  }
  statement.raw(true).safeIntegers(true);
  let columns: string[] | undefined = statement.columns().map(({ name }) => name);
  let rows: SqlCell[][] = [];
  let characters = 0;
  let batchStart = performance.now();
  let left = request.maxRows ?? Number.POSITIVE_INFINITY;
  const flush = (done: boolean) => {
    send({ ...(columns && { columns }), rows, done });
    columns = undefined;
    rows = [];
    characters = 0;
    batchStart = performance.now();
  };
  for (const values of statement.iterate()) {
    const row = values.map(toCell);
    const length = row.reduce<number>((sum, cell) => sum + getLength(cell), 0);
    if (length > MAX_ROW_CHARACTERS) {
      throw new SQLite.SqliteError(`a row is longer than ${MAX_ROW_CHARACTERS} characters`, "SQLITE_TOOBIG");
    }
    rows.push(row);
    characters += length;
    if (--left === 0) break;
    const isFull = rows.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS;
    if (isFull || performance.now() - batchStart > BATCH_MS) flush(false);
  }
  flush(true);
}

function toCell(value: unknown): SqlCell {
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return { blob: Buffer.from(value).toString("hex") };
  return value as string | null;
}

function getLength(cell: SqlCell): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? cell.blob.length : 8;
}

/** Waits until another message may be sent. Errors count like batches. */
function takeCredit(shared: Int32Array): void {
  while (Atomics.load(shared, CREDIT_SLOT) === 0) {
    Atomics.store(shared, WAITING_SLOT, 1);
    Atomics.wait(shared, CREDIT_SLOT, 0);
  }
  Atomics.store(shared, WAITING_SLOT, 0);
  Atomics.sub(shared, CREDIT_SLOT, 1);
}

function toFailure(error: unknown): { code: string; message: string } {
  return { code: systemCode(error) ?? "", message: toMessage(error) };
}
