import { type ComponentChildren, Fragment, toChildArray } from "preact";
import type { UsageDimension, UsageOptions } from "../../../../library/index.ts";
import {
  formatCents,
  formatDollars,
  formatDuration,
  formatPercent,
  formatShortNumber,
} from "../../../format/numbers.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { formatRange } from "../charts/days.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import { NoCost } from "../shell/no-cost.tsx";
import { HINTS } from "./hints.ts";
import { describeEarlierRange, findEarlierRange } from "./ranges.ts";
import { toSessionsUrl } from "./session-links.ts";
import type { Spend } from "./session-spend.tsx";
import { isCostUnknown } from "./unknown-cost.ts";
import { toBreakdownParams, type UsageState } from "./usage-state.ts";

interface Props {
  choice: UsageState;
  /** Of the selected session. */
  spend: Spend | undefined;
  /** The first day with usage. */
  firstDay: string | undefined;
}

/** The main figures. `data-value` has the exact values. */
export function Cards({ choice, spend, firstDay }: Props) {
  const version = useVersion();
  const useUsage = (by: UsageDimension[], more: Partial<UsageOptions> = {}) =>
    useAnswer("usage", toBreakdownParams(choice, by, more), version);
  const all = useUsage([]);
  const total = all.data?.usage.total;
  const sessions = useUsage(["session"], { limit: 1 }).data?.usage.rowCount;
  const own = useUsage([], { subagents: "no" }).data?.usage.total;
  const subagents = useUsage([], { subagents: "only" }).data?.usage.total;
  const change = useChange(choice, total?.costUsd, firstDay);
  if (all.error !== undefined) return <ErrorMessage error={all.error} />;
  const tokens = total?.tokens;
  return (
    <dl class="cards">
      <Card
        name="Cost"
        value={total && (isCostUnknown(total) ? <NoCost /> : formatDollars(total.costUsd))}
        data={total?.costNanoUsd}
        beside={
          change && (
            <span class="figure-change" title={`Compared with ${change.days}`}>
              <span aria-hidden="true">{change.arrow} </span>
              {change.percent}
              <span class="unseen"> {change.direction}</span>
            </span>
          )
        }
      >
        {change && `vs. ${formatDollars(change.earlierUsd)} ${change.when}`}
        {total?.costPerMessageUsd !== undefined &&
          !isCostUnknown(total) &&
          `${formatDollars(total.costPerMessageUsd)} per response`}
      </Card>
      <Card
        name="Tokens"
        hint={`Input: ${HINTS.input} Output: ${HINTS.output}`}
        value={tokens && formatShortNumber(tokens.total)}
        data={tokens?.total}
      >
        {tokens && `${formatShortNumber(tokens.input)} input`}
        {tokens && `${formatShortNumber(tokens.output)} output`}
        {tokens && `${formatShortNumber(tokens.cacheRead + tokens.cacheWrite)} cache`}
      </Card>
      <Card
        name="Cache hits"
        hint={HINTS.cacheHits}
        value={total && (total.cacheHitRate === undefined ? "–" : formatPercent(total.cacheHitRate))}
        data={total?.cacheHitRate}
      >
        {tokens && `${formatShortNumber(tokens.cacheRead)} read`}
        {tokens && `${formatShortNumber(tokens.cacheWrite)} written`}
      </Card>
      <Card
        name="Sessions"
        hint={`Responses: ${HINTS.responses} Turns: ${HINTS.turns}`}
        link={sessions ? toSessionsUrl(choice, {}, choice) : undefined}
        value={sessions === undefined ? undefined : formatInteger(sessions)}
        data={sessions}
      >
        {total && formatCount(total.messages, "response")}
        {total?.turns !== undefined && formatCount(total.turns, "turn")}
      </Card>
      <Card
        name="Without subagents"
        hint={HINTS.subagents}
        value={own && (isCostUnknown(own) ? <NoCost /> : formatCents(own.costUsd))}
        data={own && subagents && `${own.costNanoUsd} ${subagents.costNanoUsd}`}
      >
        {subagents && !isCostUnknown(subagents) && `${formatCents(subagents.costUsd)} by subagents`}
        {spend && `${formatDollars(spend.inherited.costUsd)} inherited, not included`}
      </Card>
      <Card name="Tool calls" value={total && formatShortNumber(total.toolCalls)} data={total?.toolCalls}>
        {total &&
          (total.toolFailureRate === undefined
            ? "no results"
            : `${formatPercent(total.toolFailureRate)} failed`)}
        {total && `${formatDuration(total.toolMs)} in all`}
      </Card>
    </dl>
  );
}

/** How the cost differs from that of the range before. More isn't worse: it has no color. */
function useChange(choice: UsageState, costUsd: number | undefined, firstDay: string | undefined) {
  const { since, until } = choice;
  const range = since !== undefined && until !== undefined ? { since, until } : undefined;
  const shifted = range && findEarlierRange(range, choice.range === "month");
  // A range that began before the first usage would make any increase look huge.
  const before = shifted && firstDay !== undefined && firstDay <= shifted.since ? shifted : undefined;
  const answer = useAnswer(
    before ? "usage" : undefined,
    before ? toBreakdownParams({ ...choice, ...before }, []) : {},
    useVersion(),
  );
  const earlierUsd = answer.data?.usage.total.costUsd;
  if (!before || costUsd === undefined || !earlierUsd) return undefined;
  const change = (costUsd - earlierUsd) / earlierUsd;
  const [arrow, direction] = change === 0 ? ["", "change"] : change > 0 ? ["↑", "more"] : ["↓", "less"];
  return {
    ...{ earlierUsd, arrow, direction },
    percent: formatPercent(Math.abs(change)),
    when: describeEarlierRange(before, choice.range === "month"),
    days: formatRange(before.since, before.until),
  };
}

interface CardProps {
  name: string;
  value: ComponentChildren;
  data: number | string | undefined;
  /** What the figures mean. */
  hint?: string;
  /** Where the value leads. */
  link?: string | undefined;
  /** What is shown after the value. */
  beside?: ComponentChildren;
  children: ComponentChildren;
}

function Card({ name, value, data, hint, link, beside, children }: CardProps) {
  const parts = toChildArray(children).filter((child) => child !== "");
  return (
    <div class="card figure-card" title={hint}>
      <dt>{name}</dt>
      <dd class="figure" data-figure={name} data-value={data}>
        {link === undefined ? (value ?? "…") : <a href={link}>{value ?? "…"}</a>}
        {beside}
      </dd>
      <dd class="figure-more">
        {parts.length === 0 && "\u00a0"}
        {parts.map((part, n) => (
          <Fragment key={n}>
            {n > 0 && " "}
            <span>{part}</span>
          </Fragment>
        ))}
      </dd>
    </div>
  );
}
