/**
 * Who may ask: whoever has the key of this run, and no page but our own. A browser gets the key for a token, once, and sends it
 * as a header: cookies go to every port of a host, and any program of this machine can listen on another one.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import type { Failure, LinkSource } from "../api/answers.ts";

/** A token that signs one browser in. */
export interface Token {
  readonly text: string;
  /** Resolved when the token no longer signs anyone in: it was used, or revoked. */
  readonly ended: Promise<void>;
  revoke(): void;
}

/** The tokens that sign browsers in, once each, and the keys: a browser's, until the server ends, and that of programs. */
export class Keys {
  /** What a browser has, for all that the page does. */
  readonly browserKey = randomBytes(32).toString("base64url");
  /** What programs have that are no browser: it opens `/mcp` alone. */
  readonly key: string;
  readonly #tokens = new Map<string, () => void>();

  /** @param key that of programs, of any length that nobody guesses; unless told, made anew */
  constructor(key: string = randomBytes(32).toString("base64url")) {
    this.key = key;
  }

  newToken(): Token {
    const text = randomBytes(32).toString("base64url");
    const ended = new Promise<void>((resolve) => this.#tokens.set(text, resolve));
    return { text, ended, revoke: () => this.#end(text) };
  }

  /** Takes a token for a browser's key, and the token is of no use any more. */
  redeem(token: string): string | undefined {
    const known = [...this.#tokens.keys()].find((one) => isSame(one, token));
    if (known === undefined) return undefined;
    this.#end(known);
    return this.browserKey;
  }

  isBrowserKey(key: string | undefined): boolean {
    return key !== undefined && isSame(key, this.browserKey);
  }

  isProgramKey(key: string | undefined): boolean {
    return key !== undefined && isSame(key, this.key);
  }

  /** Revokes every token that was not used. */
  close(): void {
    for (const token of this.#tokens.keys()) this.#end(token);
  }

  #end(token: string): void {
    this.#tokens.get(token)?.();
    this.#tokens.delete(token);
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
  "img-src 'self' blob:", // pictures of sessions, which the page fetches with its key
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

/** Where a browser takes a token for the key. */
export const SIGN_IN = "/api/sign-in";
/** Where a browser saves files from, with a ticket in the address instead of the key. */
export const DOWNLOAD = "/api/download/";

/** Refuses who may not ask, before anything is looked at. `port` is known once the server listens. */
export function guard(keys: Keys, port: () => number, linksFrom: LinkSource = "serve"): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { path, method } = context.req;
    const changes = !["GET", "HEAD"].includes(method);
    const isPage = context.req.header("sec-fetch-mode") === "navigate" && !changes && !isQuestion(path);
    const ownHost = `127.0.0.1:${port()}`;
    const host = context.req.header("host") ?? "";
    // Browsers look for localhost at ::1 first, where another program may listen on this port: both would be one origin, and
    // share what the page keeps. So nothing is served under that name, and a browser is sent to the address we listen on.
    if (host === `localhost:${port()}` && isPage && path !== MCP) {
      const { pathname, search } = new URL(context.req.url);
      return context.redirect(`http://${ownHost}${pathname}${search}`, 307); // keeps what stands after "#"
    }
    // Another name may be one that was made to point here.
    if (host !== ownHost) return refuse(context, `this is not ${host}, but ${ownHost}`);
    if (path === MCP) return fromProgram(context, keys) ?? next();
    const origin = context.req.header("origin");
    const isOurs = origin === `http://${host}`;
    const site = context.req.header("sec-fetch-site");
    if (origin !== undefined && !isOurs) return refuse(context, "another page may not ask");
    // Browsers send Origin with every POST, so a request without it is a program's. It may sign in, which takes a token.
    const isProgramSigningIn = path === SIGN_IN && site === undefined;
    if (origin === undefined && changes && !isProgramSigningIn)
      return refuse(context, `${method} requests must name the page; add the header Origin: http://${host}`);
    // A link from elsewhere may open the page; nothing else from elsewhere may have anything: not even that something is
    // saved as a file or not, which who made the link could see.
    if (site !== undefined && !["same-origin", "none"].includes(site) && !isPage)
      return refuse(context, "another page may not ask");
    // The page's own files are the same for everyone. They hold nothing of this machine, and need no key: a kept address
    // can say by itself that its browser isn't signed in.
    if (!isQuestion(path) || path === SIGN_IN || path.startsWith(DOWNLOAD)) return next();
    if (keys.isBrowserKey(bearerOf(context))) return next();
    context.header("WWW-Authenticate", "Bearer");
    return context.json<Failure>({ error: notSignedIn(linksFrom) }, 401);
  };
}

/** How to get a new link. */
export const NEW_LINK: Readonly<Record<LinkSource, string>> = {
  serve: "Open a new link from the terminal: press Enter where pidex serve runs.",
  picker: "Open the page again from the picker, with the key that opened it (Ctrl+O).",
};

function notSignedIn(linksFrom: LinkSource): Failure["error"] {
  return { code: "NOT_SIGNED_IN", message: "This browser isn't signed in.", hint: NEW_LINK[linksFrom] };
}

/** Where programs ask that are no page: they have the key, and send it with each question. */
export const MCP = "/mcp";

/** Refuses pages, ours too, and who has no key. A page of elsewhere could not send one without leave. */
function fromProgram(context: Context, keys: Keys): Response | undefined {
  if (context.req.header("origin") !== undefined) return refuse(context, "a page may not ask here");
  if (keys.isProgramKey(bearerOf(context))) return undefined;
  context.header("WWW-Authenticate", "Bearer");
  return context.text("401: send the key that pidex mcp --http prints: Authorization: Bearer KEY\n", 401);
}

function bearerOf(context: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
}

function isQuestion(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

function refuse(context: Context, why: string): Response {
  return context.text(
    `403: ${why}.\nOpen the link that pidex serve prints; Enter there prints a new one.\n`,
    403,
  );
}
