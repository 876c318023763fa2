/** How much an export may hold, and how much it does. */
import { bytes } from "../../format/bytes.ts";
import { counted } from "../../format/safe.ts";

export interface ExportLimits {
  /** Sessions of a search at most. */
  sessions?: number | undefined;
  /** Bytes at most; the entry that is being written is finished, and so is the document. */
  bytes?: number | undefined;
}

export class ExportLimit {
  readonly #limits: ExportLimits;
  #sessions = 0;
  #bytes = 0;
  #stopped: string | undefined;

  constructor(limits: ExportLimits = {}) {
    this.#limits = limits;
  }

  /** Sessions at most. */
  get sessions(): number {
    return this.#limits.sessions ?? Number.POSITIVE_INFINITY;
  }

  /** Why not everything was exported; undefined as long as everything was. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** Counts a text that is written. */
  wrote(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    const { bytes: most = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#bytes >= most) this.#stopped ??= `Stopped at ${bytes(most)}: the rest is not in this export`;
  }

  /** Whether there is room for another session, which then counts. */
  takeSession(): boolean {
    if (this.#stopped !== undefined) return false;
    if (this.#sessions < this.sessions) this.#sessions++;
    else this.#stopped = `Stopped at ${counted(this.sessions, "session")}: the rest is not in this export`;
    return this.#stopped === undefined;
  }

  /** Entries as long as there is room for them. */
  async *within<T>(entries: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const each of entries) {
      if (this.#stopped !== undefined) return;
      yield each;
    }
  }
}
