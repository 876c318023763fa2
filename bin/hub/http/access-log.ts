import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Hub, HubEnv } from "./hub.ts";

/** Logs each request: time, method, pattern of the route, status, milliseconds, person, id. No paths, bodies or tokens. */
export function logAccess(hub: Hub): MiddlewareHandler<HubEnv> {
  return async (context, next) => {
    const id = randomUUID().slice(0, 8);
    context.set("requestId", id);
    const start = performance.now();
    await next();
    const route = matchedRoutes(context).findLast(({ path }) => !path.endsWith("*"))?.path ?? "-";
    const ms = (performance.now() - start).toFixed(1);
    const person = (context.get("caller") as HubEnv["Variables"]["caller"] | undefined)?.person.name ?? "-";
    const { method } = context.req;
    const words = [
      new Date().toISOString(),
      method,
      route,
      context.res.status,
      `${ms}ms`,
      JSON.stringify(person),
      id,
    ];
    hub.log(words.join(" "));
  };
}
