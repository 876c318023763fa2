/** What is shown stands in the address: it can be kept, sent, and gone back to. */
import { useCallback, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

export type Params = Readonly<Record<string, string>>;

/** Changes parameters of the address: "" takes one away. */
type ChangeParams = (changes: Record<string, string>, how?: "push" | "replace") => void;

/** The parameters of the address, and how they are changed, which stays the same function. */
export function useParams(): [Params, ChangeParams] {
  const location = useLocation();
  const now = useRef(location);
  now.current = location;
  const change = useCallback<ChangeParams>((changes, how = "push") => {
    const { query, path, route } = now.current;
    route(withParams(path, { ...query, ...changes }), how === "replace");
  }, []);
  return [location.query, change];
}

/** An address with its parameters, but for those that are "". */
export function withParams(path: string, params: Params): string {
  const set = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ""));
  return set.size > 0 ? `${path}?${set}` : path;
}

/** Ids that mean nothing else: no path, no name of a file, no part of an address, no word of ours such as `@last`. */
const PLAIN_ID = /^\w[\w-]{0,99}$/;

/** What a session is called in an address: its id, or its file where nobody but a session's writer would call it so. */
export function nameInAddress({ id, path }: { id: string; path: string }): string {
  return PLAIN_ID.test(id) ? id : path;
}

/** Where a session is shown: at an entry, where one is named, with what was looked for marked. */
export function sessionAddress(
  session: string,
  at: { entry?: string | number | undefined; line?: number; q?: string } = {},
): string {
  const { entry, line, q = "" } = at;
  const place: Params =
    entry !== undefined ? { entry: String(entry) } : line !== undefined ? { line: String(line) } : {};
  return withParams(`/session/${encodeURIComponent(session)}`, { ...place, q });
}
