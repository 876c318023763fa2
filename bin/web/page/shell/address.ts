/** What is shown stands in the address: it can be kept, sent, and gone back to. */
import { useLocation } from "preact-iso";

export type Params = Readonly<Record<string, string>>;

/** The parameters of the address, and how they are changed: "" takes one away. */
export function useParams(): [Params, (changes: Record<string, string>, how?: "push" | "replace") => void] {
  const { query, path, route } = useLocation();
  const change = (changes: Record<string, string>, how = "push") => {
    const params = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === "") params.delete(name);
      else params.set(name, value);
    }
    route(params.size > 0 ? `${path}?${params}` : path, how === "replace");
  };
  return [query, change];
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
