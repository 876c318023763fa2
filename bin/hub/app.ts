/** The HTTP server of a hub: access control and routes. */
import { Hono } from "hono";
import { PidexError } from "../../library/index.ts";
import { logAccess } from "./http/access-log.ts";
import { toErrorResponse } from "./http/errors.ts";
import { FailedSignIns } from "./http/failed-sign-ins.ts";
import { createGuard } from "./http/guard.ts";
import type { Hub, HubEnv } from "./http/hub.ts";
import { limitBody } from "./http/params.ts";
import { addFileRoutes } from "./routes/files.ts";
import { addOverviewRoutes } from "./routes/overview.ts";
import { addPeopleRoutes } from "./routes/people.ts";
import { addQueryRoutes } from "./routes/query.ts";

const MAX_BODY_BYTES = 1 << 20;
/** Routes with limits of their own. */
const LARGE = ["/v1/append", "/v1/files", "/v1/forget"];

/** Creates the app with all routes. */
export function createHubApp(hub: Hub): Hono<HubEnv> {
  const app = new Hono<HubEnv>();
  const failures = new FailedSignIns();
  app.use(logAccess(hub));
  app.use(createGuard(hub, failures));
  const limit = limitBody(MAX_BODY_BYTES);
  app.use((context, next) => (LARGE.includes(context.req.path) ? next() : limit(context, next)));
  addPeopleRoutes(app, hub, failures);
  addFileRoutes(app, hub);
  addOverviewRoutes(app, hub);
  addQueryRoutes(app, hub);
  app.notFound((context) =>
    toErrorResponse(
      context,
      hub,
      new PidexError("NOT_FOUND", "the hub has no such route", "Update pidex here or on the hub."),
    ),
  );
  app.onError((error, context) => toErrorResponse(context, hub, error));
  return app;
}
