/**
 * Zod schemas of options and results, from which docs/json.md and the MCP tools are generated. Not exported by `index.ts`, because zod
 * is slow to load and short commands don't need it.
 */
export {
  ClosestMatchesJson,
  EntryIdJson,
  FileTouchJson,
  HitJson,
  IsoTimeJson,
  LabelJson,
  SessionInfoJson,
  TreeEntryJson,
} from "../query/answers.ts";
export { BlameJson, BlameLineJson } from "../query/git/git-answers.ts";
export { BlameOptions } from "../query/git/git-options.ts";
export { FindingJson, InsightsJson } from "../query/insights/insight-answers.ts";
export { INSIGHT_KINDS, InsightKind, InsightsOptions } from "../query/insights/insight-options.ts";
export {
  CompleteOptions,
  Filters,
  ListOptions,
  parseOptions,
  ScanOptions,
  SearchOptions,
  TouchAction,
} from "../query/options.ts";
export { ListedPrice, PriceRules } from "../query/prices/price-rule.ts";
export {
  BudgetStatusJson,
  FiguresJson,
  SpendingJson,
  UsageGroupJson,
  UsageJson,
  UsageRowJson,
} from "../query/usage/usage-answers.ts";
export { UsageDimension, UsageOptions } from "../query/usage/usage-options.ts";
