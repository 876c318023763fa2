import type { ComponentChildren } from "preact";
import type { UsageDimension, UsageOptions } from "../../../../library/index.ts";
import { dollars, duration, percent, shortNumber } from "../../../format/numbers.ts";
import { counted, grouped } from "../../../format/safe.ts";
import type { SpendAnswer, UsageAnswer } from "../../api/answers.ts";
import { useAnswer } from "../shell/ask.ts";
import { Trouble } from "../shell/trouble.tsx";
import { broken, type Choice } from "./choice.ts";

/** The main figures. `data-value` has the exact values. */
export function Cards({ choice, version }: { choice: Choice; version: number }) {
  const useUsage = (by: UsageDimension[], more: Partial<UsageOptions> = {}) =>
    useAnswer<UsageAnswer>("usage", broken(choice, by, more), version);
  const all = useUsage([]);
  const total = all.data?.usage.total;
  const sessions = useUsage(["session"], { limit: 1 }).data?.usage.rowCount;
  const own = useUsage([], { subagents: "no" }).data?.usage.total;
  const subagents = useUsage([], { subagents: "only" }).data?.usage.total;
  const { session } = choice;
  const spend = useAnswer<SpendAnswer>(session === "" ? undefined : "spend", { session }, version);
  const inherited = session === "" ? undefined : spend.data?.spend.inherited;
  if (all.error !== undefined) return <Trouble error={all.error} />;
  const tokens = total?.tokens;
  return (
    <dl class="cards">
      <Card name="Cost" value={total && dollars(total.costUsd)} data={total?.costNanoUsd}>
        {total?.costPerMessageUsd !== undefined && `${dollars(total.costPerMessageUsd)} per response`}
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
          `${counted(total.messages, "model response")}${total.turns === undefined ? "" : ` · ${counted(total.turns, "turn")}`}`}
      </Card>
      <Card
        name="Main sessions · subagents"
        value={own && subagents && `${dollars(own.costUsd)} · ${dollars(subagents.costUsd)}`}
        data={own && subagents && `${own.costNanoUsd} ${subagents.costNanoUsd}`}
      >
        {inherited ? `${dollars(inherited.costUsd)} inherited, not included` : "shared history counted once"}
      </Card>
      <Card name="Tool calls" value={total && shortNumber(total.toolCalls)} data={total?.toolCalls}>
        {total &&
          `${total.toolFailureRate === undefined ? "no results" : `${percent(total.toolFailureRate)} failed`} · ${duration(total.toolMs)}`}
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
