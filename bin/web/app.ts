/** The web server: access control, the API, and the page. */
import { Hono } from "hono";
import type { Index } from "../../library/index.ts";
import type { LinkSource } from "./api/answers.ts";
import type { Hosts } from "./hosts/hosts.ts";
import type { Asset } from "./server/assets.ts";
import type { ChangeFeed } from "./server/change-feed.ts";
import { toErrorResponse } from "./server/errors.ts";
import { type AuthTokens, createGuard, MCP_PATH } from "./server/guard.ts";
import { createActionRoutes } from "./server/routes/actions.ts";
import { createChangeRoutes } from "./server/routes/changes.ts";
import { createDownloadRoutes } from "./server/routes/download.ts";
import { createExportRoutes } from "./server/routes/export.ts";
import { createFindRoutes } from "./server/routes/find.ts";
import { type ConfiguredPaths, createHealthRoutes } from "./server/routes/health.ts";
import { createSessionRoutes } from "./server/routes/session.ts";
import { createSignInRoutes } from "./server/routes/sign-in.ts";
import { createUsageRoutes } from "./server/routes/usage.ts";

/** Dependencies of the server. */
export interface AppOptions {
  index: Index;
  /** Run long requests. */
  hosts: Hosts;
  keys: AuthTokens;
  assets: ReadonlyMap<string, Asset>;
  changes: ChangeFeed;
  /** The configured database and roots, for the diagnosis. */
  configuration: ConfiguredPaths;
  /** The port it listens on. */
  port: () => number;
  /** The program that creates sign-in links. */
  linksFrom: LinkSource;
  /** Handles Model Context Protocol requests. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
}

/** Creates the app with all routes. */
export function createApp({
  index,
  hosts,
  keys,
  assets,
  changes,
  configuration,
  port,
  linksFrom,
  mcp,
}: AppOptions): Hono {
  const app = new Hono();
  app.use(createGuard(keys, port, linksFrom));
  if (mcp) app.all(MCP_PATH, (context) => mcp(context.req.raw));
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
  app.route("/api", createSignInRoutes(keys, linksFrom));
  app.route(
    "/api",
    createDownloadRoutes(keys, (request) => app.fetch(request)),
  );
  app.route("/api", createFindRoutes(index, changes, hosts));
  app.route("/api", createSessionRoutes(index, hosts));
  app.route("/api", createActionRoutes(index, changes, hosts));
  app.route("/api", createChangeRoutes(changes));
  app.route("/api", createUsageRoutes(index));
  app.route("/api", createHealthRoutes(index, configuration));
  app.route("/api", createExportRoutes(index, hosts));
  app.all("/api/*", (context) => context.json({ error: NO_SUCH_ENDPOINT }, 404));
  app.get("*", (context) => {
    const { path } = context.req;
    const asset = assets.get(path) ?? (isView(context.req.url) ? assets.get("/index.html") : undefined);
    if (!asset) return context.text("404: page not found.\n", 404);
    context.header("Content-Type", asset.type);
    context.header("Cache-Control", asset.isHashed ? "public, max-age=31536000, immutable" : "no-cache");
    return context.body(asset.content);
  });
  app.onError((error, context) => toErrorResponse(context, error));
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
