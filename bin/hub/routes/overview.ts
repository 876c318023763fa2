import type { Hono } from "hono";
import { z } from "zod";
import { retentionRequest } from "../../../library/hub/protocol.ts";
import { changeRetention, getAudit, getRetention, getStatus } from "../../../library/hub/server/overview.ts";
import { digestOwnFiles } from "../../../library/hub/server/own-files.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { Hub, HubEnv } from "../http/hub.ts";
import { readBody, readQuery } from "../http/params.ts";

const MAX_AUDIT_ROWS = 10_000;

const time = z.coerce.number().pipe(z.int()).optional();
const auditQuery = z.strictObject({
  since: time,
  until: time,
  limit: z.coerce.number().pipe(z.int().positive().max(MAX_AUDIT_ROWS)).default(100),
});

/** Routes of the hub as a whole, and of the caller's files as a whole. */
export function addOverviewRoutes(app: Hono<HubEnv>, hub: Hub): void {
  const { pool, database } = hub;

  app.get("/v1/status", async (context) =>
    context.json({ version: packageJson.version, database, ...(await getStatus(pool)) }),
  );

  app.get("/v1/own-digest", async (context) =>
    context.json({ digest: await digestOwnFiles(pool, context.get("caller")) }),
  );

  app.get("/v1/audit", async (context) =>
    context.json({ rows: await getAudit(pool, context.get("caller"), readQuery(context, auditQuery)) }),
  );

  app.get("/v1/retention", async (context) =>
    context.json({ retention: await getRetention(pool, context.get("caller")) }),
  );

  app.put("/v1/retention", async (context) => {
    await changeRetention(pool, context.get("caller"), await readBody(context, retentionRequest));
    hub.wakeMaintenance();
    return context.json({});
  });
}
