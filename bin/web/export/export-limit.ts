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
  /** Maximum number of sessions. */
  readonly maxSessions: number;
  readonly #maxBytes: number;
  #sessions = 0;
  #bytes = 0;
  #stopped: string | undefined;

  constructor({ sessions = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }: ExportLimits = {}) {
    this.maxSessions = sessions;
    this.#maxBytes = bytes;
  }

  /** Which limit ended the export, for people. Undefined as long as nothing is omitted. */
  get stopReason(): string | undefined {
    return this.#stopped;
  }

  /** Counts a written text. */
  countText(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes >= this.#maxBytes) this.#stop(formatBytes(this.#maxBytes));
  }

  /** Counts another session. Returns false if it exceeds a limit. */
  countSession(): boolean {
    if (this.#sessions < this.maxSessions) this.#sessions++;
    else this.#stop(formatCount(this.maxSessions, "session"));
    return this.#stopped === undefined;
  }

  #stop(limit: string): void {
    this.#stopped ??= `Stopped at ${limit}: the rest is not in this export`;
  }
}
