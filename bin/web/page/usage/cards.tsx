import type { ComponentChildren } from "preact";
import { dollars, duration, percent, shortNumber } from "../../../wording/numbers.ts";
import { counted, grouped } from "../../../wording/safe.ts";
import { timesIn } from "../../../wording/times.ts";
import type { UsageAnswer } from "../../api/answers.ts";

type Report = UsageAnswer["usage"];
export type Figures = Report["total"];

export interface CardsProps {
  total: Figures | undefined;
  sessions: number | undefined;
  own: Figures | undefined;
  subagents: Figures | undefined;
  /** Of one session: what it holds copies of. */
  inherited: Figures | undefined;
}

/** The few numbers that say most of it. Each has in its data what it was made of, exactly. */
export function Cards({ total, sessions, own, subagents, inherited }: CardsProps) {
  const tokens = total?.tokens;
  return (
    <dl class="cards">
      <Card name="Cost" value={total && dollars(total.costUsd)} data={total?.costNanoUsd}>
        {total?.costPerMessageUsd !== undefined && `${dollars(total.costPerMessageUsd)} a message`}
      </Card>
      <Card name="Tokens" value={tokens && shortNumber(tokens.total)} data={tokens?.total}>
        {tokens && `${shortNumber(tokens.input)} in · ${shortNumber(tokens.output)} out`}
      </Card>
      <Card
        name="Cache hits"
        value={total && (total.cacheHitRate === undefined ? "–" : percent(total.cacheHitRate))}
        data={total?.cacheHitRate}
      >
        {tokens && `${shortNumber(tokens.cacheRead)} read · ${shortNumber(tokens.cacheWrite)} written`}
      </Card>
      <Card name="Sessions" value={sessions === undefined ? undefined : grouped(sessions)} data={sessions}>
        {total &&
          `${counted(total.messages, "answer")}${total.turns === undefined ? "" : ` · ${counted(total.turns, "turn")}`}`}
      </Card>
      <Card
        name="Own · subagents"
        value={own && subagents && `${dollars(own.costUsd)} · ${dollars(subagents.costUsd)}`}
        data={own && subagents && `${own.costNanoUsd} ${subagents.costNanoUsd}`}
      >
        {inherited ? `${dollars(inherited.costUsd)} inherited, not in here` : "copies in forks count once"}
      </Card>
      <Card name="Tool calls" value={total && shortNumber(total.toolCalls)} data={total?.toolCalls}>
        {total &&
          `${total.toolFailureRate === undefined ? "none answered" : `${percent(total.toolFailureRate)} failed`} · ${duration(total.toolMs)}`}
      </Card>
    </dl>
  );
}

interface CardProps {
  name: string;
  value: string | undefined;
  data: number | string | undefined;
  children: ComponentChildren;
}

function Card({ name, value, data, children }: CardProps) {
  return (
    <div class="card figure-card">
      <dt>{name}</dt>
      <dd class="figure" data-figure={name} data-value={data}>
        {value ?? "…"}
      </dd>
      <dd class="figure-more">{children || "\u00a0"}</dd>
    </div>
  );
}

/** What is spent of a budget, and where that leads. */
export function Budget({ usage }: { usage: Report }) {
  const { budget, timeZone } = usage;
  if (!budget) return null;
  const { amountUsd, per, spentUsd, share, projectedUsd, until, exhausted } = budget;
  const time = timesIn(timeZone);
  const dayOf = (moment: string | number) => time(new Date(moment)).slice(0, 10);
  const most = Math.max(amountUsd, spentUsd, projectedUsd);
  const part = (value: number) => `${(value / most) * 100}%`;
  const state = share >= 1 ? "over" : projectedUsd > amountUsd ? "soon" : "within";
  return (
    <section class="card budget" aria-label="Budget" data-spent={spentUsd} data-projected={projectedUsd}>
      <p class="budget-words">
        <strong>
          {dollars(spentUsd)} of {dollars(amountUsd)}
        </strong>{" "}
        this {per} ({percent(share)}), projected <strong>{dollars(projectedUsd)}</strong> by{" "}
        {dayOf(Date.parse(until) - 1)}
        {exhausted !== undefined &&
          `, ${share >= 1 ? "used up" : "to be used up"} about ${per === "day" ? time(new Date(exhausted)) : dayOf(exhausted)}`}
      </p>
      <div class={`budget-bar budget-${state}`} aria-hidden="true">
        <span class="budget-projected" style={{ width: part(projectedUsd) }} />
        <span class="budget-spent" style={{ width: part(spentUsd) }} />
        <span class="budget-limit" style={{ left: part(amountUsd) }} />
      </div>
    </section>
  );
}
