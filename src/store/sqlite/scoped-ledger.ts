import { ATTRIBUTION } from "../schema.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { ownerOrderTerms } from "./owner-order.ts";
import type { Reader } from "./reader.ts";
import {
  ALL_EVENTS,
  type Report,
  type ReportWindow,
  selectEventsInWindow,
  selectReports,
  toReportWindows,
} from "./report-window.ts";
import {
  REPORTED_COLUMNS,
  type ReportedFigures,
  SELECT_USAGE_SUMS,
  subtractUsage,
  type UsageFigures,
} from "./reported-figures.ts";
import { inScope, type Scope } from "./scope.ts";

/** The ledger as the files of a scope record it. */
export interface ScopedLedger {
  scope: Scope;
  /** Whether the scope contains all files of the database. */
  isComplete: boolean;
  /** Events that count here although the index counts them in a file outside the scope. */
  reattributed: { entry: number; ordinal: number; file: number }[];
  /** Differences to add to the figures of events. */
  corrections: Correction[];
}

export interface Correction {
  entry: number;
  ordinal: number;
  /** May be negative. */
  difference: Record<(typeof REPORTED_COLUMNS)[number], number>;
}

/**
 * The ledger of a scope. The index assigns each billable event one owner among all its files. If the owner is outside the
 * scope, the event counts at its first occurrence in the scope.
 */
export async function readScopedLedger(db: Reader, scope: Scope): Promise<ScopedLedger> {
  const { rows: outside } = await sql`
    SELECT 1 FROM file WHERE NOT ${inScope(scope)} LIMIT 1`.execute(db);
  if (outside.length === 0) return { scope, isComplete: true, reattributed: [], corrections: [] };
  const reattributed = [...(await orphanedCopies(db, scope)), ...(await orphanedReports(db, scope))];
  return {
    scope,
    isComplete: false,
    reattributed,
    corrections: await corrections(db, scope, reattributed),
  };
}

interface Candidate {
  entry: number;
  ordinal: number;
  file: number;
  key: string | null;
}

/** The key as text, because a number would lose digits. `printf` formats NULL as 0. */
const KEY = sql`iif(event.key IS NULL, NULL, printf('%x-%d', event.key, event.instance))`;

/** Copies of events whose owner is outside the scope: the first one of each event. */
async function orphanedCopies(db: Reader, scope: Scope): Promise<Candidate[]> {
  const inside = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const { rows } = await sql<Candidate>`
    SELECT event.entry, event.ordinal, event.file_id AS file, ${KEY} AS key
    FROM event JOIN entry ON entry.id = event.entry JOIN file ON file.id = event.file_id
      LEFT JOIN session ON session.file_id = file.id
    WHERE event.attribution = ${ATTRIBUTION.duplicate} AND event.file_id IN ${inside}
      AND NOT EXISTS (SELECT 1 FROM event AS owner WHERE owner.key = event.key
        AND owner.instance = event.instance AND owner.attribution = ${ATTRIBUTION.owner}
        AND owner.file_id IN ${inside})
    ORDER BY ${sql.raw(ownerOrderTerms("session", "file"))}, entry.line, event.ordinal`.execute(db);
  return firstOfEach(rows);
}

/** An event that reports subagent runs, with all its copies. */
interface ReportedEvent {
  /** The copies, in owner order. */
  occurrences: Candidate[];
  /** The files of the copies, as JSON. */
  reporters: string;
  /** By run, the files of the scope that may be its session. */
  runs: Map<number, number[]>;
}

/** The events of the scope that report subagent runs and satisfy a condition. */
async function reportedEvents(db: Reader, scope: Scope, condition: Sql<SqlBool>): Promise<ReportedEvent[]> {
  const inside = sql`(SELECT id FROM file WHERE ${inScope(scope)})`;
  const { rows } = await sql<Candidate & { sessions: string }>`
    SELECT event.entry, event.ordinal, ${KEY} AS key, event.file_id AS file,
      (SELECT json_group_array(json_array(subagent_run.ordinal, run_session.id))
        FROM subagent_run LEFT JOIN run_file USING (entry, ordinal)
          LEFT JOIN file AS run_session ON run_session.path = run_file.path AND run_session.id IN ${inside}
        WHERE subagent_run.entry = event.entry
          AND (subagent_run.ordinal = event.run OR event.run IS NULL AND NOT EXISTS (SELECT 1 FROM event AS own
            WHERE own.entry = subagent_run.entry AND own.run = subagent_run.ordinal))) AS sessions
    FROM event JOIN entry ON entry.id = event.entry JOIN file ON file.id = event.file_id
      LEFT JOIN session ON session.file_id = file.id
    WHERE ${condition} AND event.file_id IN ${inside}
    ORDER BY ${sql.raw(ownerOrderTerms("session", "file"))}, entry.line, event.ordinal`.execute(db);
  const events = Map.groupBy(rows, ({ key, entry, ordinal }) => key ?? `${entry}:${ordinal}`);
  return [...events.values()].map((occurrences) => {
    const reporters = JSON.stringify([...new Set(occurrences.map(({ file }) => file))]);
    const runs = new Map<number, number[]>();
    for (const { sessions } of occurrences) {
      for (const [run, file] of JSON.parse(sessions) as [number, number | null][]) {
        runs.set(run, [...(runs.get(run) ?? []), ...(file === null ? [] : [file])]);
      }
    }
    return { occurrences, reporters, runs };
  });
}

