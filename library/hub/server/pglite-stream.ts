import { Duplex } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";

/** Type of the message before a client disconnects. */
const TERMINATE = 0x58;

/**
 * A connection to PGlite in this process, as the stream of a client of `pg`. The connections of a database share one session, so there
 * must be only one at a time.
 */
export class PgliteStream extends Duplex {
  readonly #db: PGlite;

  constructor(db: PGlite) {
    super();
    this.#db = db;
  }

  /** Resets the session, which may have a transaction and prepared statements of the connection before. */
  connect(): this {
    this.#reset().then(
      () => this.emit("connect"),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  // Called by `pg` for sockets. Nothing in this process delays bytes or keeps the process running.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {}

  /** `pg` sends messages up to those that are answered as one write, or as several that are corked. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
    this.#execute(bytes).then(() => done(), done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  async #reset(): Promise<void> {
    if (this.#db.isInTransaction()) await this.#db.exec("ROLLBACK");
    await this.#db.exec("DISCARD ALL");
  }

  async #execute(bytes: Buffer): Promise<void> {
    if (bytes[0] === TERMINATE) return; // the client disconnects; the database stays
    // PGlite reuses the memory of what it returns.
    const onRawData = (data: Uint8Array) => this.push(Buffer.from(data));
    await this.#db.runExclusive(() => this.#db.execProtocolRawStream(bytes, { onRawData }));
  }
}
