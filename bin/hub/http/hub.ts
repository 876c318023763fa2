import type { Pool } from "pg";
import type { Caller } from "../../../library/hub/server/identity.ts";
import type { Ingest } from "../../../library/hub/server/ingest-service.ts";

/** What the routes of a hub need. */
export interface Hub {
  pool: Pool;
  database: "postgresql" | "pglite";
  ingest: Ingest;
  /** Forgets and indexes in the background, at once instead of at the next interval. */
  wakeMaintenance: () => void;
  /** Brings the ledger up to date in the background. */
  wakeSettler: () => void;
  /** Writes a line to the access log. */
  log: (line: string) => void;
  /** Whether requests come over TLS. */
  isTls: boolean;
}

/** The environment of Hono: what the guard knows of a request. */
export interface HubEnv {
  Variables: {
    /** Who sent the request. Not set for `/v1/join`. */
    caller: Caller;
    requestId: string;
  };
}
