import { sql } from "../sql.ts";
import type { MemberRow } from "../usage-reads.ts";
import { ownerOrderTerms } from "./owner-order.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import type { ScopedLedger } from "./scoped-ledger.ts";

export async function readMembers(db: Reader, { scope, isComplete }: ScopedLedger): Promise<MemberRow[]> {
  const isIncluded = isComplete ? sql`TRUE` : inScope(scope);
  const { rows } = await sql<MemberRow>`
    SELECT file.id AS file, file.path, session.cwd, file.subagent, NULL AS caller, NULL AS agent, NULL AS tool
    FROM session JOIN file ON file.id = session.file_id WHERE ${isIncluded}`.execute(db);
  await addCallers(db, rows);
  return rows;
}

async function addCallers(db: Reader, members: readonly MemberRow[]): Promise<void> {
  // If several sessions record a run, such as forks, the one that was created first started it.
  const { rows } = await sql<{ file: number; caller: number; agent: string | null; tool: string | null }>`
    SELECT file.id AS file, report.file_id AS caller, subagent_run.agent, report.tool
    FROM run_file CROSS JOIN file ON file.path = run_file.path
      CROSS JOIN subagent_run ON subagent_run.entry = run_file.entry AND subagent_run.ordinal = run_file.ordinal
      CROSS JOIN entry AS report ON report.id = run_file.entry
      CROSS JOIN session ON session.file_id = report.file_id CROSS JOIN file AS calling ON calling.id = report.file_id
    WHERE report.file_id <> file.id
    ORDER BY ${sql.raw(ownerOrderTerms("session", "calling"))}, report.line, run_file.ordinal`.execute(db);
  if (rows.length === 0) return;
  const byFile = new Map(members.map((member) => [member.file, member]));
  for (const { file, caller, agent, tool } of rows) {
    const member = byFile.get(file);
    if (!member || member.caller !== null || !byFile.has(caller)) continue;
    Object.assign(member, { caller, agent, tool, subagent: 1 }); // wherever its file is
  }
}

export async function readSubagentFiles(db: Reader, scope: Scope): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT file.id FROM file INDEXED BY file_subagent WHERE file.subagent = 1 AND ${inScope(scope)}
    UNION SELECT file.id FROM run_file CROSS JOIN file ON file.path = run_file.path
      CROSS JOIN entry ON entry.id = run_file.entry
    WHERE entry.file_id <> file.id AND ${inScope(scope)}
      AND entry.file_id IN (SELECT file.id FROM file WHERE ${inScope(scope)})`.execute(db);
  return rows.map(({ id }) => id);
}
