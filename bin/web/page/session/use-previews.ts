import { useMemo } from "preact/hooks";
import { apiGet, delay, useLoaded } from "../shell/api.ts";
import { LimitedMap } from "../shell/limited-map.ts";

const MAX_PREVIEWS = 3000;
/** Delay after scrolling before previews are loaded. */
const PREVIEW_DELAY_MS = 60;

/** One-line previews by line, loaded when scrolling stops. */
export function usePreviews(
  session: string,
  origin: object,
  lines: readonly number[],
): ReadonlyMap<number, string> {
  const previews = useMemo(() => new LimitedMap<number, string>(MAX_PREVIEWS), [session, origin]);
  const missing = lines.filter((line) => !previews.has(line)).join(",");
  // Errors are not shown: the tree and the prompts above rows are links without them, too, and the transcript reports problems with the file.
  useLoaded(missing || undefined, previews, async (signal) => {
    await delay(PREVIEW_DELAY_MS, signal);
    const answer = await apiGet("previews", { session, lines: missing }, signal);
    for (const { line, text } of answer.previews) previews.set(line, text);
  });
  return previews;
}
