/** A host program for tests: the ingest service of a hub, in a thread that crashes on request. */
import { serveHost } from "../../../library/host/serve-host.ts";
import { openIngestService } from "../../../library/hub/server/ingest-service.ts";

serveHost({
  ingest: async ({ url, crash }: { url: string; crash: SharedArrayBuffer }) => {
    const { value } = Atomics.waitAsync(new Int32Array(crash), 0, 0);
    // A thread that starts after the crash waits for none.
    if (value !== "not-equal") {
      void Promise.resolve(value).then(() => {
        setImmediate(() => {
          throw new Error("a fault of the thread");
        });
      });
    }
    return openIngestService({ url });
  },
});
