import { type Figures, readUserPrices, type UsageOptions, type UsageReport } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { formatDollars, formatPercent, formatShortNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { UsageAnswer } from "./answers.ts";
import { resolveSessionName } from "./citations.ts";
import { fitToBudget } from "./fit-to-budget.ts";
import { joinLines, toSafePath, truncateForModel } from "./format-session.ts";
import type { Params, UsageParams } from "./params.ts";

/** Tokens reserved for everything but the rows. */
const RESERVED_TOKENS = 250;

/** Returns usage and cost, in total and grouped. */
export async function summarizeUsage(
  { max_tokens, limit, time_zone: timeZone, session: name, ...filters }: Params<typeof UsageParams>,
  context: RequestContext,
): Promise<Answer<UsageAnswer>> {
  const { index, redactor } = context;
  const session = name === undefined ? undefined : await resolveSessionName(name, context);
  const prices = filters.estimates ? await readUserPrices() : undefined;
  const options = { ...filters, timeZone, session, prices };
  const { report, items } = await fitToBudget(limit, max_tokens - RESERVED_TOKENS, async (limit) => {
    const report = await index.usage({ ...options, limit } as UsageOptions);
    return { report, items: report.rows.map((row) => toRow(row, redactor)) };
  });
  const { by, rowCount, unreadFiles, others, total } = report;
  const data: UsageAnswer = {
    by,
    timeZone: report.timeZone,
    rowCount,
    unreadFiles,
    rows: items.map(({ data }) => data),
    others: others && toFigures(others),
    total: toFigures(total),
  };
  const text = joinLines(
    `Total: ${formatFigures(total)}.`,
    by.length > 0 && `By ${by.join(" and ")} (times in ${report.timeZone}):`,
    ...items.map(({ text }) => text),
    others && `other rows: ${formatFigures(others)}`,
    unreadFiles > 0 &&
      `${formatCount(unreadFiles, "file")} from an older index not included; run pidex index.`,
  );
  return { text, data };
}

function toRow(row: UsageReport["rows"][number], redactor: Redactor | undefined) {
  const { session } = row;
  const key = Object.fromEntries(
    Object.entries(row.key).map(([by, value]) => {
      // The path of a session stays as it is, because requests need it.
      return [by, typeof value !== "string" || by === "session" ? value : toSafePath(value, redactor)];
    }),
  ) as typeof row.key;
  const title =
    session && truncateForModel(getSessionTitle(redactor ? redactor.redactValue(session) : session), 80);
  const data: UsageAnswer["rows"][number] = { key, title, ...toFigures(row) };
  const keyTexts = Object.values(key).map((value) => (value == null ? "(none)" : toOneLine(value)));
  return { data, text: `${keyTexts.join(", ")}${title ? ` "${title}"` : ""}: ${formatFigures(row)}` };
}

function toFigures(figures: Figures): UsageAnswer["total"] {
  const { costUsd, estimatedUsd, unpricedTokens, tokens } = figures;
  const { cacheHitRate, messages, toolCalls, failedToolCalls } = figures;
  const estimates = estimatedUsd === undefined ? {} : { estimatedUsd, unpricedTokens };
  return { costUsd, ...estimates, tokens, cacheHitRate, messages, toolCalls, failedToolCalls };
}

function formatFigures(figures: Figures): string {
  const { costUsd, estimatedUsd, unpricedTokens = 0, tokens } = figures;
  const { cacheHitRate, messages, toolCalls, failedToolCalls } = figures;
  return [
    formatDollars(costUsd),
    estimatedUsd === undefined ? "" : `about ${formatDollars(estimatedUsd)} estimated, not included`,
    unpricedTokens > 0 ? `no price known for ${formatShortNumber(unpricedTokens)} tokens` : "",
    `${formatShortNumber(tokens.total)} tokens (${formatShortNumber(tokens.input)} in, ${formatShortNumber(tokens.output)} out, ${formatShortNumber(tokens.cacheRead)} cached)`,
    cacheHitRate === undefined ? "" : `${formatPercent(cacheHitRate)} from the cache`,
    formatCount(messages, "model response"),
    `${formatCount(toolCalls, "tool call")}${failedToolCalls > 0 ? `, ${failedToolCalls} failed` : ""}`,
  ]
    .filter(Boolean)
    .join("; ");
}
