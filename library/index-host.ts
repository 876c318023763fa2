/** The program of an isolated index's worker thread. */
import { serveHost } from "./host/serve-host.ts";
import { openIndexService } from "./serve-index.ts";

serveHost({ index: openIndexService });
