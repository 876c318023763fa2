/** The program of the thread that has an isolated index. */
import { serveHost } from "./host/serve-host.ts";
import { openIndexService } from "./serve-index.ts";

serveHost({ index: openIndexService });
