/** Routes for usage and cost. */
import { Hono } from "hono";
import { z } from "zod";
import type { Index, UsageOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { formatUsageCsv } from "../../../format/usage-csv.ts";
import type { Reply } from "../../api/answers.ts";
import { FlagParam, NumberParam, optionalTexts, parseQuery, TextParam } from "../params.ts";

const TextList = z.union([TextParam.transform((text) => [text]), z.array(TextParam)]);

/** Usage options in query strings; `by` may be repeated. */
const usageOptions = {
  by: TextList.optional(),
  limit: NumberParam.optional(),
  ...optionalTexts("cwd", "project", "session", "model", "provider", "kind", "agent", "tool", "branch"),
  ...optionalTexts("subagents", "since", "until", "timeZone", "weekStart", "budget", "now"),
};
const UsageQuery = z.strictObject(usageOptions);
const CsvQuery = z.strictObject({ ...usageOptions, running: FlagParam.default(false) });
const SpendQuery = z.strictObject({ session: TextParam });

// The library validates the values.
const toUsage = (options: object): UsageOptions => options as UsageOptions;

export function createUsageRoutes(index: Index): Hono {
  const routes = new Hono();
  const schema = JSON_SCHEMA_VERSION;

  routes.get("/usage", async (context) => {
    const usage = await index.usage(toUsage(parseQuery(UsageQuery, context.req.url)));
    return context.json<Reply<"usage">>({ schema, usage });
  });

  routes.get("/usage.csv", async (context) => {
    const { running, ...options } = parseQuery(CsvQuery, context.req.url);
    const csv = formatUsageCsv(await index.usage(toUsage(options)), running);
    context.header("Content-Type", "text/csv; charset=utf-8");
    context.header("Content-Disposition", 'attachment; filename="pidex-usage.csv"');
    return context.body(csv);
  });

  routes.get("/spend", async (context) => {
    const { session } = parseQuery(SpendQuery, context.req.url);
    return context.json<Reply<"spend">>({ schema, spend: await index.spend(session) });
  });

  return routes;
}
