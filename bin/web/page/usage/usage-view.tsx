import { useMemo } from "preact/hooks";
import { dollars, shortNumber } from "../../../wording/numbers.ts";
import { counted } from "../../../wording/safe.ts";
import type { SpendAnswer, UsageAnswer } from "../../api/answers.ts";
import { CalendarHeatmap } from "../charts/calendar-heatmap.tsx";
import { ChartFrame } from "../charts/chart-frame.tsx";
import { DateHistogram } from "../charts/date-histogram.tsx";
import "../design/numbers.css";
import { useParams } from "../shell/address.ts";
import { type Asked, addressOf, useAnswer } from "../shell/ask.ts";
import { useVersion } from "../shell/changes.ts";
import { Trouble } from "../shell/trouble.tsx";
import { Budget, Cards, type Figures } from "./cards.tsx";
import { broken, type Choice, type Period, readChoice, usualPeriod, WEEK_DAYS, whose } from "./choice.ts";
import { Controls } from "./controls.tsx";
import { OverTime } from "./over-time.tsx";
import { Tools, TopOf, TopSessions } from "./rankings.tsx";
import { SessionSpend } from "./session-spend.tsx";

import "./usage.css";
import { UsageTable } from "./usage-table.tsx";
import { dayIn, plusDays } from "./zone-days.ts";

const costOf = ({ costUsd }: Figures) => costUsd;
const tokensOf = ({ tokens }: Figures) => tokens.total;
/** Rows of the chart over time, at most. */
const MOST_ROWS = 10_000;

/** What was used and what it cost. All that is chosen stands in the address. */
export function UsageView() {
  const [params, setParams] = useParams();
  const choice = readChoice(params, Date.now());
  const { measure, by, session, timeZone } = choice;
  const version = useVersion();
  const useUsage = (asked: Asked | undefined) =>
    useAnswer<UsageAnswer>(asked === undefined ? undefined : "usage", asked, version);

  const everyDay: Asked = { ...whose(choice), by: ["day"] };
  const days = useUsage(everyDay);
  const told = days.data?.usage.rows ?? [];
  const period = choice.period ?? periodFor(choice, told);
  const crossed = period && broken(choice, [period, by], { limit: MOST_ROWS });
  const overTime = useUsage(crossed);
  const total = useUsage(broken(choice, []));
  const own = useUsage(broken(choice, [], { subagents: "no" }));
  const only = useUsage(broken(choice, [], { subagents: "only" }));
  const ranked = broken(choice, [by]);
  const ranking = useUsage(ranked);
  const byTool = broken(choice, ["tool"]);
  const tools = useUsage(byTool);
  const costliest = broken(choice, ["session"], { limit: 10 });
  const sessions = useUsage(costliest);
  const budget = useUsage(choice.budget === "" ? undefined : { ...whose(choice), budget: choice.budget });
  const projects = useUsage({ by: ["project"], limit: 200 });
  const models = useUsage({ by: ["model"], limit: 200 });
  const spend = useAnswer<SpendAnswer>(session === "" ? undefined : "spend", { session }, version);

  const measured = measure === "cost" ? costOf : tokensOf;
  const write = measure === "cost" ? dollars : shortNumber;
  const onDay = (day: string) => setParams({ since: day, until: plusDays(day, 1), range: "" });
  const counts = useMemo(
    () => told.map(({ key, messages }) => ({ day: key.day ?? "", count: messages })),
    [told],
  );
  const spent = useMemo(
    () => new Map(told.map((row) => [row.key.day ?? "", measured(row)])),
    [told, measured],
  );
  const today = dayIn(timeZone, Date.now());
  // The year stays where it is while days of it are chosen.
  const isEarlier = choice.until !== undefined && choice.until <= plusDays(today, -360);
  const last = isEarlier && choice.until ? plusDays(choice.until, -1) : today;
  const calendar = `${measure === "cost" ? "Cost" : "Tokens"} by day, a year`;
  const error = total.error ?? overTime.error ?? spend.error;
  const unread = total.data?.usage.unreadFiles ?? 0;
  return (
    <main class="usage" aria-busy={overTime.isWaiting}>
      <h1>Usage</h1>
      <Controls
        choice={choice}
        period={period ?? "day"}
        projects={projects.data?.usage.rows.flatMap(({ key }) => key.project ?? []) ?? []}
        models={models.data?.usage.rows.flatMap(({ key }) => key.model ?? []) ?? []}
        onChange={setParams}
      />
      <DateHistogram
        days={counts}
        what="answers"
        range={{
          ...(choice.since !== undefined && { since: choice.since }),
          ...(choice.until !== undefined && { until: choice.until }),
        }}
        onRange={(range) =>
          setParams(range ? { ...range, range: "" } : { since: "", until: "", range: "all" })
        }
      />
      {error !== undefined && <Trouble error={error} />}
      {unread > 0 && (
        <p class="quiet">Not in here yet: {counted(unread, "file")}, which are being read again.</p>
      )}
      <Cards
        total={total.data?.usage.total}
        sessions={sessions.data?.usage.rowCount}
        own={own.data?.usage.total}
        subagents={only.data?.usage.total}
        inherited={session === "" ? undefined : spend.data?.spend.inherited}
      />
      {budget.error !== undefined && <Trouble error={budget.error} />}
      {choice.budget !== "" && budget.data && <Budget usage={budget.data.usage} />}
      {session !== "" && spend.data && (
        <SessionSpend spend={spend.data.spend} onAll={() => setParams({ session: "" })} />
      )}
      <div class="usage-main">
        {overTime.data && crossed && period && overTime.data.usage.by[0] === period ? (
          <OverTime
            usage={overTime.data.usage}
            choice={{ ...choice, by: overTime.data.usage.by[1] as Choice["by"] }}
            period={period}
            csv={addressOf("usage.csv", crossed)}
            measured={measured}
            write={write}
            onDay={onDay}
          />
        ) : (
          <div class="card chart" />
        )}
      </div>
      {days.data && (
        <ChartFrame
          title={calendar}
          csv={addressOf("usage.csv", everyDay)}
          table={() => days.data && <UsageTable usage={days.data.usage} caption="By day, all" />}
        >
          <CalendarHeatmap
            values={spent}
            last={last}
            weekStart={(WEEK_DAYS.indexOf(choice.weekStart) + 1) % 7}
            label={calendar}
            write={write}
            onChoose={onDay}
          />
        </ChartFrame>
      )}
      <div class="usage-columns">
        {ranking.data && (
          <TopOf
            usage={ranking.data.usage}
            csv={addressOf("usage.csv", ranked)}
            measured={measured}
            write={write}
          />
        )}
        {sessions.data && (
          <TopSessions
            usage={sessions.data.usage}
            csv={addressOf("usage.csv", costliest)}
            onOnly={(id) => setParams({ session: id })}
          />
        )}
        {tools.data && <Tools usage={tools.data.usage} csv={addressOf("usage.csv", byTool)} />}
      </div>
    </main>
  );
}

type Rows = UsageAnswer["usage"]["rows"];

/** As suits the days of the range: undefined until it is known how many there are. */
function periodFor({ since, until }: Choice, days: Rows): Period | undefined {
  const timed = days.flatMap(({ key }) => key.day ?? []);
  const first = since ?? timed[0];
  const end = until ?? timed.at(-1);
  if (first === undefined || end === undefined) return since && until ? "day" : undefined;
  return usualPeriod(Math.round((Date.parse(end) - Date.parse(first)) / 86_400_000));
}
