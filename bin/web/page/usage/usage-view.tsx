import { useEffect, useMemo } from "preact/hooks";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { DAY_MS } from "../../../format/times.ts";
import { DateHistogram } from "../charts/date-histogram.tsx";
import "../design/numbers.css";
import { useParams } from "../shell/address.ts";
import { type ApiParams, useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import { LoadError } from "../shell/load-error.tsx";
import { configuredBudget } from "../shell/source.ts";
import { getMeasure } from "./amounts.ts";
import { Budget, FurtherBudgets } from "./budget.tsx";
import { Calendar } from "./calendar.tsx";
import { Cards } from "./cards.tsx";
import { Controls } from "./controls.tsx";
import { EmptyRange } from "./empty-range.tsx";
import { Estimates } from "./estimates.tsx";
import { parseBudget, parseMonthlyBudget } from "./forecast.ts";
import { Glossary } from "./glossary.tsx";
import { Month } from "./month.tsx";
import { NotCounted } from "./not-counted.tsx";
import { OverTime } from "./over-time.tsx";
import { keepBudget, ownBudget } from "./own-budget.ts";
import { ProjectModels } from "./project-models.tsx";
import { MAX_OPENED, MAX_RANKED_SESSIONS, ToolRanking, TopSessions, TopValues } from "./rankings.tsx";
import { SessionSpend } from "./session-spend.tsx";
import { useOpened } from "./show-all.tsx";
import { UsageQuery } from "./usage-query.tsx";
import {
  type Period,
  parseUsageState,
  toBreakdownParams,
  toFilterParams,
  type UsageState,
} from "./usage-state.ts";

import "./usage.css";
import type { Report } from "./usage-table.tsx";
import { addDays } from "./zone-days.ts";

/** Maximum number of rows that choose the colors, and are suggested as filters. */
const MAX_RANKED_VALUES = 200;
/** Maximum number of rows for the chart over time. */
const MAX_ROWS = 10_000;

/** Token usage and cost. The address contains all options. */
export function UsageView() {
  const [params, setParams] = useParams();
  const choice = parseUsageState(params, Date.now());
  const { measure, by, session } = choice;
  const [showsAllSessions] = useOpened("sessions");
  const maxSessions = showsAllSessions ? MAX_OPENED : MAX_RANKED_SESSIONS;
  const version = useVersion();
  useEffect(() => {
    document.title = "Usage · pidex";
  }, []);
  const everyDay: ApiParams = { ...toFilterParams(choice), by: ["day"] };
  const days = useAnswer("usage", everyDay, version);
  const spent = useAnswer(session === "" ? undefined : "spend", { session }, version);
  const spend = session === "" ? undefined : spent.data?.spend;
  const dayRows = days.data?.usage.rows ?? [];
  const period = choice.period ?? periodFor(choice, dayRows);
  const crossed = period && toBreakdownParams(choice, [period, by], { limit: MAX_ROWS });

  const { getAmount: measured, createFormatter } = getMeasure(measure);
  // A value keeps its color in all ranges and with all filters.
  const ranking = useAnswer("usage", { by, limit: MAX_RANKED_VALUES }, version);
  const isRanked = ranking.data?.usage.by[0] === by; // else it is still the previous one
  const ranked = isRanked ? ranking.data?.usage.rows : ranking.error === undefined ? undefined : [];
  const onDay = (day: string) => setParams({ since: day, until: addDays(day, 1), range: "" });
  const counts = useMemo(
    () => dayRows.map(({ key, messages }) => ({ day: key.day ?? "", count: messages })),
    [dayRows],
  );
  const values = useMemo(
    () => new Map(dayRows.map((row) => [row.key.day ?? "", measured(row)])),
    [dayRows, measured],
  );
  const used = useMemo(
    () => dayRows.flatMap(({ key, events }) => (events > 0 && key.day) || []).sort(),
    [dayRows],
  );
  const [first, last] = [used.at(0), used.at(-1)];
  // Kept and configured budgets are for all usage.
  const isFiltered = (choice.project || choice.model || session) !== "";
  const typedBudget = choice.budget || (isFiltered ? "" : ownBudget.value);
  const budget = parseBudget(typedBudget || (!isFiltered && configuredBudget.value) || "") ?? "";
  const changeBudget = (text: string) => {
    if (!isFiltered && (text === "" || parseBudget(text) !== undefined)) keepBudget(text);
    setParams({ budget: text });
  };
  const monthlyBudget = parseMonthlyBudget(budget);
  const showsMonth = choice.range === "month" && measure === "cost";
  const empty = <EmptyRange choice={choice} days={days.data && used} />;
  const unread = days.data?.usage.unreadFiles ?? 0;
  const head = (
    <>
      <h1>Usage</h1>
      <Controls
        {...{ choice, ranked, period: period ?? "day", onChange: setParams }}
        budget={typedBudget}
        onBudget={changeBudget}
        days={first !== undefined && last !== undefined ? { first, last } : undefined}
      />
    </>
  );
  // All other requests would fail too.
  if (days.error !== undefined && !days.data)
    return (
      <main class="usage">
        {head}
        <LoadError error={days.error} />
      </main>
    );
  // With filters that nothing has, all figures would be 0.
  if (isFiltered && days.data && used.length === 0)
    return (
      <main class="usage" aria-busy={days.isLoading}>
        {head}
        {empty}
      </main>
    );
  return (
    <main class="usage" aria-busy={days.isLoading}>
      {head}
      <section>
        {counts.length > 0 && <h2 class="usage-days">Model responses over time</h2>}
        <DateHistogram
          days={counts}
          what="model responses"
          range={{ since: choice.since, until: choice.until }}
          onRange={(range) =>
            setParams(range ? { ...range, range: "" } : { since: "", until: "", range: "all" })
          }
        />
      </section>
      {days.error !== undefined && <ErrorMessage error={days.error} />}
      {unread > 0 && (
        <p class="quiet">Not included yet: {formatCount(unread, "file")} still being indexed.</p>
      )}
      <Cards choice={choice} spend={spend} firstDay={first} />
      <Estimates choice={choice} />
      <NotCounted choice={choice} />
      {showsMonth && (
        <UsageQuery params={toBreakdownParams(choice, ["day"])}>
          {(answered) => (
            <Month
              {...answered}
              budgetUsd={monthlyBudget}
              timeZone={choice.timeZone}
              usedDays={days.data && used}
            />
          )}
        </UsageQuery>
      )}
      {typedBudget !== "" && budget === "" && (
        <p class="trouble" role="alert">
          “<bdi>{toOneLine(typedBudget)}</bdi>” is not a budget. Type dollars per month, such as 200, or with
          a period: 10/day, 50/week, 200/month or 2000/year.
        </p>
      )}
      {budget !== "" && !(showsMonth && monthlyBudget !== undefined) && (
        <UsageQuery params={{ ...toFilterParams(choice), budget }}>
          {({ usage }) => usage.budget && <Budget budget={usage.budget} timeZone={usage.timeZone} />}
        </UsageQuery>
      )}
      {!isFiltered && <FurtherBudgets timeZone={choice.timeZone} weekStart={choice.weekStart} />}
      {session !== "" && spent.error !== undefined && <ErrorMessage error={spent.error} />}
      {spend && <SessionSpend spend={spend} onAll={() => setParams({ session: "" })} />}
      <div class="usage-grid">
        <div class="usage-time">
          {crossed && (
            <UsageQuery params={crossed}>
              {(answered) =>
                ranked && <OverTime {...answered} {...{ choice, ranked, measured, createFormatter, empty }} />
              }
            </UsageQuery>
          )}
        </div>
        <div class="usage-matrix">
          <UsageQuery params={toBreakdownParams(choice, ["project", "model"], { limit: MAX_ROWS })}>
            {(answered) => <ProjectModels {...answered} choice={choice} onSort={setParams} />}
          </UsageQuery>
        </div>
        <div class="usage-calendar">
          {days.data && (
            <Calendar
              {...{ choice, values, createFormatter, onDay, usage: days.data.usage, params: everyDay }}
              firstDay={first}
              onYear={(year) => setParams({ year: year === undefined ? "" : String(year) })}
            />
          )}
        </div>
        <div class="usage-values">
          <UsageQuery params={toBreakdownParams(choice, [by])}>
            {(answered) =>
              ranked && <TopValues {...answered} {...{ choice, ranked, measured, createFormatter }} />
            }
          </UsageQuery>
        </div>
        <div class="usage-sessions">
          <UsageQuery params={toBreakdownParams(choice, ["session"], { limit: maxSessions })}>
            {(answered) => (
              <TopSessions {...answered} choice={choice} onOnly={(id) => setParams({ session: id })} />
            )}
          </UsageQuery>
        </div>
        <div class="usage-tools">
          <UsageQuery params={toBreakdownParams(choice, ["tool"])}>
            {(answered) => <ToolRanking {...answered} choice={choice} />}
          </UsageQuery>
        </div>
      </div>
      <Glossary />
    </main>
  );
}

/** The default period for the range; undefined until its length is known. */
function periodFor({ since, until }: UsageState, rows: Report["rows"]): Period | undefined {
  const dated = rows.flatMap(({ key }) => key.day ?? []);
  const first = since ?? dated[0];
  const end = until ?? dated.at(-1);
  if (first === undefined || end === undefined) return since && until ? "day" : undefined;
  const days = Math.round((Date.parse(end) - Date.parse(first)) / DAY_MS);
  if (days <= 2) return "hour";
  if (days <= 120) return "day";
  return days <= 800 ? "week" : "month";
}
