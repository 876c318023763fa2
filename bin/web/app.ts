/** The web server: access control, the API, and the page. */
import { Hono } from "hono";
import type { Index, IndexQueries } from "../../library/index.ts";
import type { IndexLocation } from "../actions/index-location.ts";
import type { LinkSource } from "./api/answers.ts";
import type { Hosts } from "./hosts/hosts.ts";
import type { Asset } from "./server/assets.ts";
import type { ChangeFeed } from "./server/change-feed.ts";
import { toErrorResponse } from "./server/errors.ts";
import { type AuthTokens, createGuard, MCP_PATH } from "./server/guard.ts";
import { limitBody } from "./server/params.ts";
import { addActionRoutes } from "./server/routes/actions.ts";
import { addChangeRoutes } from "./server/routes/changes.ts";
import { addDownloadRoutes } from "./server/routes/download.ts";
import { addExportRoutes } from "./server/routes/export.ts";
import { addFindRoutes, addScanRoutes } from "./server/routes/find.ts";
import { addHealthRoutes } from "./server/routes/health.ts";
import { addSessionRoutes } from "./server/routes/session.ts";
import { addSignInRoutes } from "./server/routes/sign-in.ts";
import { addRefusedRoutes, addSourceRoutes } from "./server/routes/source.ts";
import { addUsageRoutes } from "./server/routes/usage.ts";

/** The sessions on this machine. */
export interface LocalSource {
  index: Index;
  changes: ChangeFeed;
  /** The configured database and roots, for the diagnosis. */
  location: IndexLocation;
}

/** Dependencies of the server. */
export interface AppOptions {
  index: IndexQueries;
  /** What needs session files: undefined if `index` is a hub. */
  local: LocalSource | undefined;
  /** The host of the hub. */
  hub: string | undefined;
  /** Run long requests. */
  hosts: Hosts;
  keys: AuthTokens;
  assets: ReadonlyMap<string, Asset>;
  /** The port it listens on. */
  port: () => number;
  /** The program that creates sign-in links. */
  linksFrom: LinkSource;
  /** Handles Model Context Protocol requests. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
}

/** Creates the app with all routes. */
export function createApp(options: AppOptions): Hono {
  const { index, local, hub, hosts, keys, assets, linksFrom, mcp } = options;
  const app = new Hono();
  app.use(createGuard(keys, options.port, linksFrom));
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
  const api = new Hono();
  api.post("*", limitBody);
  addSignInRoutes(api, keys, linksFrom);
  addDownloadRoutes(api, keys, (request) => app.fetch(request));
  addSourceRoutes(api, hub);
  addFindRoutes(api, index, local?.changes, hosts);
  addSessionRoutes(api, index, hosts);
  addUsageRoutes(api, index, hosts);
  addExportRoutes(api, index, hosts);
  if (local) addLocalRoutes(api, local, hosts);
  else addRefusedRoutes(api);
  app.route("/api", api);
  app.all("/api/*", (context) => context.json({ error: NO_SUCH_ENDPOINT }, 404));
  app.get("*", (context) => {
    const { path } = context.req;
    const view = assets.get(path) ? undefined : findView(context.req.url);
    // For a person, the page says that it has no such view, and leads on.
    const isForPerson = context.req.header("sec-fetch-mode") === "navigate";
    const asset =
      assets.get(path) ?? (view === "known" || (view && isForPerson) ? assets.get("/index.html") : undefined);
    if (!asset) return context.text("404: page not found.\n", 404);
    if (view === "unknown") context.status(404);
    context.header("Content-Type", asset.type);
    context.header("Cache-Control", asset.isHashed ? "public, max-age=31536000, immutable" : "no-cache");
    return context.body(asset.content);
  });
  app.onError((error, context) => toErrorResponse(context, error));
  return app;
}

function addLocalRoutes(api: Hono, { index, changes, location }: LocalSource, hosts: Hosts): void {
  addScanRoutes(api, hosts);
  addActionRoutes(api, index, changes, hosts);
  addChangeRoutes(api, changes);
  addHealthRoutes(api, index, location);
}

const NO_SUCH_ENDPOINT = {
  code: "NOT_FOUND",
  message: "no such API endpoint",
  hint: "See docs/web.md for the API.",
};

/** Whether the page has a view for a URL. Undefined if its path cannot be decoded: the page would fail, too. */
function findView(url: string): "known" | "unknown" | undefined {
  const { pathname } = new URL(url);
  if (decodePath(pathname) === undefined) return undefined;
  return /^\/(?:(?:session|usage|insights|health|trash)(?:\/[^/]*)?)?$/.test(pathname) ? "known" : "unknown";
}

function decodePath(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
