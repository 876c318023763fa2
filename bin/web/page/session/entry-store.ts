/** A cache of the visible entries and those around them. */
import type { LocatedEntryJson } from "../../api/session-answers.ts";
import { apiGet } from "../shell/api.ts";

/** Limits of the cache. */
const MAX_ENTRIES = 600;
const MAX_BYTES = 48_000_000;
/** Maximum size counted for an entry, because the server truncates long texts. */
const MAX_ENTRY_BYTES = 1_000_000;
const BATCH_SIZE = 60;
const MAX_REQUESTS = 2;

export class EntryStore {
  readonly #session: string;
  readonly #onChange: () => void;
  /** By line, least recently requested first. */
  readonly #entries = new Map<number, LocatedEntryJson>();
  #bytes = 0;
  #visible: readonly number[] = [];
  readonly #loading = new Set<number>();
  #requests = 0;
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
    this.#fetch();
  }

  /** Retries after an error. */
  retry(): void {
    this.error = undefined;
    this.#fetch();
  }

  close(): void {
    this.#stop.abort();
  }

  #fetch(): void {
    if (this.error !== undefined || this.#requests >= MAX_REQUESTS) return;
    const missing = this.#visible.filter((line) => !this.#entries.has(line) && !this.#loading.has(line));
    if (missing.length === 0) return;
    const lines = missing.slice(0, BATCH_SIZE);
    for (const line of lines) this.#loading.add(line);
    this.#requests++;
    void this.#load(lines);
    this.#fetch();
  }

  async #load(lines: readonly number[]): Promise<void> {
    const { signal } = this.#stop;
    try {
      const params = { session: this.#session, lines: lines.join(",") };
      const { entries } = await apiGet("entries", params, signal);
      for (const entry of entries) this.#add(entry);
      this.#evict();
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
    }
    for (const line of lines) this.#loading.delete(line);
    this.#requests--;
    this.#onChange();
    this.#fetch();
  }

  #add(entry: LocatedEntryJson): void {
    this.#entries.set(entry.line, entry);
    this.#bytes += countedBytes(entry);
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
