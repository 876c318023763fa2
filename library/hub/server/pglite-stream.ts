import { Duplex } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";

const STARTUP_BYTE = 0;

/** What a server answers to `COPY … FROM STDIN`: it expects rows as text. */
const COPY_IN_RESPONSE = Buffer.from([0x47, 0, 0, 0, 7, 0, 0, 0]);
const MAX_COPY_STATEMENT_BYTES = 1_000;
/** Type and length of a message. */
const HEAD_BYTES = 5;
const COPY_STATEMENT = /^Q.{4}COPY .* FROM STDIN/s;

/**
 * A connection to PGlite in this process, as the stream of a client of `pg`. The connections of a database share one session, so there
 * must be only one at a time.
 */
export class PgliteStream extends Duplex {
  readonly #db: PGlite;
  /** Messages of a COPY that has no end yet: PGlite reads its rows only if they come with the statement. */
  #copy: CopyMessages | undefined;

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
    if (getType(bytes) === "X") return; // the client disconnects; the database stays
    if (this.#copy) return this.#addToCopy(this.#copy, bytes);
    if (COPY_STATEMENT.test(bytes.toString("latin1", 0, MAX_COPY_STATEMENT_BYTES))) {
      this.#copy = new CopyMessages(bytes);
      this.push(COPY_IN_RESPONSE);
      return;
    }
    await this.#run(bytes, (answer) => this.push(answer));
  }

  async #addToCopy(copy: CopyMessages, bytes: Buffer): Promise<void> {
    copy.add(bytes);
    if (!copy.isComplete) return;
    this.#copy = undefined;
    const parts: Buffer[] = [];
    await this.#run(copy.concat(), (part) => parts.push(part));
    const answer = Buffer.concat(parts);
    // The client has this response already.
    this.push(getType(answer) === "G" ? answer.subarray(1 + answer.readInt32BE(1)) : answer);
  }

  #run(bytes: Buffer, onData: (bytes: Buffer) => void): Promise<void> {
    // PGlite reuses the memory of what it returns.
    const onRawData = (data: Uint8Array) => onData(Buffer.from(data));
    return this.#db.runExclusive(() => this.#db.execProtocolRawStream(bytes, { onRawData }));
  }
}

function getType(bytes: Buffer): string | undefined {
  return bytes[0] === STARTUP_BYTE ? undefined : bytes.toString("latin1", 0, 1);
}

/** The messages of a COPY: the statement, rows, and the end. */
class CopyMessages {
  readonly #parts: Buffer[];
  /** The first bytes of the current message, up to its type and length. */
  #head = Buffer.alloc(0);
  /** Bytes of the current message after its head that have not come yet. */
  #missing = 0;
  #type = "";

  constructor(statement: Buffer) {
    this.#parts = [statement];
  }

  /** Whether the last message is the end: done or failed. */
  get isComplete(): boolean {
    return this.#missing === 0 && this.#head.length === 0 && ["c", "f"].includes(this.#type);
  }

  /** Adds bytes after the statement, which may end within a message. */
  add(bytes: Buffer): void {
    this.#parts.push(bytes);
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(this.#missing, bytes.length - at);
      this.#missing -= skipped;
      at += skipped;
      const head = bytes.subarray(at, at + HEAD_BYTES - this.#head.length);
      this.#head = Buffer.concat([this.#head, head]);
      at += head.length;
      if (this.#head.length < HEAD_BYTES) return;
      this.#type = this.#head.toString("latin1", 0, 1);
      this.#missing = this.#head.readInt32BE(1) - 4; // the length includes itself
      this.#head = Buffer.alloc(0);
    }
  }

  concat(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
