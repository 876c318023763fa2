/** `/spend`: cost of this session, its project and this month. */
import { PidexError } from "../../library/index.ts";
import type { UsageAnswer } from "../agents/answers.ts";
import type { RequestInput } from "../agents/requests.ts";
import { formatDollars, formatShortNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { formatDate } from "../format/times.ts";
import { type Command, type RequestFunction, showResult } from "./commands.ts";
import { getCurrentSession } from "./pi-types.ts";

export const spend: Command = {
  name: "spend",
  description: "Show the cost of this session, this project and this month",
  async run(_args, { pi, ctx, ask }) {
    const { path } = getCurrentSession(ctx);
    const [session, project, month] = await Promise.all([
      path === undefined ? undefined : usageOfSession(ask, path),
      usage(ask, { cwd: ctx.cwd }),
      usage(ask, { since: `${formatDate(new Date()).slice(0, 8)}01` }),
    ]);
    const lines = [
      `This session: ${session ? formatFigures(session.total) : "not indexed yet"}`,
      `This project: ${formatFigures(project.total)} (${toOneLine(ctx.cwd)})`,
      `This month:   ${formatFigures(month.total)} (all projects)`,
      ...(month.remark === undefined ? [] : [month.remark]),
    ];
    showResult(pi, ctx, lines.join("\n"));
  },
};

async function usage(ask: RequestFunction, params: RequestInput<"usage">): Promise<UsageAnswer> {
  return (await ask("usage", { ...params, limit: 1, estimates: true })).data;
}

/** Undefined if the session is not indexed: pi writes it after the first model response, or it is outside all roots. */
async function usageOfSession(ask: RequestFunction, session: string): Promise<UsageAnswer | undefined> {
  try {
    return await usage(ask, { session });
  } catch (error) {
    if (error instanceof PidexError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Estimates are of what has no recorded cost, and not part of the cost. */
function formatFigures({ costUsd, estimatedUsd = 0, tokens, messages }: UsageAnswer["total"]): string {
  return [
    formatDollars(costUsd),
    ...(estimatedUsd > 0 ? [`about ${formatDollars(estimatedUsd)} estimated besides`] : []),
    `${formatShortNumber(tokens.total)} tokens`,
    formatCount(messages, "model response"),
  ].join(", ");
}
