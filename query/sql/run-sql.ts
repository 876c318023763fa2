import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import SQLite from "better-sqlite3";
import { PidexError } from "../../src/errors.ts";
import { assertNotUpgraded } from "../../src/same-build.ts";
import { parseOptions } from "../options.ts";
import { MORE, type SqlCell, type SqlMessage, type SqlRequest } from "./sql-messages.ts";
import { SqlOptions } from "./sql-options.ts";
import { checkStatement, READ_ONLY_HINT } from "./statement.ts";

/** What a query by SQL gives. */
export interface SqlAnswer {
  /** The names of the columns, as SQLite gives them: two may be the same. */
  columns: string[];
  /** The rows, as they are found. Whoever stops early returns it, as `for await` does, which ends the query. */
  rows: AsyncIterableIterator<SqlCell[]>;
}

/** Who may stop a query, and what is made of an error that comes after the first rows. */
export interface SqlControl {
  signal?: AbortSignal;
  /** Gives what is thrown instead. */
  onLateError?: (error: unknown) => Promise<unknown>;
}

/**
 * Asks a database one question in SQL, in a process of its own, which cannot write and is killed when it takes too long
 * or too much memory, when nobody reads on, or when this process ends.
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
  const rows = rowsOf(query, first, onLateError);
  return {
    columns: first.columns ?? [],
    rows: {
      next: () => rows.next(),
      // A generator that was never started would not run its `finally`.
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

async function* rowsOf(
  query: SqlQuery,
  first: Batch,
  onLateError: (error: unknown) => Promise<unknown>,
): AsyncGenerator<SqlCell[], undefined> {
  try {
    for (let batch = first; ; batch = await query.next().catch(rethrow(onLateError))) {
      yield* batch.rows;
      if (batch.done) return;
      query.readOne();
    }
  } finally {
    await query.end();
  }
}

const rethrow = (of: (error: unknown) => Promise<unknown>) => async (error: unknown) => {
  throw await of(error);
};

/**
 * From source Node runs TypeScript as it is. Built, the program lies above the chunk that this is in, since it is only
 * imported when it is called.
 */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./sql-process.ts" : "../sql-process.js",
  import.meta.url,
);

/** The process watches its own clock; this much later it is taken for stuck, starting included. In milliseconds. */
const STUCK_MS = 10_000;

/** A process that runs a query. */
class SqlQuery {
  readonly #child: ChildProcess;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #closed: Promise<unknown>;
  readonly #messages: SqlMessage[] = [];
  /** Why there will be no more messages. */
  #over: { error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(request: SqlRequest, signal: AbortSignal | undefined) {
    const { NODE_OPTIONS: _, ...env } = process.env; // meant for the program that asks
    assertNotUpgraded();
    const child = fork(PROGRAM, [], { execArgv: [], env, serialization: "advanced", stdio: [...STDIO] });
    this.#child = child;
    this.#timeoutMs = request.timeoutMs;
    this.#signal = signal;
    this.#closed = once(child, "close").catch(() => {}); // told by "error" below
    child.on("message", (message: SqlMessage) => {
      this.#messages.push(message);
      this.#wake();
    });
    child.on("error", (error) => this.#finish(error));
    child.on("close", (code, by) => this.#finish(died(by ?? `exit ${code}`)));
    signal?.addEventListener("abort", this.#abort, { once: true });
    child.send(request);
  }

  /** The next rows. The query is over when this throws. */
  async next(): Promise<Batch> {
    try {
      const message = await this.#receive();
      if ("rows" in message) {
        if (message.done) await this.end();
        return message;
      }
      throw "failed" in message ? failure(message.failed) : stopped(message.stopped, this.#timeoutMs);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Tells the process that a batch was read: it is a few ahead. */
  readOne(): void {
    if (this.#child.connected) this.#child.send(MORE);
  }

  /** Ends the process, if it has not ended, and waits until it has. */
  async end(): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#child.kill("SIGKILL");
    this.#hold();
    await this.#closed;
  }

  async #receive(): Promise<SqlMessage> {
    const stuck = setTimeout(() => this.#finish(timeout(this.#timeoutMs)), this.#timeoutMs + STUCK_MS);
    this.#hold();
    try {
      for (;;) {
        if (this.#signal?.aborted) throw this.#signal.reason;
        const message = this.#messages.shift();
        if (message) return message;
        if (this.#over) throw this.#over.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(stuck);
      this.#letGo();
    }
  }

  readonly #abort = () => this.#finish(this.#signal?.reason);

  #finish(error: unknown): void {
    this.#over ??= { error };
    this.#child.kill("SIGKILL");
    this.#wake();
  }

  /** While somebody waits for it, the child keeps this process running. */
  #hold(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Rows that nobody asks for do not. */
  #letGo(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

const STDIO = ["ignore", "ignore", "ignore", "ipc"] as const;

function failure({ code, message, hint }: { code: string; message: string; hint?: string }): Error {
  const cause = new SQLite.SqliteError(message, code);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return cause;
  if (code.startsWith("SQLITE_BUSY")) {
    return new PidexError("DATABASE_BUSY", message, "Try again in a moment.", { cause });
  }
  if (/^SQLITE_(CANTOPEN|IOERR|PERM|AUTH|PROTOCOL)/.test(code)) {
    const hint = "The database cannot be read: look at its folder.";
    return new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause });
  }
  return new PidexError("BAD_SQL", message, hint ?? hintOf(code), { cause });
}

function hintOf(code: string): string {
  if (/^SQLITE_(TOOBIG|NOMEM|FULL)/.test(code)) return LESS;
  // What is not from SQLite itself is that there was more than one statement.
  return code === "SQLITE_ERROR" ? SCHEMA_HINT : READ_ONLY_HINT;
}

const SCHEMA_HINT = "pidex sql --schema lists the views and their columns; docs/schema.md has examples.";

function stopped(by: "time" | "memory", timeoutMs: number): PidexError {
  return by === "time" ? timeout(timeoutMs) : new PidexError("BAD_SQL", TOO_MUCH_MEMORY, LESS);
}

const TOO_MUCH_MEMORY = "the query needs more than 512 MB of memory";
const LESS = "Ask for less at once: fewer rows, columns or joins.";

function timeout(timeoutMs: number): PidexError {
  const message = `the query took longer than ${timeoutMs / 1000} s`;
  return new PidexError("SQL_TIMEOUT", message, "Ask for less, or give it more time.");
}

/** What nothing was heard of: the system may have ended it, or Node itself where there was no memory. */
function died(how: string): PidexError {
  return new PidexError("BAD_SQL", `the process that ran the query ended: ${how}`, LESS);
}
