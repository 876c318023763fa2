/** Opens an index in a host, and serves it. */
import type { OpenService } from "./host/serve-host.ts";
import { CALLS, type IndexService, type SentMethod, STREAMS } from "./index-service.ts";
import { type Index, type OpenIndexOptions, openIndex } from "./open-index.ts";

function serveIndex(index: Index): IndexService {
  const watches = new Map<number, AbortController>();
  const methods = [...CALLS, ...STREAMS].map((name) => [name, index[name].bind(index)]);
  return {
    ...(Object.fromEntries(methods) as Pick<Index, SentMethod>),
    path: async () => index.path,
    refreshRoots: async () => index.refreshRoots(),
    async *sql(...args) {
      const { columns, rows } = await index.sql(...args);
      yield columns;
      yield* rows;
    },
    async watch({ id, onReady, ...options }) {
      const stop = new AbortController();
      watches.set(id, stop);
      try {
        const watch = await index.watch({ ...options, signal: stop.signal });
        onReady();
        await watch.closed;
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      } finally {
        watches.delete(id);
      }
    },
    endWatch: async (id) => watches.get(id)?.abort(),
    close: () => index.close(),
  };
}

export const openIndexService: OpenService = async (options: OpenIndexOptions, onNotice) => {
  return serveIndex(await openIndex({ ...options, onNotice }));
};
