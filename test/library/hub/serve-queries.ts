import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { Pool } from "pg";
import { createQueryRoutes, type QueryRoutesOptions } from "../../../bin/hub/routes/query.ts";
import { toSentError } from "../../../library/host/messages.ts";
import type { Reader } from "../../../library/hub/server/reader.ts";
import { PidexError } from "../../../library/index.ts";

/** Serves only the queries of a hub, to readers by token. */
export async function serveQueries(
  pool: Pool,
  readers: Readonly<Record<string, Reader>>,
  options: Partial<QueryRoutesOptions> = {},
): Promise<{ url: string } & AsyncDisposable> {
  const app = new Hono();
  app.onError((error, context) => context.json({ error: toSentError(error) }, 400));
  app.route(
    "/",
    createQueryRoutes({
      pool,
      async getReader(context) {
        const reader = readers[context.req.header("authorization")?.replace("Bearer ", "") ?? ""];
        if (!reader) throw new PidexError("NOT_SIGNED_IN", "unknown token", "Sign in.");
        return reader;
      },
      ...options,
    }),
  );
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
