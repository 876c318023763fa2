import { parentPort, workerData } from "node:worker_threads";
import SQLite from "better-sqlite3";
import { systemCode } from "../../src/errors.ts";
import { explained } from "./sql-hints.ts";
import { CREDIT, type SqlCell, type SqlMessage, type SqlRequest, WAITING } from "./sql-messages.ts";

/** A batch is sent when it has so many rows, or characters, or is so old. */
const BATCH_ROWS = 500;
const BATCH_CHARACTERS = 256 * 1024;
const BATCH_MS = 100;

/** A row may hold so many characters: few rows must not fill the memory of whoever reads them. */
const LONGEST_ROW = 16_000_000;

/** How long a statement waits for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Runs the query of this thread, and sends what comes of it. */
export function work(): void {
  const { request, shared } = workerData as { request: SqlRequest; shared: Int32Array };
  const send = (message: SqlMessage) => {
    takeCredit(shared);
    parentPort?.postMessage(message);
  };
  try {
    const db = new SQLite(request.path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    db.pragma("temp_store = MEMORY"); // sorting must not fill a disk: memory is watched
    db.pragma("query_only = ON");
    db.pragma("trusted_schema = OFF");
    try {
      runQuery(db, request, send);
    } catch (error) {
      const said = failureOf(error);
      send({ failed: { ...said, ...explained(db, said.message, request.sql) } });
    }
  } catch (error) {
    send({ failed: failureOf(error) });
  }
}

function runQuery(db: SQLite.Database, request: SqlRequest, send: (message: SqlMessage) => void): void {
  const statement = db.prepare<[], unknown[]>(request.sql);
  if (!statement.readonly || !statement.reader) {
    throw new SQLite.SqliteError("this statement writes, or asks nothing", "SQLITE_READONLY");
  }
  statement.raw(true).safeIntegers(true);
  let columns: string[] | undefined = statement.columns().map(({ name }) => name);
  let rows: SqlCell[][] = [];
  let characters = 0;
  let begun = performance.now();
  let left = request.maxRows ?? Number.POSITIVE_INFINITY;
  const flush = (done: boolean) => {
    send({ ...(columns && { columns }), rows, done });
    columns = undefined;
    rows = [];
    characters = 0;
    begun = performance.now();
  };
  for (const values of statement.iterate()) {
    const row = values.map(cellOf);
    const length = row.reduce<number>((sum, cell) => sum + lengthOf(cell), 0);
    if (length > LONGEST_ROW) {
      throw new SQLite.SqliteError(`a row is longer than ${LONGEST_ROW} characters`, "SQLITE_TOOBIG");
    }
    rows.push(row);
    characters += length;
    if (--left === 0) break;
    const isFull = rows.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS;
    if (isFull || performance.now() - begun > BATCH_MS) flush(false);
  }
  flush(true);
}

function cellOf(value: unknown): SqlCell {
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return { blob: Buffer.from(value).toString("hex") };
  return value as string | null;
}

function lengthOf(cell: SqlCell): number {
  if (typeof cell === "string") return cell.length;
  return typeof cell === "object" && cell !== null ? cell.blob.length : 8;
}

/** Waits until another batch may be sent. Refusals and ends are batches too. */
function takeCredit(shared: Int32Array): void {
  for (let credit = Atomics.load(shared, CREDIT); credit === 0; credit = Atomics.load(shared, CREDIT)) {
    Atomics.store(shared, WAITING, 1);
    Atomics.wait(shared, CREDIT, 0);
  }
  Atomics.store(shared, WAITING, 0);
  Atomics.sub(shared, CREDIT, 1);
}

function failureOf(error: unknown): { code: string; message: string } {
  return { code: systemCode(error) ?? "", message: error instanceof Error ? error.message : String(error) };
}
