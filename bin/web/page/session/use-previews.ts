/** Words about entries, for the rows of the tree that are seen. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PreviewsAnswer } from "../../api/session-answers.ts";
import { ask } from "../shell/ask.ts";

/** So many lines of words are kept. */
const MOST_PREVIEWS = 3000;

/** A line of words about the entries on some lines; fetched when scrolling comes to rest. */
export function usePreviews(
  path: string,
  origin: object,
  lines: readonly number[],
): ReadonlyMap<number, string> {
  const kept = useMemo(() => new Map<number, string>(), [path, origin]);
  const [, setFetched] = useState(0);
  const missing = lines.filter((line) => !kept.has(line)).join(",");
  useEffect(() => {
    if (missing === "") return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      ask<PreviewsAnswer>("previews", { session: path, lines: missing }, stop.signal).then(
        ({ previews }) => {
          for (const { line, text } of previews) kept.set(line, text);
          for (const oldest of kept.keys()) {
            if (kept.size <= MOST_PREVIEWS) break;
            kept.delete(oldest);
          }
          setFetched((times) => times + 1);
        },
        (error) => {
          // The tree stands without words too; what is wrong with the file, the transcript tells.
          if (!stop.signal.aborted) console.warn(error);
        },
      );
    }, 60);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path, missing, kept]);
  return kept;
}
