/**
 * Downloads that the browser saves itself, without the headers of the page: the page requests a ticket with its key, and opens a
 * URL with the ticket. A ticket is valid for one URL, once, and for a short time.
 */
import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import { z } from "zod";
import { PidexError } from "../../../../library/index.ts";
import { type AuthTokens, DOWNLOAD_PATH } from "../guard.ts";
import { onPost } from "../json-routes.ts";
import { TextParam } from "../params.ts";

/** Lifetime of a ticket; browsers follow the URL at once. */
const TICKET_LIFETIME_MS = 30_000;

const TicketBody = z.strictObject({
  address: TextParam.regex(/^\/api\/(export|usage\.csv)(\?|$)/, "must be /api/export or /api/usage.csv"),
});

/** `POST /api/ticket`, and `/api/download/TICKET/REST`, which `answer` handles as `/api/REST`. */
export function addDownloadRoutes(
  api: Hono,
  keys: AuthTokens,
  answer: (request: Request) => Response | Promise<Response>,
): void {
  const tickets = new Map<string, { address: string; expires: number }>();

  onPost(api, "ticket", TicketBody, ({ address }, context) => {
    const now = performance.now();
    for (const [ticket, { expires }] of tickets) if (expires < now) tickets.delete(ticket);
    const ticket = randomBytes(32).toString("base64url");
    const { pathname, search } = new URL(address, context.req.url); // normalized as in browsers
    tickets.set(ticket, { address: pathname + search, expires: now + TICKET_LIFETIME_MS });
    return { address: `${DOWNLOAD_PATH}${ticket}${address.slice("/api".length)}` };
  });

  api.get("/download/:ticket/*", (context) => {
    const { pathname, search, origin, host } = new URL(context.req.url);
    const ticket = context.req.param("ticket");
    const address = `/api/${pathname.split("/").slice(4).join("/")}${search}`;
    const known = tickets.get(ticket);
    tickets.delete(ticket);
    if (known?.address !== address || known.expires < performance.now()) {
      throw new PidexError(
        "NOT_FOUND",
        "this download link expired or was already used",
        "Start the download again.",
      );
    }
    const headers = { host, authorization: `Bearer ${keys.browserKey}` };
    return answer(new Request(origin + address, { headers, signal: context.req.raw.signal }));
  });
}
