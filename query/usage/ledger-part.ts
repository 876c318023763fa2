import { ownerOrder } from "../../src/store/sqlite/owner-order.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import {
  eventsIn,
  type Report,
  type ReportWindow,
  reportsOf,
  reportWindows,
  UNLIMITED,
} from "../../src/store/sqlite/report-window.ts";
import {
  lessSpent,
  REPORTED,
  type ReportedFigures,
  SELECT_SPENT,
  type SpentFigures,
} from "../../src/store/sqlite/reported-figures.ts";
import { STANDING } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { inScope, type Scope } from "../scope.ts";

/** The ledger of a scope. */
export interface LedgerPart {
  scope: Scope;
  /** Whether the database knows of no other files. */
  isAll: boolean;
  /** Events that count here though they stand as told elsewhere: those who own or tell them are not in the scope. */
  adopted: { entry: number; ordinal: number }[];
  /** What to add to the figures of events that count here. */
  corrections: Correction[];
}

export interface Correction {
  entry: number;
  ordinal: number;
  /** May be negative. */
  difference: Record<(typeof REPORTED)[number], number>;
}

/**
 * The part of the ledger that a scope sees. The index gives each act one owner among all its files; where some of
 * these are not looked at, an act counts at the first place that is.
 */
export async function ledgerPart(db: Reader, scope: Scope): Promise<LedgerPart> {
  const { rows: strangers } = await sql`
    SELECT 1 FROM file WHERE NOT ${inScope(scope)} LIMIT 1`.execute(db);
  if (strangers.length === 0) return { scope, isAll: true, adopted: [], corrections: [] };
  const adopted = [...(await orphans(db, scope)), ...(await untold(db, scope))];
  return { scope, isAll: false, adopted, corrections: await corrections(db, scope, adopted) };
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

/** What several places report of runs of subagents, and where these have sessions. */
interface ReportedAct {
  /** The first place first. */
  places: (Candidate & { file: number })[];
  /** The files of the places, as JSON. */
  reporters: string;
  /** By run, the files of the scope that may be its session. */
  runs: Map<number, number[]>;
}

/** The reports of subagents in the scope that meet a condition on `event`. */
async function reportedActs(db: Reader, scope: Scope, which: Sql<SqlBool>): Promise<ReportedAct[]> {
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
    WHERE ${which} AND event.file_id IN ${inside}
    ORDER BY ${sql.raw(ownerOrder("session", "file"))}, entry.line, event.ordinal`.execute(db);
  const acts = Map.groupBy(rows, ({ key, entry, ordinal }) => key ?? `${entry}:${ordinal}`);
  return [...acts.values()].map((places) => {
    const reporters = JSON.stringify([...new Set(places.map(({ file }) => file))]);
    const runs = new Map<number, number[]>();
    for (const { spenders } of places) {
      for (const [run, file] of JSON.parse(spenders) as [number, number | null][]) {
        runs.set(run, [...(runs.get(run) ?? []), ...(file === null ? [] : [file])]);
      }
    }
    return { places, reporters, runs };
  });
}

/** What subagents' files tell that are not in the scope: of each act the first place, unless its runs are told here. */
async function untold(db: Reader, scope: Scope): Promise<Candidate[]> {
  const adopted: Candidate[] = [];
  for (const act of await reportedActs(db, scope, sql`event.standing = ${STANDING.told}`)) {
    const sessions = await spendersOf(db, act);
    if (act.runs.size === 0 || sessions.some((files) => files.length === 0)) {
      adopted.push(act.places[0] as Candidate);
    }
  }
  return adopted;
}

/** By run, the files that tell spending of its own, which no place has that reports the run. */
async function spendersOf(db: Reader, { runs, reporters }: ReportedAct): Promise<number[][]> {
  const spenders: number[][] = [];
  for (const files of runs.values()) {
    const { rows } = await sql<{ file: number }>`
      SELECT DISTINCT spent.file_id AS file FROM event AS spent
      WHERE ${spentIn(files, reporters)}`.execute(db);
    const spent = new Set(rows.map(({ file }) => file));
    spenders.push(files.filter((file) => spent.has(file)));
  }
  return spenders;
}

/** On the alias `spent`: billed events of some files, without those that they copied from sessions that report them. */
function spentIn(files: readonly number[], reporters: string): Sql<SqlBool> {
  return sql`spent.file_id IN (SELECT value FROM json_each(${JSON.stringify(files)})) AND spent.billed = 1
    AND spent.kind <> 'subagent' AND NOT EXISTS (SELECT 1 FROM event AS copied WHERE copied.key = spent.key
      AND copied.instance = spent.instance AND +copied.file_id IN (SELECT value FROM json_each(${reporters})))`;
}

/**
 * Sums over several runs of which fewer sessions are in the scope than in the index: what the index subtracts for the others counts
 * here.
 */
async function corrections(db: Reader, scope: Scope, adopted: readonly Candidate[]): Promise<Correction[]> {
  const reports = sql<SqlBool>`event.kind = 'subagent' AND event.run IS NULL AND (event.standing = ${STANDING.told}
    OR (event.entry, event.ordinal) IN (SELECT entry, ordinal FROM reported_sum))`;
  const isAdopted = new Set(adopted.map(({ entry, ordinal }) => `${entry}:${ordinal}`));
  const found: Correction[] = [];
  const windows = new Map<string, Map<number, ReportWindow>>();
  for (const act of await reportedActs(db, scope, reports)) {
    const sessions = (await spendersOf(db, act)).flatMap(([first]) => first ?? []);
    for (const { entry, ordinal, file } of act.places) {
      const [event, reported = event] = await reportedFigures(db, entry, ordinal);
      if (!event || !reported) continue;
      if (event.standing !== STANDING.own && !isAdopted.has(`${entry}:${ordinal}`)) continue;
      const spent: SpentFigures[] = [];
      for (const session of new Set(sessions)) {
        const name = `${file} ${session}`;
        const ofCaller = windows.get(name) ?? (await windowsIn(db, file, session));
        windows.set(name, ofCaller);
        const figures = await figuresIn(db, session, act.reporters, ofCaller.get(entry) ?? UNLIMITED);
        if (figures) spent.push(figures);
      }
      const left = lessSpent(reported, spent);
      const difference = Object.fromEntries(
        REPORTED.map((name) => [name, (left[name] ?? 0) - (event[name] ?? 0)]),
      ) as Correction["difference"];
      if (REPORTED.some((name) => difference[name] !== 0)) found.push({ entry, ordinal, difference });
    }
  }
  return found;
}

/** Which events of a session each report in a caller's file includes. */
async function windowsIn(db: Reader, caller: number, session: number): Promise<Map<number, ReportWindow>> {
  const { rows } = await sql<Report>`${sql.raw(reportsOf(String(caller), String(session)))}`.execute(db);
  return reportWindows(rows);
}

/** What a session spent that a report includes, less what it copied. */
async function figuresIn(
  db: Reader,
  session: number,
  reporters: string,
  { after, until }: ReportWindow,
): Promise<SpentFigures | undefined> {
  const events = eventsIn(String(session), { after: String(after), until: String(until) });
  const { rows } = await sql<SpentFigures>`
    SELECT ${sql.raw(SELECT_SPENT)} FROM ${sql.raw(events)} AS spent
    WHERE ${spentIn([session], reporters)}`.execute(db);
  return rows[0];
}

/** The figures of an event as the index counts them; behind it as its tool result has them, where those are others. */
async function reportedFigures(
  db: Reader,
  entry: number,
  ordinal: number,
): Promise<(ReportedFigures & { standing: number })[]> {
  const figures = sql.join(REPORTED.map((name) => sql.ref(name)));
  const { rows } = await sql<ReportedFigures & { standing: number }>`
    SELECT standing, ${figures} FROM event WHERE entry = ${entry} AND ordinal = ${ordinal}
    UNION ALL
    SELECT NULL, ${figures} FROM reported_sum WHERE entry = ${entry} AND ordinal = ${ordinal}`.execute(db);
  return rows;
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
