/** Finds sessions for the picker and the page: lists, titles, facets, scans, and the hits in one session. */
import type {
  FacetCount,
  Facets,
  Hit,
  Index,
  IndexQueries,
  ListOptions,
  ScanHit,
  ScanOptions,
  SessionInfo,
} from "../../library/index.ts";
import { MAX_SESSION_HITS } from "../format/hit-count.ts";
import { sessionQuery } from "../format/query-terms.ts";
import { formatDate } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import { parseTypedQuery } from "../format/typed-query.ts";

/** The fields of a session that lists need. */
export type ListedSession = Pick<
  SessionInfo,
  "path" | "id" | "cwd" | "name" | "firstMessage" | "computedTitle" | "tags"
> & {
  provider?: string | undefined;
  model?: string | undefined;
  modified: Date | number;
};

/** The number of lists cached. */
const MAX_LISTS = 3;

/** A cache of complete session lists, kept until `clear`: each key press searches titles and counts facets in them. */
export class SessionLists<S extends ListedSession> {
  readonly #index: Pick<IndexQueries, "listAll">;
  readonly #toShown: (session: SessionInfo) => S;
  /** By their options, least recently used first. */
  readonly #lists = new Map<string, Promise<S[]>>();

  constructor(index: Pick<IndexQueries, "listAll">, toShown: (session: SessionInfo) => S) {
    this.#index = index;
    this.#toShown = toShown;
  }

  /** Call this when a session has changed. */
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
    return filterTitled(await this.list(options), text);
  }

  #load(key: string, options: ListOptions): Promise<S[]> {
    const list = this.#index.listAll(options).then(({ sessions }) => sessions.map(this.#toShown));
    list.catch(() => {
      if (this.#lists.get(key) === list) this.#lists.delete(key); // the next call may succeed
    });
    return list;
  }
}

/** The sessions with a text in their title, folder, tags or id, in any case. */
export function filterTitled<S extends ListedSession>(sessions: readonly S[], text: string): S[] {
  const lower = text.toLowerCase();
  return sessions.filter((session) => {
    const { cwd, tags, id } = session;
    return [getSessionTitle(session), cwd.slice(cwd.search(/[^/\\]*$/)), id, ...tags].some((each) =>
      each.toLowerCase().includes(lower),
    );
  });
}

/** Facets of a list, counted in sessions, without reading entries. */
export function countSessionFacets(sessions: readonly ListedSession[]): Facets {
  const days = countBy(sessions, dayOf).sort(byValue);
  return {
    projects: countBy(sessions, ({ cwd }) => cwd),
    models: countBy(sessions, ({ provider, model }) => model && [provider, model].filter(Boolean).join("/")),
    tags: countTags(sessions),
    roles: [],
    tools: [],
    months: countBy(sessions, (session) => dayOf(session)?.slice(0, 7)).sort(byValue),
    days,
  };
}

/** The sessions with each tag, most frequent first. */
function countTags(sessions: readonly Pick<ListedSession, "tags">[]): FacetCount[] {
  return countBy(
    sessions.flatMap(({ tags }) => tags),
    (tag) => tag,
  );
}

function countBy<S>(sessions: readonly S[], valueIn: (session: S) => string | undefined): FacetCount[] {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    const value = valueIn(session);
    if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, sessions]) => ({ value, hits: sessions, sessions }))
    .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
}

/** Newest first. */
function byValue(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

function dayOf({ modified }: ListedSession): string | undefined {
  const date = new Date(modified);
  return Number.isNaN(date.getTime()) ? undefined : formatDate(date);
}

/** An event of a scan: progress, a session before its first hit, or a hit. */
export type ScanEvent =
  | { progress: { bytes: number; bytesDone: number } }
  | { session: SessionInfo }
  | { hit: ScanHit };

const PROGRESS_INTERVAL_MS = 100;

/**
 * Scans the files for a regular expression. Case matters if it contains an uppercase letter.
 *
 * @param report receives the events; the next hit waits for its promise
 */
export async function scanSessions(
  index: Pick<Index, "scan" | "find">,
  regex: string,
  options: ScanOptions & { signal?: AbortSignal },
  report: (event: ScanEvent) => Promise<void> | void,
): Promise<void> {
  let reportedAt = performance.now();
  const known = new Set<string>();
  let progress = { bytes: 0, bytesDone: 0 };
  const onProgress = ({ bytes, bytesDone }: { bytes: number; bytesDone: number }) => {
    progress = { bytes, bytesDone };
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = performance.now();
    void report({ progress });
  };
  for await (const hit of index.scan({ regex }, { ...options, onProgress })) {
    if (!known.has(hit.path)) await report({ session: await index.find(hit.path) });
    known.add(hit.path);
    await report({ hit });
  }
  await report({ progress }); // a scan that stops at its limit says how far it got
}

type SessionHit = Pick<Hit, "path" | "entryId" | "line" | "alsoIn">;

/**
 * The hits of a typed query in one session, in file order. An entry copied from another session has its location in this
 * one.
 *
 * @param session the session in the query: a path, or an id
 * @param options `limit` is that of a pattern's hits
 * @param search runs a query of words
 */
export async function findInSession<H extends SessionHit>(
  index: Pick<Index, "scan">,
  { path, session = path, query }: { path: string; session?: string; query: string },
  { limit = MAX_SESSION_HITS, ...options }: ScanOptions & { signal?: AbortSignal },
  search: (query: string) => Promise<H[]>,
): Promise<(H | ScanHit)[]> {
  const typed = parseTypedQuery(query);
  let hits: (H | ScanHit)[] = [];
  if (typed.by === "words") hits = await search(sessionQuery(session, typed.query));
  else if (typed.by === "pattern") {
    const scan = { ...options, query: sessionQuery(session), limit };
    hits = await Array.fromAsync(index.scan({ regex: typed.regex }, scan));
  }
  return hits
    .flatMap((hit) => {
      if (hit.path === path) return [hit];
      return hit.alsoIn.filter((place) => place.path === path).map((place) => ({ ...hit, ...place }));
    })
    .sort((a, b) => a.line - b.line);
}
