import type { CandidateFile } from "../indexer/discover.ts";
import type { FileSummary } from "../indexer/summarize-file.ts";
import type { SessionInfo } from "../query/answers.ts";
import { toSessionInfo } from "../query/session-info.ts";
import { detectAgent } from "../src/session/agents.ts";

/** A session as read from its file, without the index. */
export function toSummarizedSession(
  { path, subagent }: Pick<CandidateFile, "path" | "subagent">,
  { summary, modified, size, compressed, labelCount, problemCount }: FileSummary,
  startedBy?: string,
): SessionInfo {
  const tags = JSON.stringify(summary.tags);
  const counts = { label_count: labelCount, problem_count: problemCount };
  const file = { file_id: 0, path, subagent, size, compressed: compressed ? 1 : 0 };
  const row = { ...summary, ...counts, ...file, modified, tags, started_by: null };
  return toSessionInfo(row, startedBy, detectAgent(row.path));
}
