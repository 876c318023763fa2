/** Routes for usage and cost. */
import { Hono } from "hono";
import { z } from "zod";
import type { Index, UsageOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { usageCsv } from "../../../format/usage-csv.ts";
import { AskedFlag, AskedNumber, AskedText, asked, optionalTexts } from "../asked.ts";

const TextList = z.union([AskedText.transform((text) => [text]), z.array(AskedText)]);

/** Usage options in query strings; `by` may be repeated. */
const usageOptions = {
  by: TextList.optional(),
  limit: AskedNumber.optional(),
  ...optionalTexts("cwd", "project", "session", "model", "provider", "kind", "agent", "tool", "branch"),
  ...optionalTexts("subagents", "since", "until", "timeZone", "weekStart", "budget", "now"),
};
const UsageQuery = z.strictObject(usageOptions);
const CsvQuery = z.strictObject({ ...usageOptions, running: AskedFlag.default(false) });
const SpendQuery = z.strictObject({ session: AskedText });

// The library validates the values.
const toUsage = (options: object): UsageOptions => options as UsageOptions;

export function usageRoutes(index: Index): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/usage", async (context) => {
    const usage = await index.usage(toUsage(asked(UsageQuery, context.req.url)));
    return context.json({ schema, usage });
  });

  routes.get("/usage.csv", async (context) => {
    const { running, ...options } = asked(CsvQuery, context.req.url);
    const csv = usageCsv(await index.usage(toUsage(options)), running);
    context.header("Content-Type", "text/csv; charset=utf-8");
    context.header("Content-Disposition", 'attachment; filename="pidex-usage.csv"');
    return context.body(csv);
  });

  routes.get("/spend", async (context) => {
    const { session } = asked(SpendQuery, context.req.url);
    return context.json({ schema, spend: await index.spend(session) });
  });

  return routes;
}
