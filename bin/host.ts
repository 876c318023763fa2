/** The program of every index host: threads for the picker, the page and the hub, processes for pi and `pidex verify`. Each runs one of these services. */
import { serveHost } from "../library/host/serve-host.ts";
import { type HubIndex, type Index, type OpenIndexOptions, openHub, openIndex } from "../library/index.ts";
import type { HubLocation } from "./actions/index-location.ts";

serveHost({
  index: async (options: never, onNotice) =>
    (await import("../library/serve-index.ts")).openIndexService(options, onNotice),
  picker: async (options: SourceOptions, onNotice) => {
    const { PickerService } = await import("./picker/service/picker-service.ts");
    return new PickerService(await openSource(options, onNotice));
  },
  page: async (options: SourceOptions, onNotice) => {
    const { PageService } = await import("./web/hosts/page-service.ts");
    return new PageService(await openSource(options, onNotice));
  },
  agents: async (_: never, onNotice) => {
    const { applyConfig } = await import("./config/apply-config.ts");
    for (const problem of await applyConfig(process.env)) onNotice(problem);
    return (await import("./agents/agent-service.ts")).openAgentService(onNotice);
  },
  ingest: async (options: { url: string }) =>
    (await import("../library/hub/server/ingest-service.ts")).openIngestService(options),
});

/** A hub, or else an index. */
type SourceOptions = OpenIndexOptions & { hub?: HubLocation };

function openSource(
  { hub, ...options }: SourceOptions,
  onNotice: (notice: string) => void,
): Promise<Index | HubIndex> {
  return hub ? openHub({ url: hub.url, token: hub.token }) : openIndex({ ...options, onNotice });
}
