import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import SQLite from "better-sqlite3";
import { PidexError } from "../../src/errors.ts";
import { assertNotUpgraded } from "../../src/upgrade-check.ts";
import { parseOptions } from "../options.ts";
import { REQUEST_MORE, type SqlCell, type SqlMessage, type SqlRequest } from "./sql-messages.ts";
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
  signal?: AbortSignal;
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
  const query = new SqlQuery({ path, sql, timeoutMs, maxRows }, signal);
  const first = await query.next();
  const rows = readRows(query, first, onLateError);
  return {
    columns: first.columns ?? [],
    rows: {
      next: () => rows.next(),
      // A generator that has not started does not run its `finally`.
      return: async () => {
        await query.end();
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
  query: SqlQuery,
  first: Batch,
  onLateError: (error: unknown) => Promise<unknown>,
): AsyncGenerator<SqlCell[], undefined> {
  try {
    for (let batch = first; ; batch = await query.next().catch(rethrowAs(onLateError))) {
      yield* batch.rows;
      if (batch.done) return;
      query.requestMore();
    }
  } finally {
    await query.end();
  }
}

const rethrowAs = (convert: (error: unknown) => Promise<unknown>) => async (error: unknown) => {
  throw await convert(error);
};

/** Node runs the source directly. In the built package this module is in a chunk folder, one level below the program. */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./sql-process.ts" : "../sql-process.js",
  import.meta.url,
);

/** The process enforces the timeout itself. If it exceeds it by this much, including startup, it is considered stuck. */
const STUCK_AFTER_MS = 10_000;

/** A running query and its process. */
class SqlQuery {
  readonly #child: ChildProcess;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #closed: Promise<unknown>;
  readonly #messages: SqlMessage[] = [];
  /** Set once no more messages will arrive. */
  #ended: { error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(request: SqlRequest, signal: AbortSignal | undefined) {
    const { NODE_OPTIONS: _, ...env } = process.env; // meant for this process only
    assertNotUpgraded();
    const child = fork(PROGRAM, [], { execArgv: [], env, serialization: "advanced", stdio: [...STDIO] });
    this.#child = child;
    this.#timeoutMs = request.timeoutMs;
    this.#signal = signal;
    this.#closed = once(child, "close").catch(() => {}); // "error" is handled below
    child.on("message", (message: SqlMessage) => {
      this.#messages.push(message);
      this.#wake();
    });
    child.on("error", (error) => this.#finish(error));
    child.on("close", (code, signal) => this.#finish(processEnded(signal ?? `exit ${code}`)));
    signal?.addEventListener("abort", this.#abort, { once: true });
    child.send(request);
  }

  /** The next rows. If it throws, the query has ended. */
  async next(): Promise<Batch> {
    try {
      const message = await this.#receive();
      if ("rows" in message) {
        if (message.done) await this.end();
        return message;
      }
      throw "failed" in message ? toError(message.failed) : limitError(message.stopped, this.#timeoutMs);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Allows the process to send another batch. */
  requestMore(): void {
    if (this.#child.connected) this.#child.send(REQUEST_MORE);
  }

  /** Kills the process if it is running and waits until it has ended. */
  async end(): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#child.kill("SIGKILL");
    this.#ref();
    await this.#closed;
  }

  async #receive(): Promise<SqlMessage> {
    const delay = this.#timeoutMs + STUCK_AFTER_MS;
    const stuck = setTimeout(() => this.#finish(timeoutError(this.#timeoutMs)), delay);
    this.#ref();
    try {
      for (;;) {
        if (this.#signal?.aborted) throw this.#signal.reason;
        const message = this.#messages.shift();
        if (message) return message;
        if (this.#ended) throw this.#ended.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(stuck);
      this.#unref();
    }
  }

  readonly #abort = () => this.#finish(this.#signal?.reason);

  #finish(error: unknown): void {
    this.#ended ??= { error };
    this.#child.kill("SIGKILL");
    this.#wake();
  }

  /** Keeps this process running while a caller waits for rows. */
  #ref(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Unread rows don't keep this process running. */
  #unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

const STDIO = ["ignore", "ignore", "ignore", "ipc"] as const;

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
