import { type Kysely, sql } from "kysely";
import { type Schema, STANDING } from "../../src/database/schema.ts";
import { inScope, type Scope } from "../scope.ts";

/** The ledger of a scope. */
export interface LedgerPart {
  scope: Scope;
  /** Whether the database knows of no other files. */
  isAll: boolean;
  /** Events that count here though they stand as told elsewhere: those who own or tell them are not in the scope. */
  adopted: { entry: number; ordinal: number }[];
}

/**
 * The part of the ledger that a scope sees. The index gives each act one owner among all its files; where some of
 * these are not looked at, an act counts at the first place that is.
 */
export async function ledgerPart(db: Kysely<Schema>, scope: Scope): Promise<LedgerPart> {
  const { rows: strangers } = await sql`
    SELECT 1 FROM file WHERE NOT ${inScope(scope)} LIMIT 1`.execute(db);
  if (strangers.length === 0) return { scope, isAll: true, adopted: [] };
  return { scope, isAll: false, adopted: [...(await orphans(db, scope)), ...(await untold(db, scope))] };
}

interface Candidate {
  entry: number;
  ordinal: number;
  key: string | null;
}

/** Copies whose owner is not in the scope: of each act the first. */
async function orphans(db: Kysely<Schema>, scope: Scope): Promise<Candidate[]> {
  const inside = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const { rows } = await sql<Candidate>`
    SELECT event.entry, event.ordinal, printf('%x', event.key) AS key
    FROM event JOIN entry ON entry.id = event.entry JOIN file ON file.id = event.file_id
      LEFT JOIN session ON session.file_id = file.id
    WHERE event.standing = ${STANDING.inherited} AND event.file_id IN ${inside}
      AND NOT EXISTS (SELECT 1 FROM event AS owner WHERE owner.key = event.key AND owner.standing = ${STANDING.own}
        AND owner.file_id IN ${inside})
    ORDER BY session.created IS NULL, session.created, file.path, entry.line, event.ordinal`.execute(db);
  return firstOfEach(rows);
}

/** What subagents' files tell that are not in the scope: of each act the first place, unless any of them is told here. */
async function untold(db: Kysely<Schema>, scope: Scope): Promise<Candidate[]> {
  const inside = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const { rows } = await sql<Candidate & { silent: number }>`
    SELECT event.entry, event.ordinal, printf('%x', event.key) AS key,
      EXISTS (SELECT 1 FROM subagent_run WHERE subagent_run.entry = event.entry
        AND (event.run IS NULL OR subagent_run.ordinal = event.run)
        AND NOT EXISTS (SELECT 1 FROM run_file CROSS JOIN file AS told ON told.path = run_file.path
            CROSS JOIN event AS spent ON spent.file_id = told.id
          WHERE run_file.entry = subagent_run.entry AND run_file.ordinal = subagent_run.ordinal
            AND told.id <> event.file_id AND told.id IN ${inside} AND spent.billed = 1 AND spent.kind <> 'subagent'
            AND NOT EXISTS (SELECT 1 FROM event AS copied
              WHERE copied.key = spent.key AND copied.file_id = event.file_id))) AS silent
    FROM event JOIN entry ON entry.id = event.entry JOIN file ON file.id = event.file_id
      LEFT JOIN session ON session.file_id = file.id
    WHERE event.standing = ${STANDING.told} AND event.file_id IN ${inside}
    ORDER BY session.created IS NULL, session.created, file.path, entry.line, event.ordinal`.execute(db);
  const told = new Set(rows.filter(({ silent }) => silent === 0).map(({ key }) => key));
  return firstOfEach(rows.filter(({ silent, key }) => silent === 1 && (key === null || !told.has(key))));
}

function firstOfEach(rows: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return rows.filter(({ key }) => {
    if (key === null) return true;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}
