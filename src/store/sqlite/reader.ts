import type SQLite from "better-sqlite3";
import type { Statement } from "./sql.ts";
import { keepingStatements } from "./statements.ts";

/**
 * What questions are asked of: a handle that only reads. Kysely could be it, and takes as long to load as all else of a
 * short answer; of what it does only this is needed.
 */
export class Reader {
  readonly #handle: SQLite.Database;
  readonly #statements: ReturnType<typeof keepingStatements>;
  readonly #onStatement: ((statement: Statement) => void) | undefined;
  /** What was found out before, by its name. */
  readonly #known: Map<string, unknown>;
  /** Until the questions are answered that are asked of one moment. */
  #snapshot: Promise<void> | undefined;

  /** @param onStatement told of each statement: tests look at what is asked */
  constructor(
    handle: SQLite.Database,
    onStatement?: (statement: Statement) => void,
    statements = keepingStatements(handle),
    known = new Map<string, unknown>(),
  ) {
    this.#handle = handle;
    this.#statements = statements;
    this.#known = known;
    this.#onStatement = onStatement;
  }

  /** Asks SQLite, and gives its rows. */
  async ask<Row>(statement: Statement): Promise<Row[]> {
    while (this.#snapshot) await this.#snapshot; // what is asked now is not of that moment
    this.#onStatement?.(statement);
    return this.#statements.prepare(statement.sql).all(statement.values) as Row[];
  }

  /** Makes a table that this handle alone has: what is made in a snapshot is gone with it. */
  makeOwn(statement: string): void {
    this.#handle.exec(statement);
  }

  /** Finds something out once, for as long as the database is open: only for what may be as old as that. */
  async remembered<T>(name: string, find: () => Promise<T>): Promise<T> {
    if (!this.#known.has(name)) this.#known.set(name, await find());
    return this.#known.get(name) as T;
  }

  /** Asks several questions of one moment: nothing that is written meanwhile is seen by them. */
  async snapshot<T>(questions: (db: Reader) => Promise<T>): Promise<T> {
    while (this.#snapshot) await this.#snapshot;
    const answer = this.#ofOneMoment(questions);
    const over = () => {
      this.#snapshot = undefined;
    };
    this.#snapshot = answer.then(over, over);
    return answer;
  }

  async #ofOneMoment<T>(questions: (db: Reader) => Promise<T>): Promise<T> {
    const inside = new Reader(this.#handle, this.#onStatement, this.#statements, this.#known);
    this.#handle.exec("BEGIN");
    try {
      return await questions(inside);
    } finally {
      if (this.#handle.open) this.#handle.exec("ROLLBACK"); // nothing was written
    }
  }
}
