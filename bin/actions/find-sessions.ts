/** How sessions are found, for the picker and the page alike: lists, titles, facets, scans, and the hits in one session. */
import type {
  FacetCount,
  Facets,
  Hit,
  Index,
  ListOptions,
  ScanHit,
  ScanOptions,
  SessionInfo,
} from "../../library/index.ts";
import { sessionQuery } from "../format/query-terms.ts";
import { day } from "../format/times.ts";
import { typedQuery } from "../format/typed-query.ts";

/** A session in a list: all of it, or what a surface shows. */
export type ListedSession = Pick<SessionInfo, "path" | "id" | "cwd" | "name" | "firstMessage" | "tags"> & {
  provider?: string | undefined;
  model?: string | undefined;
  modified: Date | number;
};

/** Lists that are kept: what somebody goes back and forth between. */
const MAX_LISTS = 3;

/** Whole lists of sessions, kept until `clear`: titles are looked up in them at each key, and facets counted. */
export class SessionLists<S extends ListedSession> {
  readonly #index: Pick<Index, "listAll">;
  readonly #toShown: (session: SessionInfo) => S;
  /** By their options, least recently used first. */
  readonly #lists = new Map<string, Promise<S[]>>();

  constructor(index: Pick<Index, "listAll">, toShown: (session: SessionInfo) => S) {
    this.#index = index;
    this.#toShown = toShown;
  }

  /** For when a session changed. */
  clear(): void {
    this.#lists.clear();
  }

  /** @throws as `Index.listAll` */
  list(options: ListOptions): Promise<S[]> {
    const key = JSON.stringify(Object.entries(options).sort());
    const list = this.#lists.get(key) ?? this.#load(key, options);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    for (const oldest of [...this.#lists.keys()].slice(0, -MAX_LISTS)) this.#lists.delete(oldest);
    return list;
  }

  /** The sessions with a text in their title, folder, tags or id, in any case. */
  async listTitled(options: ListOptions, text: string): Promise<S[]> {
    const wanted = text.toLowerCase();
    return (await this.list(options)).filter(({ name, firstMessage, cwd, tags, id }) =>
      [name ?? firstMessage, cwd.slice(cwd.search(/[^/\\]*$/)), id, ...tags].some((each) =>
        each.toLowerCase().includes(wanted),
      ),
    );
  }

  #load(key: string, options: ListOptions): Promise<S[]> {
    const list = this.#index.listAll(options).then(({ sessions }) => sessions.map(this.#toShown));
    list.catch(() => {
      if (this.#lists.get(key) === list) this.#lists.delete(key); // it may succeed the next time
    });
    return list;
  }
}

/** What a list of sessions can be narrowed by, counted by sessions: no entry is read. */
export function facetsOfSessions(sessions: readonly ListedSession[]): Facets {
  const days = countBy(sessions, dayOf).sort(byValue);
  return {
    projects: countBy(sessions, ({ cwd }) => cwd),
    models: countBy(sessions, ({ provider, model }) => model && [provider, model].filter(Boolean).join("/")),
    roles: [],
    tools: [],
    months: countBy(sessions, (session) => dayOf(session)?.slice(0, 7)).sort(byValue),
    days,
  };
}

function countBy<S>(sessions: readonly S[], valueIn: (session: S) => string | undefined): FacetCount[] {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    const value = valueIn(session);
    if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, hits]) => ({ value, hits }))
    .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
}

/** Newest first. */
function byValue(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

function dayOf({ modified }: ListedSession): string | undefined {
  const date = new Date(modified);
  return Number.isNaN(date.getTime()) ? undefined : day(date);
}

/** What a scan reports: progress, each session before its first hit, and hits. */
export type ScanReport =
  | { progress: { bytes: number; bytesDone: number } }
  | { session: SessionInfo }
  | { hit: ScanHit };

/** Milliseconds between two reports of progress. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Scans the files for a regular expression, in any case.
 *
 * @param report takes what is found; the next hit waits for its promise
 */
export async function scanSessions(
  index: Pick<Index, "scan" | "find">,
  regex: string,
  options: ScanOptions & { signal?: AbortSignal },
  report: (event: ScanReport) => Promise<void> | void,
): Promise<void> {
  let reportedAt = performance.now();
  const known = new Set<string>();
  const onProgress = ({ bytes, bytesDone }: { bytes: number; bytesDone: number }) => {
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = performance.now();
    void report({ progress: { bytes, bytesDone } });
  };
  for await (const hit of index.scan({ regex, caseSensitive: false }, { ...options, onProgress })) {
    if (!known.has(hit.path)) await report({ session: await index.find(hit.path) });
    known.add(hit.path);
    await report({ hit });
  }
}

/** Hits of one session that can be walked through. */
export const MAX_SESSION_HITS = 1000;

type SessionHit = Pick<Hit, "path" | "entryId" | "line" | "alsoIn">;

/**
 * The hits of a query, as typed, that one session contains, in file order. An entry that the session has from another has its
 * place in this one.
 *
 * @param session how the query names it: a path, or an id
 * @param search finds the hits of words
 */
export async function findInSession<H extends SessionHit>(
  index: Pick<Index, "scan">,
  { path, session = path, query }: { path: string; session?: string; query: string },
  options: ScanOptions & { signal?: AbortSignal },
  search: (query: string) => Promise<H[]>,
): Promise<(H | ScanHit)[]> {
  const typed = typedQuery(query);
  let hits: (H | ScanHit)[] = [];
  if (typed.by === "words") hits = await search(sessionQuery(session, typed.query));
  else if (typed.by === "pattern") {
    const scan = { ...options, query: sessionQuery(session), limit: MAX_SESSION_HITS };
    hits = await Array.fromAsync(index.scan({ regex: typed.regex, caseSensitive: false }, scan));
  }
  return hits
    .flatMap((hit) => {
      if (hit.path === path) return [hit];
      return hit.alsoIn.filter((place) => place.path === path).map((place) => ({ ...hit, ...place }));
    })
    .sort((a, b) => a.line - b.line);
}
