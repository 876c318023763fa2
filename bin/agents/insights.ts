import type { InsightFinding, InsightsOptions } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { compareTotals, describeFinding, describeLoss, describeOmitted } from "../format/insights.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { InsightsAnswer } from "./answers.ts";
import { formatCitation } from "./citations.ts";
import { countTokens, takeFitting } from "./fit-to-budget.ts";
import {
  formatQuotation,
  joinLines,
  QUOTATION_NOTICE,
  toSafePath,
  truncateForModel,
} from "./format-session.ts";
import type { InsightsParams, Params } from "./params.ts";

/** Tokens reserved for everything but the findings. */
const RESERVED_TOKENS = 300;

const MAX_SUBJECT = 200;

/** Returns findings over all sessions, and what changed since the period before. */
export async function findInsights(
  { max_tokens, limit, min_occurrences, min_sessions, ...filters }: Params<typeof InsightsParams>,
  { index, redactor }: RequestContext,
): Promise<Answer<InsightsAnswer>> {
  const options = { ...filters, limit, minOccurrences: min_occurrences, minSessions: min_sessions };
  const found = await index.insights(options as InsightsOptions);
  const items = found.findings.map((finding) => {
    const item = toItem(finding, redactor);
    return { ...item, tokens: countTokens(item.text, item.data) };
  });
  const { taken } = await takeFitting(items, max_tokens - RESERVED_TOKENS);
  const { period, before, findingCount, totals, unreadFiles } = found;
  const text = joinLines(
    `${period.since} to ${period.until}, compared with the same length before.`,
    compareTotals(found)
      .filter(([, now]) => now !== "")
      .map(([name, now, earlier]) => `${name}: ${now}${earlier === "" ? "" : ` (before: ${earlier})`}`)
      .join("; "),
    describeOmitted(found),
    taken.length > 0 ? QUOTATION_NOTICE : "No findings with enough evidence.",
    ...taken.map(({ text }) => text),
    findingCount > taken.length &&
      `${findingCount - taken.length} more findings: raise limit and max_tokens.`,
  );
  const toFigures = ({ costUsd, sessions, changes, costPerChangeUsd }: typeof totals.now) => ({
    costUsd,
    sessions,
    changes,
    costPerChangeUsd,
  });
  const data: InsightsAnswer = {
    period,
    before,
    findingCount,
    unreadFiles,
    findings: taken.map(({ data }) => data),
    totals: { now: toFigures(totals.now), before: toFigures(totals.before) },
  };
  return { text, data };
}

function toItem(
  { examples, ...finding }: InsightFinding,
  redactor: Redactor | undefined,
): { text: string; data: InsightsAnswer["findings"][number] } {
  const isPath = finding.kind === "compactions" || finding.kind === "undone-edits";
  const masked = isPath
    ? toSafePath(finding.subject, redactor)
    : truncateForModel(redactor ? redactor.redactText(finding.subject) : finding.subject, MAX_SUBJECT);
  const safe = { ...finding, subject: masked };
  const citations = examples.map(({ path, line, entryId = null }) => formatCitation(path, line, entryId));
  const text = joinLines(
    formatQuotation(describeFinding({ ...safe, examples })),
    `${describeLoss({ ...safe, examples }).join("; ")}; for example ${citations.join(" ")}`,
  );
  return { text, data: { ...safe, citations } };
}
