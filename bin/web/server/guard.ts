/**
 * Access control: requests need the key of this server and must come from its own page. A browser exchanges a one-time token for
 * the key and sends it as a header. Cookies are not used, because browsers send them to every port of a host, and any local
 * program can listen on another port.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import type { ErrorAnswer, LinkSource } from "../api/answers.ts";

const createKey = () => randomBytes(32).toString("base64url");

/** One-time tokens that sign browsers in, and two keys valid until the server ends: for browsers and for programs. */
export class AuthTokens {
  /** Names this run of the server: with the secret, it gives the key. */
  readonly run = createKey();
  /** Key of signed-in browsers, for all requests of the page. */
  readonly browserKey: string;
  /** Key of other programs, valid only for `/mcp`. */
  readonly programKey: string;
  /** With it, a browser that signed in once gets the keys of later runs; undefined if browsers sign in once per run. */
  readonly secret: string | undefined;
  readonly #tokens = new Map<string, () => void>();

  /**
   * @param options.key of programs. Default: a new random key
   * @param options.secret of browsers that stay signed in
   */
  constructor({ key, secret }: { key?: string | undefined; secret?: string | undefined } = {}) {
    this.programKey = key ?? createKey();
    this.secret = secret;
    this.browserKey = deriveKey(secret ?? createKey(), this.run);
  }

  /** A token that signs one browser in. `ended` resolves when it is used or revoked. */
  createToken() {
    const text = randomBytes(32).toString("base64url");
    const ended = new Promise<void>((resolve) => this.#tokens.set(text, resolve));
    return { text, ended, revoke: () => this.#end(text) };
  }

  /** Exchanges a token for the browser key, and ends the token. */
  redeem(token: string): string | undefined {
    const known = [...this.#tokens.keys()].find((candidate) => isSame(candidate, token));
    if (known === undefined) return undefined;
    this.#end(known);
    return this.browserKey;
  }

  /** Revokes all unused tokens. */
  close(): void {
    for (const token of this.#tokens.keys()) this.#end(token);
  }

  #end(token: string): void {
    this.#tokens.get(token)?.();
    this.#tokens.delete(token);
  }
}

/**
 * The key of browsers in a run. The secret itself is sent once, at sign-in: another program that listens on the port later, to which an
 * open tab sends its requests, learns nothing that is valid elsewhere.
 */
function deriveKey(secret: string, run: string): string {
  return createHmac("sha256", secret).update(run).digest("base64url");
}

/** Compares two texts in constant time. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/**
 * The page may run and load only what comes from this server. Trusted types keep text from becoming markup or script, whatever
 * the code of the page does with it; the single policy creates the URL of the highlighter's worker.
 */
const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:", // images in sessions, which the page fetches with its key
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

/** Exchanges a token for the key. */
const SIGN_IN_PATH = "/api/sign-in";
/** Downloads, with a ticket in the path instead of the key. */
export const DOWNLOAD_PATH = "/api/download/";

/** Rejects unauthorized requests before any other handler. `port` is known once the server listens. */
export function createGuard(
  keys: AuthTokens,
  port: () => number,
  linksFrom: LinkSource = "serve",
): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { path, method } = context.req;
    const isWrite = !["GET", "HEAD"].includes(method);
    const isPage = context.req.header("sec-fetch-mode") === "navigate" && !isWrite && !isApiPath(path);
    const ownHost = `127.0.0.1:${port()}`;
    const host = context.req.header("host") ?? "";
    // Browsers resolve localhost to ::1 first, where another program may listen on this port. It would be the same origin and
    // share the storage of the page. So localhost only redirects to the address the server listens on.
    if (host === `localhost:${port()}` && isPage && path !== MCP_PATH) {
      const { pathname, search } = new URL(context.req.url);
      return context.redirect(`http://${ownHost}${pathname}${search}`, 307); // 307 keeps the fragment
    }
    // Any other name may be DNS rebinding.
    if (host !== ownHost) return refuse(context, `this server is ${ownHost}, not ${host}`);
    if (path === MCP_PATH) return rejectMcp(context, keys) ?? next();
    const origin = context.req.header("origin");
    const isOurs = origin === `http://${host}`;
    const site = context.req.header("sec-fetch-site");
    if (origin !== undefined && !isOurs) return refuse(context, "requests from other pages are not allowed");
    // Browsers send Origin with every POST, so a request without it comes from a program. It may sign in with a token.
    const isProgramSigningIn = path === SIGN_IN_PATH && site === undefined;
    if (origin === undefined && isWrite && !isProgramSigningIn)
      return refuse(context, `${method} requests need the header Origin: http://${host}`);
    // A link on another site may open the page, and nothing else: whether a link starts a download would already reveal
    // something to its author.
    if (site !== undefined && !["same-origin", "none"].includes(site) && !isPage)
      return refuse(context, "requests from other pages are not allowed");
    // The files of the page contain no private data and need no key. So a bookmarked URL can show that the browser
    // isn't signed in.
    if (!isApiPath(path) || path === SIGN_IN_PATH || path.startsWith(DOWNLOAD_PATH)) return next();
    if (isSame(getBearer(context), keys.browserKey)) return next();
    context.header("WWW-Authenticate", "Bearer");
    const message = "This browser isn't signed in.";
    const error = { code: "NOT_SIGNED_IN", message, hint: NEW_LINK_HINTS[linksFrom] };
    return context.json<ErrorAnswer>({ error }, 401);
  };
}

/** How to get a new link. */
export const NEW_LINK_HINTS: Readonly<Record<LinkSource, string>> = {
  serve: "Open a new link from the terminal: press Enter where pidex serve runs.",
  picker: "Open the page again from the picker, with the key that opened it (Ctrl+O).",
};

/** The MCP endpoint, for programs other than the page. They send the program key with every request. */
export const MCP_PATH = "/mcp";

/** Rejects all pages and requests without the key. A page of another origin could not send one without a CORS preflight. */
function rejectMcp(context: Context, keys: AuthTokens): Response | undefined {
  if (context.req.header("origin") !== undefined)
    return refuse(context, "requests from pages are not allowed here");
  if (isSame(getBearer(context), keys.programKey)) return undefined;
  context.header("WWW-Authenticate", "Bearer");
  return context.text("401: send the token that pidex mcp --http prints: Authorization: Bearer TOKEN\n", 401);
}

/** The key that a request sends; "" without one. */
function getBearer(context: Context): string {
  return /^Bearer +(\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1] ?? "";
}

function isApiPath(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

function refuse(context: Context, reason: string): Response {
  return context.text(
    `403: ${reason}.\nOpen the link that pidex serve prints; press Enter there for a new one.\n`,
    403,
  );
}
