/** A cache of the visible entries and those around them. */
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import { apiGet } from "../shell/api.ts";

/** Limits of the cache. */
const MAX_ENTRIES = 600;
const MAX_BYTES = 48_000_000;
/** Maximum size counted for an entry, because the server truncates long texts. */
const MAX_ENTRY_BYTES = 1_000_000;
/** Entries per request. One request runs at a time. */
const BATCH_SIZE = 120;

export class EntryStore {
  readonly #session: string;
  readonly #onChange: () => void;
  /** By line, least recently requested first. */
  readonly #entries = new Map<number, LocatedEntryJson>();
  #bytes = 0;
  #visible: readonly number[] = [];
  #isLoading = false;
  readonly #stop = new AbortController();
  error: unknown;

  /** @param onChange called when entries have loaded or failed to load */
  constructor(session: string, onChange: () => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  get(line: number): LocatedEntryJson | undefined {
    return this.#entries.get(line);
  }

  /** Loads these lines. Lines of earlier calls that are not being loaded yet are dropped. */
  request(lines: readonly number[]): void {
    this.#visible = lines;
    for (const line of lines) {
      const entry = this.#entries.get(line);
      if (!entry) continue;
      this.#entries.delete(line);
      this.#entries.set(line, entry);
    }
    void this.#load();
  }

  /** Retries after an error. */
  retry(): void {
    this.error = undefined;
    void this.#load();
  }

  close(): void {
    this.#stop.abort();
  }

  async #load(): Promise<void> {
    if (this.error !== undefined || this.#isLoading) return;
    const lines = this.#visible.filter((line) => !this.#entries.has(line)).slice(0, BATCH_SIZE);
    if (lines.length === 0) return;
    this.#isLoading = true;
    const { signal } = this.#stop;
    try {
      const params = { session: this.#session, lines: lines.join(",") };
      const { entries } = await apiGet("entries", params, signal);
      for (const entry of entries) {
        this.#entries.set(entry.line, entry);
        this.#bytes += countedBytes(entry);
      }
      this.#evict();
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
    }
    this.#isLoading = false;
    this.#onChange();
    void this.#load();
  }

  #evict(): void {
    const visible = new Set(this.#visible);
    for (const [line, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && this.#bytes <= MAX_BYTES) return;
      if (visible.has(line)) continue;
      this.#entries.delete(line);
      this.#bytes -= countedBytes(entry);
    }
  }
}

function countedBytes({ byteLength }: LocatedEntryJson): number {
  return Math.min(byteLength, MAX_ENTRY_BYTES);
}
