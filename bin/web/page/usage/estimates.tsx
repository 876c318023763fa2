import { formatDollars, formatShortNumber } from "../../../format/numbers.ts";
import { toOneLine } from "../../../format/safe.ts";
import { UsageQuery } from "./usage-query.tsx";
import { toBreakdownParams, type UsageState } from "./usage-state.ts";

/** What usage without a recorded cost would have cost, apart from all costs. Nothing if all usage has a cost. */
export function Estimates({ choice }: { choice: UsageState }) {
  return (
    <UsageQuery params={toBreakdownParams(choice, [], { estimates: true })}>
      {({ usage: { total, unpricedModels = [] } }) => {
        const { estimatedUsd = 0, unpricedTokens = 0 } = total;
        if (estimatedUsd === 0 && unpricedTokens === 0) return null;
        const names = unpricedModels.map(({ model }) => toOneLine(model ?? "model not recorded"));
        return (
          <p class="quiet estimates" data-value={estimatedUsd}>
            {estimatedUsd > 0 &&
              `Estimated: about ${formatDollars(estimatedUsd)} for usage without a recorded cost, by published prices. Not part of any cost here. `}
            {unpricedTokens > 0 && (
              <>
                No price known for {formatShortNumber(unpricedTokens)} tokens of <bdi>{names.join(", ")}</bdi>
                .
              </>
            )}
          </p>
        );
      }}
    </UsageQuery>
  );
}
