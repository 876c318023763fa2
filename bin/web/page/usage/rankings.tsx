import type { ComponentChildren } from "preact";
import {
  createCostFormatter,
  formatDuration,
  formatPercent,
  formatShortNumber,
} from "../../../format/numbers.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import "../charts/ranking.css";
import { chooseColors, type SeriesColor } from "../charts/series.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { NoCost } from "../shell/no-cost.tsx";
import type { AmountFormatter } from "./amounts.ts";
import { ChartFrame } from "./chart-frame.tsx";
import { createNameFormatter, type Row } from "./names.ts";
import { toSessionsUrl } from "./session-links.ts";
import { type ListName, ShowAll, useOpened } from "./show-all.tsx";
import type { UsageResult } from "./usage-query.tsx";
import type { UsageState } from "./usage-state.ts";
import type { Figures } from "./usage-table.tsx";

/** Number of rows until a ranking is opened. */
const MAX_RANKED = 10;
/** The same for sessions: on most screens, their card is beside two others. */
export const MAX_RANKED_SESSIONS = 14;
/** Maximum number of rows of an opened ranking. */
export const MAX_OPENED = 1000;

interface RankedChartProps extends UsageResult {
  title: string;
  label?: string;
  rows: readonly Row[];
  rankBy: (row: Row) => number;
  /** The color of a row's bar; by default the first one. */
  colorOf?: (row: Row) => SeriesColor | undefined;
  /** Identifies the ranking in the address. */
  list: ListName;
  /** What is ranked. */
  noun: string;
  /** Number of rows until it is opened. */
  maxRanked?: number;
  /** The number of rows, if `rows` has only the largest. */
  rowCount?: number;
  /** Leads to what is beyond `MAX_OPENED`. */
  more?: ComponentChildren;
  /** A row's name and its value in words, and details after it, in a muted color. */
  toRanked: (row: Row) => {
    key: string;
    name: ComponentChildren;
    text: ComponentChildren;
    more: ComponentChildren;
  };
}

/** The largest rows of a breakdown: horizontal bars with their values as text. */
function RankedChart({ title, label = title, rows, rankBy, colorOf, toRanked, ...props }: RankedChartProps) {
  const { list, noun, maxRanked = MAX_RANKED, rowCount = rows.length, more: beyond, usage, params } = props;
  const [isOpen] = useOpened(list);
  const largest = rows.toSorted((a, b) => rankBy(b) - rankBy(a)).slice(0, isOpen ? MAX_OPENED : maxRanked);
  const max = Math.max(0, ...largest.map(rankBy));
  return (
    <ChartFrame {...{ title, usage, params }}>
      {rows.length === 0 && <p class="quiet">No {noun}s in this range.</p>}
      <ol class="ranking" aria-label={label}>
        {largest.map((row) => {
          const { key, name, text, more } = toRanked(row);
          return (
            <li key={key}>
              <span class="ranking-name">{name}</span>
              <span class="ranking-value">{text}</span>
              <span class="ranking-bar" aria-hidden="true">
                <span
                  style={{
                    width: `${rankBy(row) > 0 ? Math.max(0.5, (rankBy(row) / max) * 100) : 0}%`,
                    background: `var(--series-${colorOf?.(row) ?? 1})`,
                  }}
                />
              </span>
              <span class="ranking-more">{more}</span>
            </li>
          );
        })}
      </ol>
      {rowCount > maxRanked && (
        <p class="chart-actions">
          <ShowAll name={list} all={formatCount(rowCount, noun)} />
          {isOpen && rowCount > MAX_OPENED && beyond}
        </p>
      )}
    </ChartFrame>
  );
}

interface RankingProps extends UsageResult {
  choice: UsageState;
}

interface TopOfProps extends RankingProps {
  /** The rows of all time, the costliest first: they choose the colors. */
  ranked: readonly Row[];
  measured: (figures: Figures) => number;
  createFormatter: AmountFormatter;
}

