import { type IndexQueries, PidexError, readUserPrices, type Spending } from "../../library/index.ts";
import { countsEstimates, getBudgets } from "../actions/budgets.ts";
import { formatStatus, parseStatusFormat } from "../format/status-line.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { StatusAnswer } from "./answers.ts";
import type { Params, StatusParams } from "./params.ts";

/** The line of `pidex status`, for pi's footer. None unless the setting `pi_status` is on. */
export async function getStatus(
  { session }: Params<typeof StatusParams>,
  { index }: RequestContext,
): Promise<Answer<StatusAnswer>> {
  if (process.env.PIDEX_PI_STATUS !== "1") return { text: "", data: {} };
  const format = parseStatusFormat(process.env.PIDEX_STATUS_FORMAT, getBudgets().length > 0);
  const spending = await readSpending(index, session);
  const line = formatStatus(format, spending, spending.unreadFiles === 0);
  return { text: line, data: { line } };
}

async function readSpending(index: IndexQueries, session: string | undefined): Promise<Spending> {
  const estimates = countsEstimates(undefined);
  const prices = estimates ? await readUserPrices() : undefined;
  const weekStart = process.env.PIDEX_WEEK_START as "monday" | undefined;
  const options = {
    budgets: getBudgets(),
    ...(weekStart && { weekStart }),
    ...(estimates && { estimates, prices }),
  };
  try {
    return await index.spending({ ...options, session });
  } catch (error) {
    // pi writes a session after the first response, or not at all.
    if (session === undefined || !(error instanceof PidexError) || error.code !== "NOT_FOUND") throw error;
    return index.spending(options);
  }
}
