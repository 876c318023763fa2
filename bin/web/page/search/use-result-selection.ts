import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { SessionJson } from "../../api/json.ts";
import type { SessionChanges } from "./use-bulk-actions.ts";
import { useSelection } from "./use-selection.ts";

/** Loads the sessions of all results. Another function for another query. */
export type LoadAll = (
  signal: AbortSignal,
  onProgress: (count: number) => void,
) => Promise<readonly SessionJson[]>;

/** Selecting all results of the query, of which the rows are the first. */
export interface SelectAll {
  /** Number of sessions loaded so far; undefined while nothing is loading. */
  loadedCount: number | undefined;
  error: unknown;
  start: () => void;
  dismiss: () => void;
}

/**
 * The selected sessions of the results.
 *
 * @param rows the sessions of the rows, in their order
 */
export function useResultSelection(rows: readonly SessionJson[], loadAll: LoadAll) {
  const { selected, select, selectOnly } = useSelection(rows.map(({ path }) => path));
  const all = useAll(loadAll, selectOnly);
  const { stop } = all;
  const chooseOnly = useCallback(
    (only: readonly string[]) => {
      stop();
      selectOnly(only);
    },
    [stop, selectOnly],
  );
  /** What actions changed in sessions without a row, which are loaded only once. Rows are loaded again. */
  const changed = useRef<{ of: readonly SessionJson[]; changes: Map<string, SessionChanges> }>(undefined);
  if (changed.current?.of !== all.sessions) changed.current = { of: all.sessions, changes: new Map() };
  const { changes } = changed.current;
  const change = useCallback(
    (path: string, changed: SessionChanges) => {
      changes.set(path, { ...changes.get(path), ...changed });
    },
    [changes],
  );
  const chosen = rows.filter(({ path }) => selected.has(path));
  if (all.sessions.length > 0) {
    const paths = new Set(rows.map(({ path }) => path));
    const others = all.sessions.filter(({ path }) => selected.has(path) && !paths.has(path));
    chosen.push(
      ...(changes.size > 0 ? others.map((each) => ({ ...each, ...changes.get(each.path) })) : others),
    );
  }
  return { selected, chosen, select, selectOnly: chooseOnly, change, all };
}

const NO_SESSIONS: readonly SessionJson[] = [];

/** The sessions of all results once they are selected, until the query changes: others must not stay selected unseen. */
function useAll(loadAll: LoadAll, selectOnly: (paths: readonly string[]) => void) {
  const [loaded, setLoaded] = useState<{ of: LoadAll; sessions: readonly SessionJson[] }>();
  const [state, setState] = useState<Pick<SelectAll, "loadedCount" | "error">>(IDLE);
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setState(IDLE);
  }, []);
  const start = useCallback(() => {
    running.current?.abort();
    const request = new AbortController();
    running.current = request;
    setState({ loadedCount: 0, error: undefined });
    const report = (loadedCount: number) =>
      request.signal.aborted || setState({ loadedCount, error: undefined });
    loadAll(request.signal, report).then(
      (sessions) => {
        if (request.signal.aborted) return;
        setLoaded({ of: loadAll, sessions });
        selectOnly(sessions.map(({ path }) => path));
        setState(IDLE);
      },
      (error: unknown) => request.signal.aborted || setState({ loadedCount: undefined, error }),
    );
  }, [loadAll]);
  const isOfAnother = loaded !== undefined && loaded.of !== loadAll;
  useEffect(() => {
    if (!isOfAnother) return;
    setLoaded(undefined);
    selectOnly([]);
  }, [isOfAnother]);
  useEffect(() => stop, [loadAll]);
  return {
    ...state,
    start,
    stop,
    dismiss: stop,
    sessions: isOfAnother ? NO_SESSIONS : (loaded?.sessions ?? NO_SESSIONS),
  };
}

const IDLE = { loadedCount: undefined, error: undefined };
