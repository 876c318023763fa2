/** Collects the sessions found by a running scan, each with its first hits. */
export class ScanResults<S extends { path: string }, H extends { path: string }> {
  readonly #rows = new Map<string, { session: S; hits: H[]; hitCount: number }>();
  readonly #maxHits: number;
  /** All hits, shown or not. */
  hitCount = 0;
  /** The fraction of bytes read, from 0 to 1. */
  share = 0;

  /** @param maxHits the maximum number of hits kept per session */
  constructor(maxHits: number) {
    this.#maxHits = maxHits;
  }

  /** Copies, because the rows grow while they are displayed. */
  get rows(): { session: S; hits: H[]; hitCount: number }[] {
    return [...this.#rows.values()].map((row) => ({ ...row, hits: [...row.hits] }));
  }

  add(event: { progress: { bytes: number; bytesDone: number } } | { session: S } | { hit: H }): void {
    if ("progress" in event) {
      const { bytes, bytesDone } = event.progress;
      this.share = bytes > 0 ? bytesDone / bytes : 0;
    } else if ("session" in event) {
      this.#rows.set(event.session.path, { session: event.session, hits: [], hitCount: 0 });
    } else {
      this.hitCount++;
      const row = this.#rows.get(event.hit.path);
      if (!row) return;
      row.hitCount++;
      if (row.hits.length < this.#maxHits) row.hits.push(event.hit);
    }
  }
}
