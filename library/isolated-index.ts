/** An index that works in its own thread or process. */
import type { SessionInfo } from "../query/answers.ts";
import { withLazyText } from "../query/session-info.ts";
import type { SqlCell } from "../query/sql/sql-messages.ts";
import { requireOptions } from "../src/arguments.ts";
import { type Endpoint, Host } from "./host/host.ts";
import { startThread } from "./host/thread.ts";
import type { OpenIndexOptions } from "./index-options.ts";
import { IndexRoots } from "./index-roots.ts";
import type { CallerMember, IndexDescription, IndexService } from "./index-service.ts";
import type { Index } from "./local-index.ts";
import type { IndexWatch } from "./watch-index.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./index-host.ts" : "../index-host.js",
  import.meta.url,
);

/**
 * @param start starts a thread or process that serves `index`
 * @throws as `openIndex`
 */
export async function openIsolatedIndex(
  { isolated: _, onNotice, ...options }: OpenIndexOptions,
  start: () => Endpoint = () => startThread(PROGRAM),
): Promise<Index> {
  const host = new Host<IndexService>({
    start,
    service: "index",
    options,
    onNotice,
  });
  const { path, methods } = await host.call("describe").catch(async (error: unknown) => {
    await host.close();
    throw error;
  });
  const roots = new IndexRoots(options.roots);
  const closing = new AbortController();
  const watches = new Set<Promise<void>>();
  let lastWatch = 0;

  const own: Pick<Index, CallerMember> = {
    path,
    get roots() {
      return roots.folders;
    },
    leadsOutside: (path) => roots.leadsOutside(path),
    realRoots: () => roots.realPrefixes,
    refreshRoots() {
      roots.refresh();
      host.call("refreshRoots").catch(() => {}); // a host that is started later finds them itself
    },
    async watch(options = {}): Promise<IndexWatch> {
      requireOptions(options);
      const { signal: callerSignal, onSynced, ...rest } = options;
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, closing.signal, ...(callerSignal ? [callerSignal] : [])]);
      signal.throwIfAborted();
      const id = ++lastWatch;
      const { promise: ready, resolve: onReady } = Promise.withResolvers<void>();
      const watching = host.call("watch", {
        ...rest,
        id,
        onReady,
        onSynced(report, synced) {
          if (!synced.paths) roots.refresh();
          onSynced?.(report, synced);
        },
      });
      const end = () => void host.call("endWatch", id).catch(() => {});
      signal.addEventListener("abort", end, { once: true });
      const closed = watching
        .catch((error: unknown) => {
          if (!closing.signal.aborted) throw error;
        })
        .finally(() => {
          signal.removeEventListener("abort", end);
          watches.delete(closed);
        });
      watches.add(closed);
      closed.catch(() => {}); // awaiting it is optional
      await Promise.race([ready, closed]);
      signal.throwIfAborted();
      const close = () => {
        stop.abort();
        return closed;
      };
      return { closed, close, [Symbol.asyncDispose]: close };
    },
    async sql(text, options = {}) {
      const all = host.stream("sql", text, options) as AsyncGenerator<SqlCell[]>;
      const { value: columns } = await all.next();
      return { columns: columns as string[], rows: all };
    },
    async close() {
      closing.abort();
      await Promise.allSettled(watches);
      await host.close();
    },
    [Symbol.asyncDispose]: () => own.close(),
  };
  const others = methods
    .filter(({ name }) => !(name in own))
    .map((method) => [method.name, toRemoteMethod(host, method)]);
  const index = Object.assign(own, Object.fromEntries(others)) as Index;
  const { sync } = index;
  index.sync = (options = {}) => {
    roots.refresh();
    return sync(options);
  };
  return index;
}

/** A function that calls a method of the index in the host. */
function toRemoteMethod(
  host: Host<IndexService>,
  { name, isStream, arity }: IndexDescription["methods"][number],
) {
  if (!isStream) {
    return async (...args: never[]) => {
      const answer = await host.call(name as "find", ...(args as [never]));
      return METHODS_WITH_SESSIONS.has(name) ? restoreLazyText(answer) : answer;
    };
  }
  // Options are always sent: with them, the host is notified when the reader stops early.
  return (...args: never[]) =>
    host.stream(name as "entries", ...((args.length > arity ? args : [...args, {}]) as [never]));
}

/** Methods whose results contain sessions. */
const METHODS_WITH_SESSIONS = new Set<string>([
  "find",
  "list",
  "listAll",
  "search",
  "files",
  "forks",
  "spend",
  "blame",
  "commits",
  "uncommitted",
]);

/** Adds `allMessagesText` to sessions again: it is a getter, which messages don't carry. */
function restoreLazyText<T>(answer: T): T {
  if (typeof answer !== "object" || answer === null) return answer;
  if ("firstMessage" in answer && "path" in answer) withLazyText(answer as unknown as SessionInfo);
  else for (const each of Object.values(answer)) restoreLazyText(each);
  return answer;
}
