import { formatCents } from "../../../format/numbers.ts";
import { toOneLine } from "../../../format/safe.ts";
import { NoCost } from "../shell/no-cost.tsx";
import { RowLink } from "./row-link.tsx";

interface Props {
  /** Address of the session. */
  href: string;
  /** Of the whole session; undefined if it is not known yet. */
  costUsd: number | undefined;
  isDated: boolean;
  rangeCostUsd: number | undefined;
  rangeModel: string | undefined;
}

/** What a session cost: in all, or in the selected days. */
export function ResultCost({ costUsd, isDated, rangeCostUsd, rangeModel, href }: Props) {
  if (costUsd === undefined) return null;
  const whole = costUsd > 0 && formatCents(costUsd);
  const none = (
    <NoCost class="result-cost result-cost-none">
      <RowLink href={href} />
    </NoCost>
  );
  if (!isDated) return whole ? <span class="result-cost">{whole}</span> : none;
  if (rangeCostUsd === undefined)
    return whole ? (
      <span class="result-cost">
        {whole}
        <span class="result-unit"> in all</span>
      </span>
    ) : (
      none
    );
  if (!whole && rangeCostUsd === 0) return none;
  const what = rangeModel === undefined ? "Cost" : `Cost of ${toOneLine(rangeModel)}`;
  return (
    <span
      class="result-cost"
      title={`${what} on the selected days, subagents included. The whole session without them: ${formatCents(costUsd)}`}
    >
      {formatCents(rangeCostUsd)}
      <span class="result-unit"> in range</span>
      <RowLink href={href} />
    </span>
  );
}