/** Reports of runs that the index counts in sessions outside the scope: the first one of each event, unless all runs have a session in it. */
async function orphanedReports(db: Reader, scope: Scope): Promise<Candidate[]> {
  const reattributed: Candidate[] = [];
  for (const event of await reportedEvents(db, scope, sql`event.attribution = ${ATTRIBUTION.reported}`)) {
    const sessions = await sessionsOfRuns(db, event);
    if (event.runs.size === 0 || sessions.some((files) => files.length === 0)) {
      reattributed.push(event.occurrences[0] as Candidate);
    }
  }
  return reattributed;
}

/** For each run, the files with usage of their own, which is not copied from a session that reports the run. */
async function sessionsOfRuns(
  db: Reader,
  { runs, reporters }: Pick<ReportedEvent, "runs" | "reporters">,
): Promise<number[][]> {
  const sessions: number[][] = [];
  for (const files of runs.values()) {
    const { rows } = await sql<{ file: number }>`
      SELECT DISTINCT spent.file_id AS file FROM event AS spent
      WHERE ${spentIn(files, reporters)}`.execute(db);
    const spent = new Set(rows.map(({ file }) => file));
    sessions.push(files.filter((file) => spent.has(file)));
  }
  return sessions;
}

/** A condition on the alias `spent`: billed events of these files that are not copies from the reporting sessions. */
function spentIn(files: readonly number[], reporters: string): Sql<SqlBool> {
  return sql`spent.file_id IN (SELECT value FROM json_each(${JSON.stringify(files)})) AND spent.billed = 1
    AND spent.kind <> 'subagent' AND NOT EXISTS (SELECT 1 FROM event AS copied WHERE copied.key = spent.key
      AND copied.instance = spent.instance AND +copied.file_id IN (SELECT value FROM json_each(${reporters})))`;
}

/**
 * Corrections of events that report several runs, if fewer of the runs' sessions are in the scope than in the index: the index
 * subtracts the usage of the others, which counts here.
 */
async function corrections(
  db: Reader,
  scope: Scope,
  reattributed: readonly Candidate[],
): Promise<Correction[]> {
  const reports = sql<SqlBool>`event.kind = 'subagent' AND event.run IS NULL AND (event.attribution = ${ATTRIBUTION.reported}
    OR (event.entry, event.ordinal) IN (SELECT entry, ordinal FROM reported_sum))`;
  const reattributedEvents = new Set(reattributed.map(({ entry, ordinal }) => `${entry}:${ordinal}`));
  const found: Correction[] = [];
  const windows = new Map<string, Map<number, ReportWindow>>();
  for (const { occurrences, reporters, runs } of await reportedEvents(db, scope, reports)) {
    const sessions = (await sessionsOfRuns(db, { runs, reporters })).flatMap(([first]) => first ?? []);
    for (const { entry, ordinal, file } of occurrences) {
      const [event, reported = event] = await reportedFigures(db, entry, ordinal);
      if (!event || !reported) continue;
      if (event.attribution !== ATTRIBUTION.owner && !reattributedEvents.has(`${entry}:${ordinal}`)) continue;
      const spent: UsageFigures[] = [];
      for (const session of new Set(sessions)) {
        const name = `${file} ${session}`;
        const ofCaller = windows.get(name) ?? (await windowsIn(db, file, session));
        windows.set(name, ofCaller);
        const figures = await figuresIn(db, session, reporters, ofCaller.get(entry) ?? ALL_EVENTS);
        if (figures) spent.push(figures);
      }
      const left = subtractUsage(reported, spent);
      const difference = Object.fromEntries(
        REPORTED_COLUMNS.map((name) => [name, (left[name] ?? 0) - (event[name] ?? 0)]),
      ) as Correction["difference"];
      if (REPORTED_COLUMNS.some((name) => difference[name] !== 0)) found.push({ entry, ordinal, difference });
    }
  }
  return found;
}

/** The window of each report of a session in the caller's file. */
async function windowsIn(db: Reader, caller: number, session: number): Promise<Map<number, ReportWindow>> {
  const { rows } = await sql<Report>`${sql.raw(selectReports(String(caller), String(session)))}`.execute(db);
  return toReportWindows(rows);
}

/** The usage of a session in the window of a report, without copied events. */
async function figuresIn(
  db: Reader,
  session: number,
  reporters: string,
  { after, until }: ReportWindow,
): Promise<UsageFigures | undefined> {
  const events = selectEventsInWindow(String(session), { after: String(after), until: String(until) });
  const { rows } = await sql<UsageFigures>`
    SELECT ${sql.raw(SELECT_USAGE_SUMS)} FROM ${sql.raw(events)} AS spent
    WHERE ${spentIn([session], reporters)}`.execute(db);
  return rows[0];
}

/** The figures of an event as the index counts them, followed by those of its tool result if they differ. */
async function reportedFigures(
  db: Reader,
  entry: number,
  ordinal: number,
): Promise<(ReportedFigures & { attribution: number })[]> {
  const figures = sql.join(REPORTED_COLUMNS.map((name) => sql.ref(name)));
  const { rows } = await sql<ReportedFigures & { attribution: number }>`
    SELECT attribution, ${figures} FROM event WHERE entry = ${entry} AND ordinal = ${ordinal}
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
