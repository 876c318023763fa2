/** What was used and what it cost. */
import { Hono } from "hono";
import { z } from "zod";
import type { Index, UsageOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { usageCsv } from "../../../format/usage-csv.ts";
import { AskedFlag, AskedNumber, AskedText, asked, optionalTexts } from "../asked.ts";

const Each = z.union([AskedText.transform((one) => [one]), z.array(AskedText)]);

/** The options of the library, as an address has them: `by` may stand there twice. */
const narrowed = {
  by: Each.optional(),
  limit: AskedNumber.optional(),
  ...optionalTexts("cwd", "project", "session", "model", "provider", "kind", "agent", "tool", "branch"),
  ...optionalTexts("subagents", "since", "until", "timeZone", "weekStart", "budget", "now"),
};
const Used = z.strictObject(narrowed);
const UsedAsCsv = z.strictObject({ ...narrowed, running: AskedFlag.default(false) });
const Spent = z.strictObject({ session: AskedText });

// The library checks the values: what it takes is told in one place.
const toUsage = (options: object): UsageOptions => options as UsageOptions;

export function usageRoutes(index: Index): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/usage", async (context) => {
    const usage = await index.usage(toUsage(asked(Used, context.req.url)));
    return context.json({ schema, usage });
  });

  routes.get("/usage.csv", async (context) => {
    const { running, ...options } = asked(UsedAsCsv, context.req.url);
    const csv = usageCsv(await index.usage(toUsage(options)), running);
    context.header("Content-Type", "text/csv; charset=utf-8");
    context.header("Content-Disposition", 'attachment; filename="pidex-usage.csv"');
    return context.body(csv);
  });

  routes.get("/spend", async (context) => {
    const { session } = asked(Spent, context.req.url);
    return context.json({ schema, spend: await index.spend(session) });
  });

  return routes;
}
