import { ownerOrder } from "../../src/database/owner-order.ts";
import type { Reader } from "../../src/database/reader.ts";
import { STANDING } from "../../src/database/schema.ts";
import { sql } from "../../src/database/sql.ts";
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
export async function ledgerPart(db: Reader, scope: Scope): Promise<LedgerPart> {
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

/** A key as text: a number would lose digits. `printf` makes 0 of NULL. */
const KEY = sql`iif(event.key IS NULL, NULL, printf('%x-%d', event.key, event.instance))`;

/** Copies whose owner is not in the scope: of each act the first. */
async function orphans(db: Reader, scope: Scope): Promise<Candidate[]> {
  const inside = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const { rows } = await sql<Candidate>`
    SELECT event.entry, event.ordinal, ${KEY} AS key
    FROM event JOIN entry ON entry.id = event.entry JOIN file ON file.id = event.file_id
      LEFT JOIN session ON session.file_id = file.id
    WHERE event.standing = ${STANDING.inherited} AND event.file_id IN ${inside}
      AND NOT EXISTS (SELECT 1 FROM event AS owner WHERE owner.key = event.key
        AND owner.instance = event.instance AND owner.standing = ${STANDING.own}
        AND owner.file_id IN ${inside})
    ORDER BY ${sql.raw(ownerOrder("session", "file"))}, entry.line, event.ordinal`.execute(db);
  return firstOfEach(rows);
}

/** What subagents' files tell that are not in the scope: of each act the first place, unless its runs are told here. */
async function untold(db: Reader, scope: Scope): Promise<Candidate[]> {
  const inside = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const { rows } = await sql<Candidate & { file: number; spenders: string }>`
    SELECT event.entry, event.ordinal, ${KEY} AS key, event.file_id AS file,
      (SELECT json_group_array(json_array(subagent_run.ordinal, told.id))
        FROM subagent_run LEFT JOIN run_file USING (entry, ordinal)
          LEFT JOIN file AS told ON told.path = run_file.path AND told.id IN ${inside}
        WHERE subagent_run.entry = event.entry
          AND (subagent_run.ordinal = event.run OR event.run IS NULL AND NOT EXISTS (SELECT 1 FROM event AS own
            WHERE own.entry = subagent_run.entry AND own.run = subagent_run.ordinal))) AS spenders
    FROM event JOIN entry ON entry.id = event.entry JOIN file ON file.id = event.file_id
      LEFT JOIN session ON session.file_id = file.id
    WHERE event.standing = ${STANDING.told} AND event.file_id IN ${inside}
    ORDER BY ${sql.raw(ownerOrder("session", "file"))}, entry.line, event.ordinal`.execute(db);
  const adopted: Candidate[] = [];
  const acts = Map.groupBy(rows, ({ key, entry, ordinal }) => key ?? `${entry}:${ordinal}`);
  for (const places of acts.values()) {
    const tellers = places.map(({ file }) => file);
    const runs = new Map<number, number[]>();
    for (const { spenders } of places) {
      for (const [run, file] of JSON.parse(spenders) as [number, number | null][]) {
        runs.set(run, [...(runs.get(run) ?? []), ...(file === null ? [] : [file])]);
      }
    }
    let areTold = runs.size > 0;
    for (const files of runs.values()) areTold &&= await haveSpent(db, files, tellers);
    if (!areTold) adopted.push(places[0] as Candidate);
  }
  return adopted;
}

/** Whether any of some files tells spending of its own, which none of those has that tell of the run. */
async function haveSpent(db: Reader, files: readonly number[], tellers: readonly number[]): Promise<boolean> {
  if (files.length === 0) return false;
  const { rows } = await sql`
    SELECT 1 FROM event AS spent
    WHERE spent.file_id IN (SELECT value FROM json_each(${JSON.stringify(files)})) AND spent.billed = 1
      AND spent.kind <> 'subagent' AND NOT EXISTS (SELECT 1 FROM event AS copied WHERE copied.key = spent.key
        AND copied.instance = spent.instance AND +copied.file_id IN (SELECT value FROM json_each(${JSON.stringify(tellers)})))
    LIMIT 1`.execute(db);
  return rows.length > 0;
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
