/**
 * What the browser itself saves as a file, for which it sends no header of the page's: the page asks for a ticket with its key, and the
 * address that the browser is sent to holds that. A ticket is good for one address, once, and shortly.
 */
import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { PidexError } from "../../../../library/index.ts";
import type { TicketAnswer } from "../../api/answers.ts";
import { AskedText, shortBody, wanted } from "../asked.ts";
import { DOWNLOAD, type Keys } from "../guard.ts";

/** A browser goes where it is sent at once. */
const TICKET_MS = 30_000;

const Wanted = z.strictObject({
  address: AskedText.regex(/^\/api\/(export|usage\.csv)(\?|$)/, "must be /api/export or /api/usage.csv"),
});

/** `POST /api/ticket`, and `/api/download/TICKET/` with what follows `/api/`, which `answer` answers. */
export function downloadRoutes(keys: Keys, answer: (request: Request) => Response | Promise<Response>): Hono {
  const tickets = new Map<string, { address: string; until: number }>();
  const routes = new Hono();

  routes.post("/ticket", shortBody, async (context) => {
    const { address } = await wanted(Wanted, context);
    const now = performance.now();
    for (const [ticket, { until }] of tickets) if (until < now) tickets.delete(ticket);
    const ticket = randomBytes(32).toString("base64url");
    const { pathname, search } = new URL(address, context.req.url); // as a browser will write it
    tickets.set(ticket, { address: pathname + search, until: now + TICKET_MS });
    return context.json<TicketAnswer>({ address: `${DOWNLOAD}${ticket}${address.slice("/api".length)}` });
  });

  routes.get("/download/:ticket/*", (context) => {
    const { pathname, search, origin, host } = new URL(context.req.url);
    const ticket = context.req.param("ticket");
    const address = `/api/${pathname.split("/").slice(4).join("/")}${search}`;
    const known = tickets.get(ticket);
    tickets.delete(ticket);
    if (known?.address !== address || known.until < performance.now()) {
      throw new PidexError(
        "NOT_FOUND",
        "this download link expired or was already used",
        "Click Export again.",
      );
    }
    const headers = { host, authorization: `Bearer ${keys.browserKey}` };
    return answer(new Request(origin + address, { headers, signal: context.req.raw.signal }));
  });

  return routes;
}
