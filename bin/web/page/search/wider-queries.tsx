import { useEffect, useState } from "preact/hooks";
import { listWiderQueries } from "../../../format/query-words.ts";
import { formatCount } from "../../../format/safe.ts";
import { apiGet } from "../shell/api.ts";
import { type SearchState, toSearchRequest } from "./search-state.ts";

const MAX_QUERIES = 4;

interface Props {
  state: SearchState;
  onQuery: (q: string) => void;
}

/** Queries with results that are near to one without. */
export function WiderQueries({ state, onQuery }: Props) {
  const [found, setFound] = useState<{ q: string; sessions: string }[]>([]);
  const name = JSON.stringify(state);
  useEffect(() => {
    const stop = new AbortController();
    setFound([]);
    // Without an error message: they are only an offer.
    findWider(state, stop.signal).then(setFound, () => {});
    return () => stop.abort();
  }, [name]);
  if (found.length === 0) return null;
  return (
    <>
      <p class="quiet">Queries with results:</p>
      <ul class="wider">
        {found.map(({ q, sessions }) => (
          <li key={q}>
            <button type="button" class="link" onClick={() => onQuery(q)}>
              <bdi>{q}</bdi>
            </button>{" "}
            <span class="quiet">{sessions}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

async function findWider(state: SearchState, signal: AbortSignal) {
  const tried = listWiderQueries(state.q)
    .slice(0, MAX_QUERIES)
    .map(async (q) => {
      const { by, params } = toSearchRequest({ ...state, q });
      if (by !== "search") return [];
      const { sessionCount, more, closest } = await apiGet(
        "search",
        { ...params, limit: 1, hits: 1 },
        signal,
      );
      const count = sessionCount - (closest?.sessionCount ?? 0);
      if (count === 0) return [];
      return [{ q, sessions: more ? "" : formatCount(count, "session") }];
    });
  return (await Promise.all(tried)).flat();
}
