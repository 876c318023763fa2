/** The state of a view is part of its address, for bookmarks, links and the browser's history. */
import { signal } from "@preact/signals";
import { useCallback, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

export type Params = Readonly<Record<string, string>>;

/** Changes parameters of the address; "" removes one. */
type ChangeParams = (changes: Params, how?: "push" | "replace") => void;

/** The parameters of the address, and a function that changes them. The function is stable across renders. */
export function useParams(): [Params, ChangeParams] {
  const location = useLocation();
  const current = useRef(location);
  current.current = location;
  const change = useCallback<ChangeParams>((changes, how = "push") => {
    const { query, path, route } = current.current;
    route(withParams(path, { ...query, ...changes }), how === "replace");
  }, []);
  return [location.query, change];
}

/** An address with parameters, without the empty ones. */
export function withParams(path: string, params: Params): string {
  const set = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ""));
  return set.size > 0 ? `${path}?${set}` : path;
}

/** In the storage of the tab, so that a reload of a session keeps it. */
const LAST_SEARCH = "pidex-last-search";

/** The last search, for links back to it. */
const lastSearch = signal(globalThis.sessionStorage?.getItem(LAST_SEARCH) ?? "/");

export function rememberSearch(params: Params): void {
  lastSearch.value = withParams("/", params);
  sessionStorage.setItem(LAST_SEARCH, lastSearch.value);
}

/** The address of the last search, with its filters. */
export function getLastSearch(): string {
  return lastSearch.value;
}

/** Ids that cannot be confused with a path, a file name, URL syntax or a keyword such as `@last`. */
const PLAIN_ID = /^\w[\w-]{0,99}$/;

/** The name of a session in an address: its id, or its path if the id is unusual. */
export function toUrlName({ id, path }: { id: string; path: string }): string {
  return PLAIN_ID.test(id) ? id : path;
}

/** The address of a session, optionally at an entry or line, with the matches of a query marked. */
export function sessionUrl(
  session: string,
  at: { entry?: string | number | undefined; line?: number; q?: string } = {},
): string {
  const { entry, line, q = "" } = at;
  const position: Params =
    entry !== undefined ? { entry: String(entry) } : line !== undefined ? { line: String(line) } : {};
  return withParams(`/session/${encodeURIComponent(session)}`, { ...position, q });
}
