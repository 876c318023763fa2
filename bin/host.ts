/** The program of every index host: a thread for the picker and the page, a process for pi. Each runs one of these services. */
import { serveHost } from "../library/host/serve-host.ts";

serveHost({
  index: async (options: never, onNotice) =>
    (await import("../library/serve-index.ts")).openIndexService(options, onNotice),
  picker: async (options: never, onNotice) =>
    (await import("./picker/service/picker-service.ts")).openPickerService(options, onNotice),
  page: async (options: never, onNotice) =>
    (await import("./web/hosts/page-service.ts")).openPageService(options, onNotice),
  agents: async (_: never, onNotice) =>
    (await import("./agents/agent-service.ts")).openAgentService(onNotice),
});
