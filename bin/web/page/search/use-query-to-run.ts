import { useEffect, useRef, useState } from "preact/hooks";
import {
  completeHalfTyped,
  isHalfTyped,
  type QueryToRun,
  withoutLastField,
} from "../../../format/half-typed.ts";
import { completeQuery } from "./complete-query.ts";
import type { SearchState } from "./search-state.ts";

/**
 * The query that is run for a typed one: all requests of a state use it, so that results, further pages, filters and exports are of
 * the same query. Until the completions of a half-typed field are known, it is the one before.
 */
export function useQueryToRun(typed: string, state: SearchState): QueryToRun {
  const [resolved, setResolved] = useState<{ typed: string; run: QueryToRun }>();
  const isWaiting = isHalfTyped(typed) && resolved?.typed !== typed;
  const last = useRef<QueryToRun>(undefined);
  useEffect(() => {
    if (!isWaiting) return undefined;
    let isStale = false;
    const resolve = (run: QueryToRun) => isStale || setResolved({ typed, run });
    completeQuery(typed, state).then(
      (answer) => resolve(completeHalfTyped(typed, answer)),
      () => resolve({ text: typed }), // the search reports the error
    );
    return () => {
      isStale = true;
    };
  }, [typed, isWaiting]);
  if (!isWaiting) last.current = resolved?.typed === typed ? resolved.run : { text: typed };
  last.current ??= { text: withoutLastField(typed) };
  return last.current;
}
