/** Counts what a scan found, by value and by day: the facets of a search, which the index cannot count for it. */
import type { FacetCount, Facets, ScanHit, SearchResult, SessionInfo } from "../../library/index.ts";
import { formatDate } from "../format/times.ts";

export interface ScanCountsAnswer {
  facets: Facets;
  totals: NonNullable<SearchResult["totals"]>;
}

type CountedSession = Pick<SessionInfo, "path" | "cwd" | "provider" | "model" | "tags">;

export class ScanCounts {
  readonly #sessions = new Map<string, CountedSession>();
  readonly #projects = new Tally();
  readonly #models = new Tally();
  readonly #tags = new Tally();
  readonly #roles = new Tally();
  readonly #days = new Tally();
  #hitCount = 0;

  addSession(session: CountedSession): void {
    this.#sessions.set(session.path, session);
  }

  /** Call `addSession` for its session before. */
  addHit({ path, role, timestamp }: Pick<ScanHit, "path" | "role" | "timestamp">): void {
    this.#hitCount++;
    const session = this.#sessions.get(path);
    this.#projects.add(session?.cwd, path);
    this.#models.add(session?.model && [session.provider, session.model].filter(Boolean).join("/"), path);
    for (const tag of session?.tags ?? []) this.#tags.add(tag, path);
    this.#roles.add(role, path);
    const date = timestamp === undefined ? undefined : new Date(timestamp);
    this.#days.add(date && !Number.isNaN(date.getTime()) ? formatDate(date) : undefined, path);
  }

  /** @param isWhole whether all files were scanned */
  toAnswer(isWhole: boolean): ScanCountsAnswer {
    const days = this.#days.toCounts().sort((a, b) => (a.value < b.value ? 1 : -1));
    return {
      facets: {
        projects: this.#projects.toCounts(),
        models: this.#models.toCounts(),
        tags: this.#tags.toCounts(),
        roles: this.#roles.toCounts(),
        tools: [], // a scan does not say of which tool an entry is
        months: [],
        days,
      },
      totals: { hits: this.#hitCount, sessions: this.#sessions.size, isWhole },
    };
  }
}

/** Hits and sessions by value. */
class Tally {
  readonly #values = new Map<string, { hits: number; paths: Set<string> }>();

  add(value: string | undefined, path: string): void {
    if (!value) return;
    const counted = this.#values.get(value) ?? { hits: 0, paths: new Set() };
    counted.hits++;
    counted.paths.add(path);
    this.#values.set(value, counted);
  }

  /** Most hits first. */
  toCounts(): FacetCount[] {
    return [...this.#values]
      .map(([value, { hits, paths }]) => ({ value, hits, sessions: paths.size }))
      .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
  }
}
