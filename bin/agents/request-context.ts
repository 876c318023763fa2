import type { Redactor } from "../../library/internal.ts";
import type { RequestOptions } from "./answer.ts";
import type { CurrentSession } from "./current-session.ts";
import type { OutlineCache } from "./outline-cache.ts";

/** Everything besides the index that a request needs. */
export interface RequestContext {
  currentSession: CurrentSession;
  /** Masks secrets; undefined if they are shown. */
  redactor: Redactor | undefined;
  options: RequestOptions;
  outlineCache: OutlineCache;
}
