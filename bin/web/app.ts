/** The server of the page: who may ask, what is asked of the index, and the page itself. */
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

/** What the server is made of. */
export interface Parts {
  index: Index;
  /** What takes long is asked there. */
  hosts: Hosts;
  keys: Keys;
  assets: ReadonlyMap<string, Asset>;
  changes: Changes;
  /** Where it was told that things are: doctor looks at the same. */
  place: Place;
  /** The port it listens on. */
  port: () => number;
  /** What gives out links that sign browsers in. */
  linksFrom: LinkSource;
  /** What answers programs that ask by the Model Context Protocol. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
}

/** All that can be asked of the server. */
export function makeApp({ index, hosts, keys, assets, changes, place, port, linksFrom, mcp }: Parts): Hono {
  const app = new Hono();
  app.use(guard(keys, port, linksFrom));
  if (mcp) app.all(MCP, (context) => mcp(context.req.raw));
  app.use("/api/*", async (context, next) => {
    // A head alone would be the beginning of an answer that nobody reads, some of which have no end.
    if (context.req.method === "HEAD")
      return context.json({ error: NO_SUCH_QUESTION }, 405, { Allow: "GET, POST" });
    const began = performance.now();
    await next();
    context.header("Cache-Control", "no-store");
    context.header("Server-Timing", `answer;dur=${(performance.now() - began).toFixed(1)}`);
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
  app.all("/api/*", (context) => context.json({ error: NO_SUCH_QUESTION }, 404));
  app.get("*", (context) => {
    const { path } = context.req;
    const asset = assets.get(path) ?? (isView(context.req.url) ? assets.get("/index.html") : undefined);
    if (!asset) return context.text("404: there is nothing here.\n", 404);
    context.header("Content-Type", asset.type);
    context.header("Cache-Control", asset.isHashed ? "public, max-age=31536000, immutable" : "no-cache");
    return context.body(asset.content);
  });
  app.onError((error, context) => failed(context, error));
  return app;
}

const NO_SUCH_QUESTION = {
  code: "NOT_FOUND",
  message: "nobody answers this",
  hint: "See docs/web.md for what can be asked.",
};

/** Whether the page itself knows what to show at an address, and can read it: no sign of per cent is there but of a letter. */
function isView(url: string): boolean {
  const { pathname } = new URL(url);
  return /^\/(?:(?:session|usage|health)(?:\/[^/]*)?)?$/.test(pathname) && decoded(pathname) !== undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
