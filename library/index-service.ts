/** An index as a host serves it: what can be called through messages. */
import type { Index } from "./open-index.ts";
import type { WatchOptions } from "./watch-index.ts";

/** Members of an index that the caller's side has itself: some answer at once, others return what cannot be sent. */
export type OwnMember =
  | "path"
  | "roots"
  | "leadsOutside"
  | "realRoots"
  | "refreshRoots"
  | "watch"
  | "sql"
  | "close"
  | typeof Symbol.asyncDispose;

export interface IndexService extends Omit<Index, OwnMember> {
  describe(): Promise<IndexDescription>;
  refreshRoots(): Promise<void>;
  /** First the names of the columns, then the rows. */
  sql(...args: Parameters<Index["sql"]>): AsyncGenerator<unknown[]>;
  /** Resolves when the watch has ended, by `endWatch` with the same id. */
  watch(options: WatchOptions & { id: number; onReady: () => void }): Promise<void>;
  endWatch(id: number): Promise<void>;
  close(): Promise<void>;
}

export interface IndexDescription {
  path: string;
  /** The other methods, which are called by name. */
  methods: { name: string; isStream: boolean /** Arguments before the options. */; arity: number }[];
}