/** The largest values of a breakdown. */
export function TopValues({ ranked, measured, createFormatter, choice, ...answered }: TopOfProps) {
  const { usage } = answered;
  const [by] = usage.by;
  if (by === undefined) return null;
  const nameOf = createNameFormatter(usage.rows, by);
  const all = measured(usage.total); // includes rows beyond the limit
  // Responses without a recorded cost are listed too: their models would seem unused.
  const isListed = (row: Row) => measured(row) > 0 || (choice.measure === "cost" && row.messages > 0);
  const rows = usage.rows.filter(isListed).toSorted((a, b) => measured(b) - measured(a));
  const write = createFormatter(rows[0] ? measured(rows[0]) : 0);
  const colors = chooseColors(rows.map(nameOf), ranked.map(nameOf));
  return (
    <RankedChart
      {...answered}
      title={`By ${by}`}
      list="values"
      noun={by}
      rows={rows}
      rankBy={measured}
      colorOf={(row) => colors.get(nameOf(row))}
      toRanked={(row) => ({
        key: row.key[by] ?? "",
        name: <Name name={nameOf(row)} link={toSessionsUrl(choice, { [by]: row.key[by] ?? null }, choice)} />,
        text: measured(row) > 0 ? write(measured(row)) : <NoCost />,
        more: [
          measured(row) > 0 && formatPercent(measured(row) / all),
          row.messages > 0 || (row.key[by] ?? null) !== null
            ? formatCount(row.messages, "model response")
            : `usage recorded without a ${by}`,
          row.messages > 0 &&
            row.cacheHitRate !== undefined &&
            `${formatPercent(row.cacheHitRate)} cache hits`,
        ]
          .filter(Boolean)
          .join(" · "),
      })}
    />
  );
}

/** Calls and failure rates by tool. */
export function ToolRanking({ choice, ...answered }: RankingProps) {
  const rows = answered.usage.rows.filter(({ key, toolCalls }) => key.tool !== null && toolCalls > 0);
  const nameOf = createNameFormatter(rows, "tool");
  return (
    <RankedChart
      {...answered}
      title="Tools"
      label="Calls by tool"
      list="tools"
      noun="tool"
      rows={rows}
      rankBy={({ toolCalls }) => toolCalls}
      toRanked={(row) => ({
        key: row.key.tool ?? "",
        name: (
          <Name name={nameOf(row)} link={toSessionsUrl(choice, { tool: row.key.tool ?? null }, choice)} />
        ),
        text: formatCount(row.toolCalls, "call"),
        more: (
          <>
            <span class={row.toolFailureRate && row.toolFailureRate >= 0.1 ? "tool-fails" : undefined}>
              {row.failedToolCalls === 0 ? "none" : formatInteger(row.failedToolCalls)} failed
              {row.failedToolCalls > 0 &&
                row.toolFailureRate !== undefined &&
                ` (${formatPercent(row.toolFailureRate)})`}
            </span>
            {row.toolMs > 0 && ` · ${formatDuration(row.toolMs)}`}
          </>
        ),
      })}
    />
  );
}

interface TopSessionsProps extends RankingProps {
  onOnly: (session: string) => void;
}

/** The costliest sessions, including their subagents. */
export function TopSessions({ choice, onOnly, ...answered }: TopSessionsProps) {
  const all = toSessionsUrl(choice, {}, choice);
  const formatCost = createCostFormatter(
    answered.usage.rows.reduce((max, { costUsd }) => Math.max(max, costUsd), 0),
  );
  return (
    <RankedChart
      {...answered}
      title="Costliest sessions"
      list="sessions"
      noun="session"
      maxRanked={MAX_RANKED_SESSIONS}
      rows={answered.usage.rows}
      rowCount={answered.usage.rowCount}
      more={
        all && (
          <a class="button" href={all}>
            Search all
          </a>
        )
      }
      rankBy={({ costUsd }) => costUsd}
      toRanked={({ key, session, costUsd, messages, tokens }) => ({
        key: key.session ?? "",
        name: session ? (
          <a href={sessionUrl(toUrlName(session))}>
            <bdi>{getSessionTitle(session)}</bdi>
          </a>
        ) : (
          "(not recorded)"
        ),
        text: costUsd > 0 ? formatCost(costUsd) : <NoCost />,
        more: (
          <>
            {formatCount(messages, "model response")} · {formatShortNumber(tokens.total)} tokens
            {session && choice.session === "" && (
              <button
                type="button"
                class="link ranking-action"
                aria-label={`Filter to this session: ${getSessionTitle(session)}`}
                onClick={() => onOnly(session.id)}
              >
                Filter to this session
              </button>
            )}
          </>
        ),
      })}
    />
  );
}

/** A value that leads to its sessions, if they can be searched for. */
function Name({ name, link }: { name: string; link: string | undefined }) {
  if (link === undefined) return <bdi>{name}</bdi>;
  return (
    <a href={link}>
      <bdi>{name}</bdi>
    </a>
  );
}
