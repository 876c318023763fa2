/** Routes for usage and cost. */
import type { Hono } from "hono";
import { z } from "zod";
import {
  type IndexQueries,
  readUserPrices,
  type SpendingOptions,
  type UsageOptions,
} from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import { InsightsOptions, UsageOptions as UsageOptionsSchema } from "../../../../library/schemas.ts";
import { countsEstimates, getBudgets } from "../../../actions/budgets.ts";
import { formatUsageCsv } from "../../../format/usage-csv.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { onGet } from "../json-routes.ts";
import { FlagParam, optionParams, parseQuery, TextParam } from "../params.ts";

const UsageQuery = z.strictObject(optionParams(UsageOptionsSchema.omit({ prices: true })));
const InsightsQuery = z.strictObject(optionParams(InsightsOptions));
const CsvQuery = UsageQuery.extend({ running: FlagParam.default(false) });
const BudgetsQuery = z.strictObject({ timeZone: TextParam.optional(), weekStart: TextParam.optional() });
const SpendQuery = z.strictObject({ session: TextParam });

export function addUsageRoutes(api: Hono, index: IndexQueries, { counting }: Pick<Hosts, "counting">): void {
  onGet(api, "usage", UsageQuery, async (options) => ({
    schema,
    usage: await index.usage(await withPrices(options)),
  }));

  api.get("/usage.csv", async (context) => {
    const { running, ...options } = parseQuery(CsvQuery, context.req.url);
    const csv = formatUsageCsv(await index.usage(await withPrices(options)), running);
    context.header("Content-Type", "text/csv; charset=utf-8");
    context.header("Content-Disposition", 'attachment; filename="pidex-usage.csv"');
    return context.body(csv);
  });

  onGet(api, "budgets", BudgetsQuery, async (calendar) => {
    const budgets = getBudgets().filter((text) => text !== process.env.PIDEX_BUDGET?.trim());
    if (budgets.length === 0) return { budgets: [] };
    const estimates = countsEstimates(undefined);
    const options = { ...calendar, budgets, estimates } as SpendingOptions; // the library validates the texts
    const prices = estimates ? await readUserPrices() : undefined;
    return { budgets: (await index.spending({ ...options, prices })).budgets };
  });

  // A report on a year reads for seconds: other requests don't wait for it.
  onGet(api, "insights", InsightsQuery, async (options, context) => {
    const { signal } = context.req.raw;
    return { schema, insights: await counting.call("insights", { ...options, signal }) };
  });

  onGet(api, "spend", SpendQuery, async ({ session }) => ({ schema, spend: await index.spend(session) }));
}

/** With the user's own prices, if anything is to be estimated. */
async function withPrices(options: Omit<UsageOptions, "prices">): Promise<UsageOptions> {
  return options.estimates ? { ...options, prices: await readUserPrices() } : options;
}
