import { dollars, duration, percent, shortNumber } from "../../../format/numbers.ts";
import { counted, grouped } from "../../../format/safe.ts";
import { titleOf } from "../../../format/titles.ts";
import type { UsageAnswer } from "../../api/answers.ts";
import { ChartFrame } from "../charts/chart-frame.tsx";
import { Ranking } from "../charts/ranking.tsx";
import { nameInAddress, sessionAddress } from "../shell/address.ts";
import { namesOf, type Row } from "./names.ts";
import { UsageTable } from "./usage-table.tsx";

type Report = UsageAnswer["usage"];

interface RankingProps {
  usage: Report;
  csv: string;
  measured: (figures: Report["total"]) => number;
  write: (value: number) => string;
}

const MOST = 10;

/** Which of them cost most. */
export function TopOf({ usage, csv, measured, write }: RankingProps) {
  const [by] = usage.by;
  if (by === undefined) return null;
  const title = `By ${by}`;
  const nameOf = namesOf(usage.rows, by);
  const all = measured(usage.total); // also of rows that a limit left out
  const spending = usage.rows.filter((row) => measured(row) > 0);
  const rows = spending.toSorted((a, b) => measured(b) - measured(a)).slice(0, MOST);
  return (
    <ChartFrame title={title} csv={csv} table={() => <UsageTable usage={usage} caption={title} />}>
      <Ranking
        label={title}
        rows={rows.map((row) => ({
          key: row.key[by] ?? "",
          name: <bdi>{nameOf(row)}</bdi>,
          value: measured(row),
          text: write(measured(row)),
          more: [
            all > 0 && percent(measured(row) / all),
            counted(row.messages, "answer"),
            row.cacheHitRate !== undefined && `${percent(row.cacheHitRate)} from the cache`,
          ]
            .filter(Boolean)
            .join(" · "),
        }))}
      />
      {spending.length > MOST && <More count={spending.length - MOST} />}
    </ChartFrame>
  );
}

function More({ count }: { count: number }) {
  return <p class="chart-note">{grouped(count)} more are in the table.</p>;
}

/** How often tools were called, and how often they failed. */
export function Tools({ usage, csv }: Pick<RankingProps, "usage" | "csv">) {
  const title = "Tools";
  const named = usage.rows.filter(({ key, toolCalls }) => key.tool !== null && toolCalls > 0);
  const nameOf = namesOf(named, "tool");
  const rows = named.toSorted((a, b) => b.toolCalls - a.toolCalls).slice(0, MOST);
  return (
    <ChartFrame title={title} csv={csv} table={() => <UsageTable usage={usage} caption={title} />}>
      <Ranking
        label="Calls by tool"
        rows={rows.map((row) => ({
          key: row.key.tool ?? "",
          name: <bdi>{nameOf(row)}</bdi>,
          value: row.toolCalls,
          text: counted(row.toolCalls, "call"),
          more: <ToolFacts row={row} />,
        }))}
      />
      {named.length > MOST && <More count={named.length - MOST} />}
    </ChartFrame>
  );
}

function ToolFacts({ row }: { row: Row }) {
  const { failedToolCalls, toolFailureRate, toolMs } = row;
  return (
    <>
      <span class={toolFailureRate && toolFailureRate >= 0.1 ? "tool-fails" : undefined}>
        {grouped(failedToolCalls)} failed
        {toolFailureRate === undefined ? "" : ` (${percent(toolFailureRate)})`}
      </span>
      {toolMs > 0 && ` · ${duration(toolMs)}`}
    </>
  );
}

export interface TopSessionsProps extends Pick<RankingProps, "usage" | "csv"> {
  onOnly: (session: string) => void;
}

/** The sessions that cost most, with their subagents. */
export function TopSessions({ usage, csv, onOnly }: TopSessionsProps) {
  const title = "Costliest sessions";
  return (
    <ChartFrame title={title} csv={csv} table={() => <UsageTable usage={usage} caption={title} />}>
      <Ranking
        label={title}
        rows={usage.rows.map((row) => ({
          key: row.key.session ?? "",
          name: row.session ? (
            <a href={sessionAddress(nameInAddress(row.session))}>
              <bdi>{titleOf(row.session)}</bdi>
            </a>
          ) : (
            "(not recorded)"
          ),
          value: row.costUsd,
          text: dollars(row.costUsd),
          more: (
            <>
              {counted(row.messages, "answer")} · {shortNumber(row.tokens.total)} tokens
              {row.session && (
                <>
                  {" · "}
                  <button
                    type="button"
                    class="link"
                    aria-label={`only this: ${titleOf(row.session)}`}
                    onClick={() => onOnly(row.session?.id ?? "")}
                  >
                    only this
                  </button>
                </>
              )}
            </>
          ),
        }))}
      />
    </ChartFrame>
  );
}
