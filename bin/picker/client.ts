/** Opens the index host that runs the picker's queries. */
import type { Host } from "../../library/host/host.ts";
import { threadHost } from "../actions/index-host.ts";
import type { HubLocation, IndexLocation } from "../actions/index-location.ts";
import type { PickerService } from "./service/picker-service.ts";

/** V8 heap for short-lived objects, in MB: by default V8 takes several times more without being faster. */
const YOUNG_GENERATION_MB = 12;
/** V8 heap for other objects, in MB: a small limit makes V8 collect earlier. A session of 200,000 entries fits. */
const OLD_GENERATION_MB = 384;
/** SQLite page cache, in MB. A quarter of the default: the system caches the file too, and the picker should stay small. */
const CACHE_MB = 8;

export type PickerClient = Host<PickerService>;

/** The index, or a hub in place of it. */
export type PickerLocation = IndexLocation & { hub?: HubLocation | undefined };

export function openPickerClient(location: PickerLocation, onNotice: (notice: string) => void): PickerClient {
  return threadHost<PickerService>(
    "picker",
    { ...location, cacheMb: CACHE_MB, onNotice },
    { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: OLD_GENERATION_MB },
  );
}
