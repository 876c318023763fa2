/** The picker's side of the host that answers. */
import type { Host } from "../../library/host/host.ts";
import { threadHost } from "../actions/index-host.ts";
import type { IndexPlace } from "../actions/synced.ts";
import type { Answers } from "./answering/answers.ts";

/** Room for what is thrown away at once: by itself it would take several times that, and no less time. */
const YOUNG_MB = 6;
/** Room for all else: the smaller it is, the sooner garbage goes. A session of 200,000 entries fits. */
const OLD_MB = 384;
/** A quarter of the usual: the system keeps the file in memory as well, and the picker is to be a small process. */
const CACHE_MB = 8;

export type Asker = Host<Answers>;

export function openAsker(place: IndexPlace, onNotice: (notice: string) => void): Asker {
  return threadHost<Answers>(
    "picker",
    { ...place, cacheMb: CACHE_MB, onNotice },
    { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
  );
}
