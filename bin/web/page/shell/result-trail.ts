/** The results of the last search, for going from session to session without returning to the list. */
import { toUrlName } from "./address.ts";

export interface ResultTrail {
  /** The query: sessions mark its matches. */
  q: string;
  sessions: readonly { id: string; path: string }[];
  /** The number of results. Undefined if it is not known. */
  total?: number | undefined;
  /** Loads the results and the next ones. Undefined if there are no others. */
  loadMore?: ((signal: AbortSignal) => Promise<ResultTrail>) | undefined;
}

let trail: ResultTrail = { q: "", sessions: [] };

export function rememberResults(results: ResultTrail): void {
  trail = results;
}

/** Where a session is among the results: `index` from 0, and their number, a lower bound if `hasMore`. Undefined if it is none of them. */
export function findInTrail(session: string): { index: number; count: number; hasMore: boolean } | undefined {
  const index = trail.sessions.findIndex((each) => toUrlName(each) === session || each.id === session);
  if (index < 0) return undefined;
  const loaded = trail.sessions.length;
  if (trail.loadMore === undefined) return { index, count: loaded, hasMore: false };
  return { index, count: Math.max(loaded, trail.total ?? 0), hasMore: trail.total === undefined };
}

/** The result after (1) or before (-1) a session, and the query; undefined if there is none. @throws as `loadMore` */
export async function stepInTrail(
  session: string,
  by: 1 | -1,
  signal: AbortSignal,
): Promise<{ name: string; q: string } | undefined> {
  const at = findInTrail(session);
  if (!at) return undefined;
  if (at.index + by === trail.sessions.length && trail.loadMore) trail = await trail.loadMore(signal);
  const next = trail.sessions[at.index + by];
  return next && { name: toUrlName(next), q: trail.q };
}

/** The entry in the browser's history that shows the list, or the usage, from which the current view was reached, past other sessions. */
export function findViewBefore(): { key: string; address: string; isList: boolean } | undefined {
  const { navigation } = window;
  const here = navigation?.currentEntry?.index ?? 0;
  const earlier = navigation?.entries().slice(0, here) ?? [];
  const last = earlier.findLast(({ url }) => !new URL(url ?? location.href).pathname.startsWith("/session/"));
  const { pathname, search } = new URL(last?.url ?? "about:blank");
  if (!last || (pathname !== "/" && pathname !== "/usage")) return undefined;
  return { key: last.key, address: pathname + search, isList: pathname === "/" };
}
