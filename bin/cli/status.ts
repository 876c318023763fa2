import { readUserPrices } from "../../library/index.ts";
import { countsEstimates, getBudgets } from "../actions/budgets.ts";
import { formatStatus, parseStatusFormat } from "../format/status-line.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { withIndex } from "./run.ts";

/**
 * `pidex status`: prints a line for status bars. Starts as fast as `list`, because they run it every few seconds: it imports nothing that
 * `list` doesn't need, but for the sums (docs/decisions/0016-start-up.md).
 */
export async function run(io: Io, _: string[], flags: Flags<"status">): Promise<void> {
  const { session } = flags;
  const format = parseStatusFormat(flags.format ?? process.env.PIDEX_STATUS_FORMAT, getBudgets().length > 0);
  const estimates = countsEstimates(flags.estimates);
  const prices = estimates ? await readUserPrices() : undefined;
  await withIndex(io, { ...flags, sync: flags.sync === true }, async (index) => {
    const isUpToDate = flags.sync === true || (await index.isUpToDate());
    const spending = await index.spending({
      ...{ budgets: getBudgets(), session },
      ...(session === undefined &&
        (flags.json || format.some(({ name }) => name === "session")) && { cwd: "." }),
      ...(process.env.PIDEX_WEEK_START && { weekStart: process.env.PIDEX_WEEK_START as "monday" }),
      ...(estimates && { estimates, prices }),
    });
    if (flags.json) await (await import("./json.ts")).writeJson(io, { isUpToDate, spending });
    else await io.out(`${formatStatus(format, spending, isUpToDate && spending.unreadFiles === 0)}\n`);
  });
}
