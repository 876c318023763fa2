import type { IndexQueries } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import type { CurrentSession } from "./current-session.ts";
import type { OutlineCache } from "./outline-cache.ts";

/** An answer in both forms: text for a model, and the same content as data. */
export interface Answer<T> {
  text: string;
  data: T;
}

/** Options of any request. */
export interface RequestOptions {
  /** The session that makes the request. Default: that of the index. */
  currentSession?: CurrentSession;
  signal?: AbortSignal | undefined;
  /** Called with the progress of the first index while the request waits for it. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** The name of the calling tool. Sessions with a pending call of it are treated as the current session. */
  tool?: string;
}

/** Files read so far, of all files to read. */
export interface Progress {
  done: number;
  total: number;
}

/** What a request needs besides its parameters. */
export interface RequestContext {
  index: IndexQueries;
  /** Ids and paths of the sessions to exclude: those that may be making the request. */
  except: string[] | undefined;
  /** Masks secrets; undefined if they are shown. */
  redactor: Redactor | undefined;
  signal: AbortSignal | undefined;
  outlines: OutlineCache;
}
