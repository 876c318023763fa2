/** What is shown stands in the address: it can be kept, sent, and gone back to. */
import { useCallback, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

export type Params = Readonly<Record<string, string>>;

/** Changes parameters of the address: "" takes one away. */
export type ChangeParams = (changes: Record<string, string>, how?: "push" | "replace") => void;

/** The parameters of the address, and how they are changed, which stays the same function. */
export function useParams(): [Params, ChangeParams] {
  const location = useLocation();
  const now = useRef(location);
  now.current = location;
  const change = useCallback<ChangeParams>((changes, how = "push") => {
    const { query, path, route } = now.current;
    const params = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === "") params.delete(name);
      else params.set(name, value);
    }
    route(params.size > 0 ? `${path}?${params}` : path, how === "replace");
  }, []);
  return [location.query, change];
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
  const params = new URLSearchParams();
  if (at.entry !== undefined) params.set("entry", String(at.entry));
  else if (at.line !== undefined) params.set("line", String(at.line));
  if (at.q) params.set("q", at.q);
  const query = params.size > 0 ? `?${params}` : "";
  return `/session/${encodeURIComponent(session)}${query}`;
}
