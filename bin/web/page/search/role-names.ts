/** Roles for people. A map, because a session may have any text as a role: `constructor`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["toolResult", "tool output"],
  // Commands that the user ran, unlike those of the tools of these names.
  ["bashExecution", "user bash"],
  ["pythonExecution", "user python"],
  ["fileMention", "files"],
  ["branchSummary", "branch summary"],
  ["compactionSummary", "compaction"],
]);

export function getRoleName(role: string): string {
  return NAMES.get(role) ?? role;
}
