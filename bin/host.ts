/** The program of every index host: a thread for the picker and the page, a process for pi. Each runs one of these services. */
import { serveHost } from "../library/host/serve-host.ts";
import { type OpenIndexOptions, openIndex } from "../library/index.ts";

serveHost({
  index: async (options: never, onNotice) =>
    (await import("../library/serve-index.ts")).openIndexService(options, onNotice),
  picker: async (options: OpenIndexOptions, onNotice) => {
    const { PickerService } = await import("./picker/service/picker-service.ts");
    return new PickerService(await openIndex({ ...options, onNotice }));
  },
  page: async (options: OpenIndexOptions, onNotice) => {
    const { PageService } = await import("./web/hosts/page-service.ts");
    return new PageService(await openIndex({ ...options, onNotice }));
  },
  agents: async (_: never, onNotice) =>
    (await import("./agents/agent-service.ts")).openAgentService(onNotice),
});
