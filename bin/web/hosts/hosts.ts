/** The index hosts of the server. Long requests run in them, so that other requests don't wait. */
import type { Host } from "../../../library/host/host.ts";
import { threadHost } from "../../actions/index-host.ts";
import type { HubLocation, IndexLocation } from "../../actions/index-location.ts";
import type { PageService } from "./page-service.ts";
import { Streams } from "./streams.ts";

/** The index, or a hub in place of it. */
export type PageLocation = IndexLocation & { hub?: HubLocation | undefined };

export interface Hosts {
  searching: Host<PageService>;
  /** For counts, which take longer than a search as you type, and for changes of large sessions. */
  counting: Host<PageService>;
  streams: Streams;
}

export function createPageHost(location: PageLocation): Host<PageService> {
  return threadHost<PageService>("page", location);
}

export function createHosts(location: PageLocation): Hosts {
  return {
    searching: createPageHost(location),
    counting: createPageHost(location),
    streams: new Streams(() => createPageHost(location)),
  };
}

export async function closeHosts({ searching, counting, streams }: Hosts): Promise<void> {
  await Promise.all([searching.close(), counting.close(), streams.close()]);
}
