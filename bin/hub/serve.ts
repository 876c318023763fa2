/** Starts the HTTP server of a hub. */
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Pool } from "pg";
import { type Ingest, IngestService } from "../../library/hub/server/ingest-service.ts";
import { Maintenance } from "../../library/hub/server/maintenance.ts";
import { Settler } from "../../library/hub/server/settler.ts";
import { PidexError } from "../../library/index.ts";
import { createHubApp } from "./app.ts";
import { describeError } from "./http/errors.ts";
import type { Hub } from "./http/hub.ts";

export interface ServeHubOptions {
  /** Of a migrated database. It is not closed. */
  pool: Pool;
  database: Hub["database"];
  /** Default: in this thread. It is not closed. */
  ingest?: Ingest;
  host: string;
  /** 0 means any free port. */
  port: number;
  /** PEM texts. Undefined means HTTP. */
  tls?: { cert: string; key: string } | undefined;
  log: (line: string) => void;
}

/** A listening hub. */
export interface RunningHub {
  readonly url: string;
  /** Lets running requests finish for some seconds, then ends them. */
  close(): Promise<void>;
}

/** The longest time that sending a request may take, in milliseconds. */
const REQUEST_MS = 15 * 60_000;
/** How long running requests may go on when the hub stops, in milliseconds. */
const GRACE_MS = 5_000;

/** Listens until it is closed. @throws PidexError `BAD_OPTION` if it cannot listen, or the certificate is invalid */
export async function serveHub({
  pool,
  database,
  ingest = new IngestService(pool),
  host,
  port,
  tls,
  log,
}: ServeHubOptions): Promise<RunningHub> {
  const maintenance = new Maintenance(pool, (error) => log(`maintenance failed: ${describeError(error)}`));
  const settler = new Settler(pool, ingest, (error) => log(`settling failed: ${describeError(error)}`));
  const hub: Hub = {
    ...{ pool, database, ingest, log, isTls: tls !== undefined },
    wakeMaintenance: () => maintenance.wake(),
    wakeSettler: () => settler.wake(),
  };
  const { fetch } = createHubApp(hub);
  const server = (
    tls
      ? createAdaptorServer({ fetch, createServer: createHttpsServer, serverOptions: checkTls(tls) })
      : createAdaptorServer({ fetch, createServer: createHttpServer })
  ) as Server;
  server.requestTimeout = REQUEST_MS;
  await listen(server, host, port);
  maintenance.wake();
  settler.wake();
  const { port: actual } = server.address() as AddressInfo;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `${tls ? "https" : "http"}://${shownHost}:${actual}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      server.closeIdleConnections();
      await Promise.all([closed, maintenance.close(), settler.close()]);
      clearTimeout(timer);
    },
  };
}

function checkTls(tls: { cert: string; key: string }): { cert: string; key: string } {
  try {
    createHttpsServer(tls).close();
    return tls;
  } catch (cause) {
    const hint =
      "Pass PEM files: --tls-cert with the certificate and its chain, --tls-key with its private key.";
    throw new PidexError("BAD_OPTION", "the certificate and key do not work", hint, { cause });
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "the port is in use" : cause.message;
      const hint = "Choose another --host or --port.";
      reject(
        new PidexError("BAD_OPTION", `cannot listen on ${host} port ${port}: ${reason}`, hint, { cause }),
      );
    });
    server.listen(port, host, () => resolve());
  });
}
