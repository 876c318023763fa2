/** The web server: access control, the API, and the page. */
import { Hono } from "hono";
import type { Index } from "../../library/index.ts";
import type { LinkSource } from "./api/answers.ts";
import type { Hosts } from "./hosts/hosts.ts";
import type { Asset } from "./server/assets.ts";
import type { Changes } from "./server/changes.ts";
import { failed } from "./server/errors.ts";
import { guard, type Keys, MCP } from "./server/guard.ts";
import { actRoutes } from "./server/routes/acts.ts";
import { changeRoutes } from "./server/routes/changes.ts";
import { downloadRoutes } from "./server/routes/download.ts";
import { exportRoutes } from "./server/routes/export.ts";
import { findRoutes } from "./server/routes/find.ts";
import { healthRoutes, type Place } from "./server/routes/health.ts";
import { sessionRoutes } from "./server/routes/session.ts";
import { signInRoutes } from "./server/routes/sign-in.ts";
import { usageRoutes } from "./server/routes/usage.ts";

/** Dependencies of the server. */
export interface Parts {
  index: Index;
  /** Run long requests. */
  hosts: Hosts;
  keys: Keys;
  assets: ReadonlyMap<string, Asset>;
  changes: Changes;
  /** The configured database and roots, for the diagnosis. */
  place: Place;
  /** The port it listens on. */
  port: () => number;
  /** The program that creates sign-in links. */
  linksFrom: LinkSource;
  /** Handles Model Context Protocol requests. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
}

/** Creates the app with all routes. */
export function makeApp({ index, hosts, keys, assets, changes, place, port, linksFrom, mcp }: Parts): Hono {
  const app = new Hono();
  app.use(guard(keys, port, linksFrom));
  if (mcp) app.all(MCP, (context) => mcp(context.req.raw));
  app.use("/api/*", async (context, next) => {
    // HEAD would start responses that are never read, some of them endless.
    if (context.req.method === "HEAD")
      return context.json({ error: NO_SUCH_ENDPOINT }, 405, { Allow: "GET, POST" });
    const startTime = performance.now();
    await next();
    context.header("Cache-Control", "no-store");
    context.header("Server-Timing", `answer;dur=${(performance.now() - startTime).toFixed(1)}`);
    return undefined;
  });
  app.route("/api", signInRoutes(keys, linksFrom));
  app.route(
    "/api",
    downloadRoutes(keys, (request) => app.fetch(request)),
  );
  app.route("/api", findRoutes(index, changes, hosts));
  app.route("/api", sessionRoutes(index, hosts));
  app.route("/api", actRoutes(index, changes, hosts));
  app.route("/api", changeRoutes(changes));
  app.route("/api", usageRoutes(index));
  app.route("/api", healthRoutes(index, place));
  app.route("/api", exportRoutes(index, hosts));
  app.all("/api/*", (context) => context.json({ error: NO_SUCH_ENDPOINT }, 404));
  app.get("*", (context) => {
    const { path } = context.req;
    const asset = assets.get(path) ?? (isView(context.req.url) ? assets.get("/index.html") : undefined);
    if (!asset) return context.text("404: page not found.\n", 404);
    context.header("Content-Type", asset.type);
    context.header("Cache-Control", asset.isHashed ? "public, max-age=31536000, immutable" : "no-cache");
    return context.body(asset.content);
  });
  app.onError((error, context) => failed(context, error));
  return app;
}

const NO_SUCH_ENDPOINT = {
  code: "NOT_FOUND",
  message: "no such API endpoint",
  hint: "See docs/web.md for the API.",
};

/** Whether the page has a view for a URL, and its path decodes without errors. */
function isView(url: string): boolean {
  const { pathname } = new URL(url);
  return /^\/(?:(?:session|usage|health)(?:\/[^/]*)?)?$/.test(pathname) && decodePath(pathname) !== undefined;
}

function decodePath(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
