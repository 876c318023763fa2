/**
 * Who may ask: a browser that was handed the link's token, once, and has had a cookie since; and no page but our own. Any
 * program and any web page of this machine can reach a port on the loopback.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

/** A link's token, which opens the page once, and the key that a browser then has. */
export class Keys {
  /** What a browser has as a cookie; programs that are no browser send it themselves. */
  readonly key: string;
  readonly #tokens = new Set<string>();

  /** @param key of any length that nobody guesses; unless told, made anew */
  constructor(key: string = randomBytes(32).toString("base64url")) {
    this.key = key;
  }

  /** A token for another link. */
  newToken(): string {
    const token = randomBytes(32).toString("base64url");
    this.#tokens.add(token);
    return token;
  }

  /** Takes a token for the key, and the token is of no use any more. */
  redeem(token: string): string | undefined {
    const known = [...this.#tokens].find((one) => isSame(one, token));
    if (known === undefined) return undefined;
    this.#tokens.delete(known);
    return this.key;
  }

  isKey(key: string | undefined): boolean {
    return key !== undefined && isSame(key, this.key);
  }
}

/** Whether two texts are the same, without telling by the time it takes how much of them is. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/**
 * What the page may do: run and load what comes from here alone. Trusted types keep any text from becoming markup or script,
 * whatever the page's code does with it; their one policy makes the address of the highlighter's thread.
 */
const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types pidex",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONTENT_SECURITY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Refuses who may not ask, before anything is looked at. `port` is known once the server listens. */
export function guard(keys: Keys, port: () => number): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`];
    const host = context.req.header("host") ?? "";
    // Another name may be one that was made to point here.
    if (!hosts.includes(host)) return refuse(context, `this is not ${host}`);
    if (context.req.path === MCP) return fromProgram(context, keys) ?? next();
    const origin = context.req.header("origin");
    const isOurs = origin === `http://${host}`;
    const changes = !["GET", "HEAD"].includes(context.req.method);
    if (origin === undefined ? changes : !isOurs) return refuse(context, "another page may not ask");
    const site = context.req.header("sec-fetch-site");
    const isPage =
      context.req.header("sec-fetch-mode") === "navigate" && !changes && !isQuestion(context.req.path);
    // A link from elsewhere may open the page; nothing else from elsewhere may have anything: not even that something is
    // saved as a file or not, which who made the link could see.
    if (site !== undefined && !["same-origin", "none"].includes(site) && !isPage)
      return refuse(context, "another page may not ask");
    const cookie = `pidex-${port()}`; // cookies are for all ports of a host
    const token = context.req.query("token");
    if (token !== undefined) {
      // Programs that look at a link before somebody opens it ask for its head: it is still good afterwards.
      const key = context.req.method === "GET" ? keys.redeem(token) : undefined;
      if (key !== undefined) {
        setCookie(context, cookie, key, { httpOnly: true, sameSite: "Lax", path: "/" });
        return context.redirect(withoutToken(context.req.url), 303);
      }
      if (keys.isKey(getCookie(context, cookie))) return context.redirect(withoutToken(context.req.url), 303);
      return refuse(context, "this link was used already");
    }
    if (!keys.isKey(getCookie(context, cookie))) return refuse(context, "this browser was not let in");
    return next();
  };
}

/** Where programs ask that are no page: they have the key, and send it with each question. */
export const MCP = "/mcp";

/** Refuses pages, ours too, and who has no key. A page of elsewhere could not send one without leave. */
function fromProgram(context: Context, keys: Keys): Response | undefined {
  if (context.req.header("origin") !== undefined) return refuse(context, "a page may not ask here");
  const [, key] = /^Bearer +(\S+)$/i.exec(context.req.header("authorization") ?? "") ?? [];
  if (keys.isKey(key)) return undefined;
  context.header("WWW-Authenticate", "Bearer");
  return context.text("401: send the key that pidex mcp --http prints: Authorization: Bearer KEY\n", 401);
}

function isQuestion(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** Where the link leads, of the same page and below the root of it alone. */
function withoutToken(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete("token");
  const query = searchParams.size > 0 ? `?${searchParams}` : "";
  return `/${pathname.replace(/^\/+/, "")}${query}`;
}

function refuse(context: Context, why: string): Response {
  return context.text(
    `403: ${why}.\nOpen the link that pidex serve prints; Enter there prints a new one.\n`,
    403,
  );
}
