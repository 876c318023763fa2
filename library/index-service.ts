/** An index as a host serves it: what can be called through messages. */
import type { Index } from "./open-index.ts";
import type { WatchOptions } from "./watch-index.ts";

/** Methods whose arguments and answers can be sent as they are. */
export const CALLS = [
  "listTrashed",
  "restore",
  "isRestorable",
  "sync",
  "syncFiles",
  "syncFile",
  "rebuild",
  "verify",
  "list",
  "listAll",
  "listBriefly",
  "find",
  "search",
  "searchEntries",
  "complete",
  "files",
  "tree",
  "treeEntries",
  "outline",
  "forks",
  "branch",
  "children",
  "labels",
  "problems",
  "entry",
  "context",
  "usage",
  "spend",
  "sqlViews",
  "stats",
] as const satisfies readonly (keyof Index)[];

/** Methods whose answers are streams. */
export const STREAMS = [
  "scan",
  "secrets",
  "entries",
  "usageEvents",
] as const satisfies readonly (keyof Index)[];

export type SentMethod = (typeof CALLS)[number] | (typeof STREAMS)[number];

/** What the host serves: those methods, and in place of the others what can be sent. */
export interface IndexService extends Pick<Index, SentMethod> {
  path(): Promise<string>;
  refreshRoots(): Promise<void>;
  /** First the names of the columns, then the rows. */
  sql(...args: Parameters<Index["sql"]>): AsyncGenerator<unknown[]>;
  /** Resolves when the watch has ended, by `endWatch` with the same id. */
  watch(options: WatchOptions & { id: number; onReady: () => void }): Promise<void>;
  endWatch(id: number): Promise<void>;
  close(): Promise<void>;
}
