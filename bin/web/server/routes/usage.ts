/** Routes for usage and cost. */
import type { Hono } from "hono";
import { z } from "zod";
import type { Index, UsageOptions } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import { formatUsageCsv } from "../../../format/usage-csv.ts";
import { onGet } from "../json-routes.ts";
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

export function addUsageRoutes(api: Hono, index: Index): void {
  onGet(api, "usage", UsageQuery, async (options) => ({
    schema,
    usage: await index.usage(toUsage(options)),
  }));

  api.get("/usage.csv", async (context) => {
    const { running, ...options } = parseQuery(CsvQuery, context.req.url);
    const csv = formatUsageCsv(await index.usage(toUsage(options)), running);
    context.header("Content-Type", "text/csv; charset=utf-8");
    context.header("Content-Disposition", 'attachment; filename="pidex-usage.csv"');
    return context.body(csv);
  });

  onGet(api, "spend", SpendQuery, async ({ session }) => ({ schema, spend: await index.spend(session) }));
}
