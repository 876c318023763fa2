import type { AnswerSum } from "../entries/heading.tsx";
import type { BranchRows } from "./branch-rows.ts";

/** The responses of the answer that begins with a message of a branch, and their cost; undefined if none begins with it. */
export function sumResponses(branch: BranchRows, message: number): AnswerSum | undefined {
  const isResponse = (each: number) => branch.kind(each)?.role === "assistant";
  if (!isResponse(message) || (message > 0 && isResponse(message - 1))) return undefined;
  let [end, cost] = [message, 0];
  for (; end < branch.count && isResponse(end); end++) cost += branch.tree.cost[branch.key(end)] ?? 0;
  return { responses: end - message, costUsd: cost / 1e6 };
}
