/** The methods of an index that an index host serves. */
import type { Index } from "./local-index.ts";
import type { WatchOptions } from "./watch-index.ts";

/** Members of an index that the caller's side implements itself: they are synchronous, or return something that cannot be sent. */
export type CallerMember =
  | "path"
  | "roots"
  | "leadsOutside"
  | "realRoots"
  | "refreshRoots"
  | "watch"
  | "sql"
  | "close"
  | typeof Symbol.asyncDispose;

export interface IndexService extends Omit<Index, CallerMember> {
  describe(): Promise<IndexDescription>;
  refreshRoots(): Promise<void>;
  /** Yields the column names, then the rows. */
  sql(...args: Parameters<Index["sql"]>): AsyncGenerator<unknown[]>;
  /** Resolves when the watch has ended: `endWatch` with the same id ends it. */
  watch(options: WatchOptions & { id: number; onReady: () => void }): Promise<void>;
  endWatch(id: number): Promise<void>;
  close(): Promise<void>;
}

export interface IndexDescription {
  path: string;
  /** The other methods, which are called by name. `arity` counts the arguments before the options. */
  methods: { name: string; isStream: boolean; arity: number }[];
}
