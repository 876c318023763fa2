import { useMemo } from "preact/hooks";
import { dollars, shortNumber } from "../../../format/numbers.ts";
import { counted } from "../../../format/safe.ts";
import type { UsageAnswer } from "../../api/answers.ts";
import { CalendarHeatmap } from "../charts/calendar-heatmap.tsx";
import { DateHistogram } from "../charts/date-histogram.tsx";
import "../design/numbers.css";
import { useParams } from "../shell/address.ts";
import { type Asked, useAnswer } from "../shell/ask.ts";
import { useVersion } from "../shell/changes.ts";
import { Trouble } from "../shell/trouble.tsx";
import { Ask } from "./ask.tsx";
import { Budget } from "./budget.tsx";
import { Cards } from "./cards.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import { broken, type Choice, type Period, readChoice, usualPeriod, WEEK_DAYS, whose } from "./choice.ts";
import { Controls } from "./controls.tsx";
import { OverTime } from "./over-time.tsx";
import { Tools, TopOf, TopSessions } from "./rankings.tsx";
import { SessionSpend } from "./session-spend.tsx";

import "./usage.css";
import type { Figures, Report } from "./usage-table.tsx";
import { dayIn, plusDays } from "./zone-days.ts";

const costOf = ({ costUsd }: Figures) => costUsd;
const tokensOf = ({ tokens }: Figures) => tokens.total;
/** Maximum number of rows for the chart over time. */
const MAX_ROWS = 10_000;

/** Token usage and cost. The address contains all options. */
export function UsageView() {
  const [params, setParams] = useParams();
  const choice = readChoice(params, Date.now());
  const { measure, by, session, timeZone } = choice;
  const version = useVersion();
  const everyDay: Asked = { ...whose(choice), by: ["day"] };
  const days = useAnswer<UsageAnswer>("usage", everyDay, version);
  const dayRows = days.data?.usage.rows ?? [];
  const period = choice.period ?? periodFor(choice, dayRows);
  const crossed = period && broken(choice, [period, by], { limit: MAX_ROWS });

  const measured = measure === "cost" ? costOf : tokensOf;
  const write = measure === "cost" ? dollars : shortNumber;
  const onDay = (day: string) => setParams({ since: day, until: plusDays(day, 1), range: "" });
  const counts = useMemo(
    () => dayRows.map(({ key, messages }) => ({ day: key.day ?? "", count: messages })),
    [dayRows],
  );
  const spent = useMemo(
    () => new Map(dayRows.map((row) => [row.key.day ?? "", measured(row)])),
    [dayRows, measured],
  );
  const today = dayIn(timeZone, Date.now());
  // The calendar keeps its year while days of it are selected.
  const isEarlier = choice.until !== undefined && choice.until <= plusDays(today, -360);
  const last = isEarlier && choice.until ? plusDays(choice.until, -1) : today;
  const calendar = `${measure === "cost" ? "Cost" : "Tokens"} by day, one year`;
  const unread = days.data?.usage.unreadFiles ?? 0;
  return (
    <main class="usage" aria-busy={days.isWaiting}>
      <h1>Usage</h1>
      <Controls choice={choice} period={period ?? "day"} onChange={setParams} />
      <DateHistogram
        days={counts}
        what="model responses"
        range={{ since: choice.since, until: choice.until }}
        onRange={(range) =>
          setParams(range ? { ...range, range: "" } : { since: "", until: "", range: "all" })
        }
      />
      {days.error !== undefined && <Trouble error={days.error} />}
      {unread > 0 && <p class="quiet">Not included yet: {counted(unread, "file")} still being indexed.</p>}
      <Cards choice={choice} version={version} />
      {choice.budget !== "" && (
        <Ask params={{ ...whose(choice), budget: choice.budget }} version={version}>
          {({ usage }) => <Budget usage={usage} />}
        </Ask>
      )}
      {session !== "" && (
        <SessionSpend session={session} version={version} onAll={() => setParams({ session: "" })} />
      )}
      <div class="usage-main">
        {crossed && (
          <Ask params={crossed} version={version}>
            {(answered) => <OverTime {...answered} {...{ choice, measured, write, onDay }} />}
          </Ask>
        )}
      </div>
      {days.data && (
        <ChartFrame title={calendar} usage={days.data.usage} params={everyDay} caption="By day, all time">
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
        <Ask params={broken(choice, [by])} version={version}>
          {(answered) => <TopOf {...answered} {...{ measured, write }} />}
        </Ask>
        <Ask params={broken(choice, ["session"], { limit: 10 })} version={version}>
          {(answered) => <TopSessions {...answered} onOnly={(id) => setParams({ session: id })} />}
        </Ask>
        <Ask params={broken(choice, ["tool"])} version={version}>
          {(answered) => <Tools {...answered} />}
        </Ask>
      </div>
    </main>
  );
}

/** The default period for the range; undefined until its length is known. */
function periodFor({ since, until }: Choice, days: Report["rows"]): Period | undefined {
  const dated = days.flatMap(({ key }) => key.day ?? []);
  const first = since ?? dated[0];
  const end = until ?? dated.at(-1);
  if (first === undefined || end === undefined) return since && until ? "day" : undefined;
  return usualPeriod(Math.round((Date.parse(end) - Date.parse(first)) / 86_400_000));
}
