import SQLite from "better-sqlite3";
import { PidexError } from "../../src/errors.ts";
import { parseOptions } from "../options.ts";
import { ProcessEndedError, runInSandbox } from "../sandbox.ts";
import type { SqlCell, SqlMessage, SqlRequest } from "./sql-messages.ts";
import { SqlOptions } from "./sql-options.ts";
import { checkStatement, READ_ONLY_HINT } from "./statement.ts";

export interface SqlAnswer {
  /** Column names as SQLite returns them; they may repeat. */
  columns: string[];
  /** The rows as they are found. To stop early, call `return()`, as `for await` does; this ends the query. */
  rows: AsyncIterableIterator<SqlCell[]>;
}

/** Cancellation, and handling of errors after the first rows. */
export interface SqlControl {
  signal?: AbortSignal | undefined;
  /** Returns the error to throw instead. */
  onLateError?: (error: unknown) => Promise<unknown>;
}

/**
 * Runs one SQL statement in a separate process, which cannot write and is killed if it exceeds its time or memory, if
 * the caller stops reading, or if this process ends.
 *
 * @throws PidexError `BAD_SQL`, `SQL_TIMEOUT`, `BAD_OPTION`, `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`; the signal's
 * reason when aborted; SQLite's own error when the database is broken. Iterating throws the same.
 */
export async function runSql(
  path: string,
  sql: string,
  options: SqlOptions = {},
  { signal, onLateError = async (error) => error }: SqlControl = {},
): Promise<SqlAnswer> {
  const { timeoutMs, maxRows = null } = parseOptions(SqlOptions, options);
  checkStatement(sql);
  signal?.throwIfAborted();
  const stopped = new AbortController();
  const signals = signal ? [signal, stopped.signal] : [stopped.signal];
  const batches = receiveBatches({ path, sql, timeoutMs, maxRows }, AbortSignal.any(signals));
  const first: Batch = (await batches.next()).value as Batch; // the first message is a batch, or an error
  const rows = readRows(first, batches, onLateError);
  return {
    columns: first.columns ?? [],
    rows: {
      next: () => rows.next(),
      return: async () => {
        stopped.abort();
        await batches.return();
        return rows.return(undefined);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}

type Batch = Extract<SqlMessage, { rows: unknown }>;

async function* readRows(
  first: Batch,
  batches: AsyncGenerator<Batch, void>,
  onLateError: (error: unknown) => Promise<unknown>,
): AsyncGenerator<SqlCell[], undefined> {
  try {
    yield* first.rows;
    for await (const { rows } of batches) yield* rows;
  } catch (error) {
    throw await onLateError(error);
  }
}

/** The process enforces the timeout itself. If it exceeds it by this much, including startup, it is considered stuck. */
const STUCK_AFTER_MS = 10_000;

/** Runs the query. The process has ended when the last batch is returned. */
async function* receiveBatches(request: SqlRequest, signal: AbortSignal): AsyncGenerator<Batch, void> {
  const { timeoutMs } = request;
  const patienceMs = timeoutMs + STUCK_AFTER_MS;
  let last: Batch | undefined;
  try {
    for await (const message of runInSandbox<SqlMessage>("sql/sql-process", request, {
      patienceMs,
      signal,
    })) {
      if ("failed" in message) throw toError(message.failed);
      if ("stopped" in message) throw limitError(message.stopped, timeoutMs);
      if (message.done) {
        last = message;
        break;
      }
      yield message;
    }
  } catch (error) {
    if (!(error instanceof ProcessEndedError)) throw error;
    throw error.isLate ? timeoutError(timeoutMs) : processEnded(error.message);
  }
  if (last) yield last;
}

function toError({ code, message, hint }: { code: string; message: string; hint?: string }): Error {
  const cause = new SQLite.SqliteError(message, code);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return cause;
  if (code.startsWith("SQLITE_BUSY")) {
    return new PidexError("DATABASE_BUSY", message, "Try again in a moment.", { cause });
  }
  if (/^SQLITE_(CANTOPEN|IOERR|PERM|AUTH|PROTOCOL)/.test(code)) {
    const hint =
      "The database cannot be read: check its folder and permissions, for example with pidex doctor.";
    return new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause });
  }
  return new PidexError("BAD_SQL", message, hint ?? getHint(code), { cause });
}

function getHint(code: string): string {
  if (/^SQLITE_(TOOBIG|NOMEM|FULL)/.test(code)) return REDUCE_HINT;
  // The driver's only error without a SQLite code is for several statements.
  return code === "SQLITE_ERROR" ? SCHEMA_HINT : READ_ONLY_HINT;
}

const SCHEMA_HINT = "pidex sql --schema lists the views and their columns; docs/schema.md has examples.";

function limitError(limit: "time" | "memory", timeoutMs: number): PidexError {
  if (limit === "time") return timeoutError(timeoutMs);
  return new PidexError("BAD_SQL", "the query needs more than 512 MB of memory", REDUCE_HINT);
}

const REDUCE_HINT = "Select less at once: fewer rows, columns or joins.";

function timeoutError(timeoutMs: number): PidexError {
  const message = `the query took longer than ${timeoutMs / 1000} s`;
  return new PidexError("SQL_TIMEOUT", message, "Select less, or raise the timeout.");
}

/** The process ended without a message: killed by the system, or by Node when out of memory. */
function processEnded(how: string): PidexError {
  return new PidexError("BAD_SQL", `the process that ran the query ended: ${how}`, REDUCE_HINT);
}
