/** Words about entries, for the rows of the tree that are seen. */
import { useMemo } from "preact/hooks";
import type { PreviewsAnswer } from "../../api/session-answers.ts";
import { ask, rest, useLoaded } from "../shell/ask.ts";
import { LimitedMap } from "../shell/limited-map.ts";

const MAX_PREVIEWS = 3000;
/** How long scrolling rests before words are fetched, in milliseconds. */
const REST_MS = 60;

/** A line of words about the entries on some lines; fetched when scrolling comes to rest. */
export function usePreviews(
  session: string,
  origin: object,
  lines: readonly number[],
): ReadonlyMap<number, string> {
  const previews = useMemo(() => new LimitedMap<number, string>(MAX_PREVIEWS), [session, origin]);
  const missing = lines.filter((line) => !previews.has(line)).join(",");
  // An error is not shown: the tree is complete without words, and the transcript reports what is wrong with the file.
  useLoaded(missing || undefined, previews, async (signal) => {
    await rest(REST_MS, signal);
    const answer = await ask<PreviewsAnswer>("previews", { session, lines: missing }, signal);
    for (const { line, text } of answer.previews) previews.set(line, text);
  });
  return previews;
}
