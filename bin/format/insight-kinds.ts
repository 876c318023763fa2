import type { InsightKind } from "../../library/index.ts";

/** How findings of each kind are counted, in a sentence. docs/insights.md has the full definitions. */
export const INSIGHT_DEFINITIONS: Record<InsightKind, string> = {
  failures: "calls of a tool or command whose result is an error, without silent ones of shells",
  "repeated-errors": "failed calls of a tool with the same error line, numbers and paths masked",
  "repeated-calls": "failed calls made again with equal arguments, without a successful change in between",
  "undone-edits": "edits whose added lines a later edit of the session replaced by the removed ones",
  "slow-calls": "calls that took a minute or longer, without tools that wait for you or a subagent",
  "slow-responses": "model responses that took between a minute and an hour",
  compactions: "compactions of contexts, with the tokens sent before and after",
};

export const INSIGHT_KINDS = Object.keys(INSIGHT_DEFINITIONS) as InsightKind[];
