/** Who may send requests to a hub. */
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { PROTOCOL_VERSION } from "../../../library/hub/protocol.ts";
import { Authenticator } from "../../../library/hub/server/identity.ts";
import { PidexError } from "../../../library/index.ts";
import { toErrorResponse } from "./errors.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import type { Hub, HubEnv } from "./hub.ts";

const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "pidex-protocol": String(PROTOCOL_VERSION),
};

/** The only request without a token. */
const JOIN_PATH = "/v1/join";

/** Refuses requests of another protocol and without a valid token, before any other handler. */
export function createGuard(hub: Hub, failures: FailedSignIns): MiddlewareHandler<HubEnv> {
  const authenticator = new Authenticator(hub.pool);
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    if (hub.isTls) context.header("Strict-Transport-Security", "max-age=31536000");
    const protocol = context.req.header("pidex-protocol");
    if (protocol !== String(PROTOCOL_VERSION)) return toErrorResponse(context, hub, otherProtocol(protocol));
    const address = getAddress(context);
    if (context.req.path === JOIN_PATH) return checkLimit(context, hub, failures, address) ?? next();
    const token = /^Bearer +(\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1] ?? "";
    if (!authenticator.isRemembered(token)) {
      const refused = checkLimit(context, hub, failures, address);
      if (refused) return refused;
    }
    const caller = await authenticator.find(token);
    if (caller) {
      context.set("caller", caller);
      await next();
      // Responses that a route creates itself, such as streams, lack them.
      for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
      return;
    }
    failures.add(address);
    context.header("WWW-Authenticate", "Bearer");
    const hint = "Ask an owner of the hub for an invitation, and run pidex hub join URL INVITATION.";
    const error = new PidexError("NOT_SIGNED_IN", "the hub does not accept this machine's token", hint);
    return toErrorResponse(context, hub, error);
  };
}

function otherProtocol(protocol: string | undefined): PidexError {
  const message =
    protocol === undefined
      ? "this is a hub of pidex, which answers only to pidex"
      : `this hub speaks protocol ${PROTOCOL_VERSION}, not ${protocol}`;
  return new PidexError("UPGRADED", message, "Update pidex here or on the hub.");
}

/** The response to an address with too many failed sign-ins. */
function checkLimit(
  context: Context<HubEnv>,
  hub: Hub,
  failures: FailedSignIns,
  address: string,
): Response | undefined {
  const seconds = failures.secondsToWait(address);
  if (seconds === 0) return undefined;
  context.header("Retry-After", String(seconds));
  const hint = `Wait ${seconds} seconds.`;
  const error = new PidexError("NOT_SIGNED_IN", "too many failed sign-ins from this address", hint);
  return toErrorResponse(context, hub, error, 429);
}

/** The address that a request comes from. */
export function getAddress(context: Context<HubEnv>): string {
  return getConnInfo(context).remote.address ?? "";
}
