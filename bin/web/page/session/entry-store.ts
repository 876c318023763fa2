/** The entries that are seen, and those around them: fetched when they are wanted, and forgotten again. */
import type { EntriesAnswer, PlacedEntryJson } from "../../api/session-answers.ts";
import { ask } from "../shell/ask.ts";

/** So many entries are kept, and of their texts so many bytes. */
const MOST_KEPT = 600;
const MOST_BYTES = 48_000_000;
/** What one entry weighs at most: longer texts are cut by the server. */
const MOST_OF_ONE = 1_000_000;
const AT_ONCE = 60;
const MOST_QUESTIONS = 2;

export class EntryStore {
  readonly #session: string;
  readonly #changed: () => void;
  /** In the order in which they were last wanted. */
  readonly #kept = new Map<number, PlacedEntryJson>();
  #bytes = 0;
  #wanted: readonly number[] = [];
  readonly #asked = new Set<number>();
  #questions = 0;
  readonly #stop = new AbortController();
  error: unknown;

  /** @param changed told when there are more entries, or none could be fetched */
  constructor(session: string, changed: () => void) {
    this.#session = session;
    this.#changed = changed;
  }

  get(line: number): PlacedEntryJson | undefined {
    return this.#kept.get(line);
  }

  /** Has these lines fetched; what was wanted before and is not there yet is not any more. */
  want(lines: readonly number[]): void {
    this.#wanted = lines;
    for (const line of lines) {
      const entry = this.#kept.get(line);
      if (!entry) continue;
      this.#kept.delete(line);
      this.#kept.set(line, entry);
    }
    this.#fetch();
  }

  /** Tries again what failed. */
  retry(): void {
    this.error = undefined;
    this.#fetch();
  }

  close(): void {
    this.#stop.abort();
  }

  #fetch(): void {
    if (this.error !== undefined || this.#questions >= MOST_QUESTIONS) return;
    const missing = this.#wanted.filter((line) => !this.#kept.has(line) && !this.#asked.has(line));
    if (missing.length === 0) return;
    const lines = missing.slice(0, AT_ONCE);
    for (const line of lines) this.#asked.add(line);
    this.#questions++;
    void this.#answer(lines);
    this.#fetch();
  }

  async #answer(lines: readonly number[]): Promise<void> {
    const { signal } = this.#stop;
    try {
      const asked = { session: this.#session, lines: lines.join(",") };
      const { entries } = await ask<EntriesAnswer>("entries", asked, signal);
      for (const entry of entries) this.#keep(entry);
      this.#forget();
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
    }
    for (const line of lines) this.#asked.delete(line);
    this.#questions--;
    this.#changed();
    this.#fetch();
  }

  #keep(entry: PlacedEntryJson): void {
    this.#kept.set(entry.line, entry);
    this.#bytes += weightOf(entry);
  }

  #forget(): void {
    const wanted = new Set(this.#wanted);
    for (const [line, entry] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT && this.#bytes <= MOST_BYTES) return;
      if (wanted.has(line)) continue;
      this.#kept.delete(line);
      this.#bytes -= weightOf(entry);
    }
  }
}

function weightOf({ byteLength }: PlacedEntryJson): number {
  return Math.min(byteLength, MOST_OF_ONE);
}
