/** Limits on the size of an export. */
import { formatBytes } from "../../format/bytes.ts";
import { formatCount } from "../../format/safe.ts";

export interface ExportLimits {
  /** Maximum number of sessions of a search. */
  sessions?: number | undefined;
  /** Maximum size in bytes. The current entry and the document are still completed. */
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

  /** Maximum number of sessions. */
  get maxSessions(): number {
    return this.#limits.sessions ?? Number.POSITIVE_INFINITY;
  }

  /** Which limit ended the export, for people. Undefined as long as nothing is omitted. */
  get stopReason(): string | undefined {
    return this.#stopped;
  }

  /** Counts a written text. */
  countText(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    const { bytes: limit = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#bytes >= limit)
      this.#stopped ??= `Stopped at ${formatBytes(limit)}: the rest is not in this export`;
  }

  /** Counts another session. Returns false if it exceeds a limit. */
  countSession(): boolean {
    if (this.#stopped !== undefined) return false;
    if (this.#sessions < this.maxSessions) this.#sessions++;
    else
      this.#stopped = `Stopped at ${formatCount(this.maxSessions, "session")}: the rest is not in this export`;
    return this.#stopped === undefined;
  }

  /** Passes entries through until a limit is reached. */
  async *limitEntries<T>(entries: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const each of entries) {
      if (this.#stopped !== undefined) return;
      yield each;
    }
  }
}
