import type { Store } from "../../src/store/store.ts";
import { toIsoTime } from "../iso-time.ts";
import { parseOptions } from "../options.ts";
import { resolveDates } from "../parse-moment.ts";
import { NO_MESSAGES_TEXT } from "../session-info.ts";
import { toDollars } from "../usage/figures.ts";
import { getSystemTimeZone } from "../usage/periods.ts";
import { usage } from "../usage/usage.ts";
import type { UsageReport } from "../usage/usage-answers.ts";
import { findCandidates, listPlaces } from "./candidates.ts";
import { type Collected, collect, type Period, type PeriodData } from "./collect.ts";
import { extractFacts } from "./entry-facts.ts";
import { toFindings, type UnnamedFinding } from "./findings.ts";
import type { Habit, InsightExample, Insights } from "./insight-answers.ts";
import { InsightsOptions, type ParsedInsightsOptions } from "./insight-options.ts";
import { findOccurrences } from "./occurrences.ts";
import { locateEntries, readBack } from "./read-back.ts";
import { isShell } from "./tools.ts";
import { findAcceptedChanges, sumByModel, sumByProject } from "./work.ts";

/** UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

const DEFAULT_PERIOD_MS = 30 * 86_400_000;

/**
 * Where work stalls, what works, and what has changed since the period before, over all sessions. Figures come from the index; failed
 * results, retried calls and repeated edits are read back from the session files. docs/insights.md defines every number.
 *
 * @throws PidexError `BAD_OPTION`
 */
export async function insights(store: Store, options: InsightsOptions = {}): Promise<Insights> {
  const parsed = parseOptions(InsightsOptions, resolveDates(options));
  const { now, before } = toPeriods(parsed);
  // One snapshot for all counts. The files are read after it, because other queries wait for its end.
  const { collected, reports, located, names, candidates } = await store.snapshot(async (snapshot) => {
    const collected = await collect(snapshot, parsed, now, before);
    const candidates = { now: findCandidates(collected.now), before: findCandidates(collected.before) };
    const places = [
      ...listPlaces(collected.now, candidates.now),
      ...listPlaces(collected.before, candidates.before),
    ];
    const located = await locateEntries(snapshot, places);
    const names = await (await snapshot.usage()).sessionNames([...collected.files.keys()]);
    return {
      collected,
      candidates,
      located,
      names,
      reports: await readReports(snapshot, parsed, now, before),
    };
  });
  const facts = await readBack(store, located, extractFacts);
  const found = findOccurrences(collected.now, candidates.now, collected, facts.get);
  const foundBefore = findOccurrences(collected.before, candidates.before, collected, facts.get);
  const findings = toFindings(found.occurrences, foundBefore.occurrences, {
    ...parsed,
    isBeforeRead: !located.omittedRanks.has(before.since),
  });
  const accepted = findAcceptedChanges(collected.now, found.undone);
  const acceptedBefore = findAcceptedChanges(collected.before, foundBefore.undone);
  const answered = countAnswered(collected.now);
  const titles = new Map(
    names.map(({ file_id, name, computed_title, first_message }) => [
      file_id,
      name ?? computed_title ?? first_message ?? NO_MESSAGES_TEXT,
    ]),
  );
  return {
    period: toPeriodJson(now),
    before: toPeriodJson(before),
    timeZone: parsed.timeZone ?? getSystemTimeZone(),
    findings: await Promise.all(
      findings.slice(0, parsed.limit).map(async ({ examples, ...finding }) => ({
        ...finding,
        ...(finding.kind === "failures" &&
          !isShell(finding.tool ?? "") && { of: answered.get(finding.tool ?? "") }),
        examples: await Promise.all(examples.map((example) => toExample(store, example, collected, titles))),
      })),
    ),
    findingCount: findings.length,
    models: sumByModel(collected.now, accepted),
    projects: sumByProject(collected, accepted, acceptedBefore),
    hours: toHabits(reports.hours, "hour-of-day"),
    weekdays: toHabits(reports.weekdays, "weekday"),
    totals: {
      now: toTotals(reports.now, collected.now, accepted.size, found.undone.length),
      before: toTotals(reports.before, collected.before, acceptedBefore.size, foundBefore.undone.length),
    },
    read: facts.counts,
    unreadFiles: reports.now.unreadFiles,
  };
}

function toPeriods({ since, until = Date.now() }: ParsedInsightsOptions): { now: Period; before: Period } {
  const start = since ?? until - DEFAULT_PERIOD_MS;
  return {
    now: { since: start, until },
    before: { since: start - Math.max(0, until - start), until: start },
  };
}

async function readReports(
  store: Store,
  { cwd, project, machine, person, timeZone }: ParsedInsightsOptions,
  now: Period,
  before: Period,
): Promise<Record<"now" | "before" | "hours" | "weekdays", UsageReport>> {
  const filters = { cwd, project, machine, person, timeZone };
  return {
    now: await usage(store, { ...filters, ...now }),
    before: await usage(store, { ...filters, ...before }),
    hours: await usage(store, { ...filters, ...now, by: ["hour-of-day"] }),
    weekdays: await usage(store, { ...filters, ...now, by: ["weekday"] }),
  };
}

function toPeriodJson({ since, until }: Period): Insights["period"] {
  return { since: toIsoTime(since) ?? String(since), until: toIsoTime(until) ?? String(until) };
}

/** Calls with a result, by tool. */
function countAnswered({ callsByFile }: PeriodData): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const calls of callsByFile.values()) {
    for (const { tool, failed } of calls) if (failed !== null) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  return counts;
}

async function toExample(
  store: Store,
  { file, line, occurrences }: UnnamedFinding["examples"][number],
  { files }: Collected,
  titles: ReadonlyMap<number, string>,
): Promise<InsightExample> {
  const { path = "", sessionId = "" } = files.get(file) ?? {};
  const [entry] = await (await store.entries()).list(file, { lines: [line] });
  const title = (titles.get(file) ?? NO_MESSAGES_TEXT).slice(0, MAX_TITLE_LENGTH);
  return { path, line, ...(entry?.id != null && { entryId: entry.id }), sessionId, title, occurrences };
}

function toHabits({ rows }: UsageReport, by: "hour-of-day" | "weekday"): Habit[] {
  return rows.map(({ key, costUsd, turns = 0, toolCalls, toolFailureRate }) => ({
    name: key[by] ?? "",
    costUsd,
    turns,
    toolCalls,
    ...(toolFailureRate !== undefined && { toolFailureRate }),
  }));
}

function toTotals(
  { total }: UsageReport,
  { responses }: PeriodData,
  changes: number,
  undone: number,
): Insights["totals"]["now"] {
  const cost = responses.reduce((sum, response) => sum + response.cost, 0);
  return {
    sessions: new Set(responses.map(({ file }) => file)).size,
    ...total,
    changes,
    undone,
    ...(changes > 0 && { costPerChangeUsd: toDollars(cost) / changes }),
  };
}
