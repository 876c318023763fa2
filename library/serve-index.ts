/** Opens an index in an index host and serves its methods. */
import type { OpenService } from "./host/serve-host.ts";
import type { OpenIndexOptions } from "./index-options.ts";
import type { IndexDescription, IndexService } from "./index-service.ts";
import { LocalIndex } from "./local-index.ts";
import { openIndex } from "./open-index.ts";
import { QueryIndex } from "./query/query-index.ts";

type Method = (...args: unknown[]) => unknown;

export const openIndexService: OpenService = async (options: OpenIndexOptions, onNotice) => {
  const index = await openIndex({ ...options, onNotice });
  const watches = new Map<number, AbortController>();
  const own = {
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
  } satisfies Partial<IndexService>;

  const methods = {
    ...Object.getOwnPropertyDescriptors(QueryIndex.prototype),
    ...Object.getOwnPropertyDescriptors(LocalIndex.prototype),
  };
  const others = Object.entries(methods).flatMap(([name, { value }]) =>
    typeof value === "function" && name !== "constructor" && !(name in own)
      ? [{ name, method: value as Method }]
      : [],
  );
  const description: IndexDescription = {
    path: index.path,
    methods: others.map(({ name, method }) => ({
      name,
      isStream: Object.prototype.toString.call(method) === "[object AsyncGeneratorFunction]",
      arity: method.length,
    })),
  };
  const calls = others.map(({ name, method }) => [name, method.bind(index)]);
  return { ...Object.fromEntries(calls), ...own, describe: async () => description };
};
