import { createCostFormatter, formatShortNumber } from "../../../format/numbers.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { Answers } from "../../api/answers.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { NoCost } from "../shell/no-cost.tsx";
import { NumbersTable } from "../shell/numbers-table.tsx";
import { toHeading } from "./names.ts";
import { isCostUnknown } from "./unknown-cost.ts";
import type { Figures } from "./usage-table.tsx";

export type Spend = Answers["spend"]["spend"];

type Row = [name: string, figures: Figures];

const COLUMNS = ["Spent", "Cost", "Tokens"].map((name) => ({ name, isNumber: name !== "Spent" }));

/** What one session spent, regardless of the range: itself, its subagents and forks, and costs inherited with copied entries. */
export function SessionSpend({ spend, onAll }: { spend: Spend; onAll: () => void }) {
  const { session, own, subagents, withSubagents, forks, withChildren, inherited, inheritedFrom } = spend;
  const toRow = (kind: string, each: (typeof forks)[number]): Row => [
    `${kind}: ${getSessionTitle(each.session)}`,
    each.figures,
  ];
  const rows: Row[] = [
    ["own", own],
    ...subagents.map((each) => toRow("subagent", each)),
    ["with subagents", withSubagents],
    ...forks.map((each) => toRow("fork", each)),
    ...(forks.length > 0 ? [["with subagents and forks", withChildren] satisfies Row] : []),
    ["inherited (not included above)", inherited],
  ];
  const formatCost = createCostFormatter(Math.max(...rows.map(([, { costUsd }]) => costUsd)));
  return (
    <section class="card chart" aria-labelledby="session-spend">
      <header class="chart-head">
        <h2 id="session-spend">
          <a href={sessionUrl(toUrlName(session))}>
            <bdi>{getSessionTitle(session)}</bdi>
          </a>
        </h2>
        <button type="button" class="button" onClick={onAll}>
          All sessions
        </button>
      </header>
      <NumbersTable caption="Total spending of this session" columns={COLUMNS}>
        <tbody>
          {rows.map(([name, figures], n) => (
            <tr key={n} data-part={name} data-cost={figures.costNanoUsd}>
              <th scope="row">
                <bdi>{toHeading(name)}</bdi>
              </th>
              <td class="number">{isCostUnknown(figures) ? <NoCost /> : formatCost(figures.costUsd)}</td>
              <td class="number">{formatShortNumber(figures.tokens.total)}</td>
            </tr>
          ))}
          {inheritedFrom.map((each) => (
            <tr key={each.session.path}>
              <th scope="row">From {getSessionTitle(each.session)}</th>
              <td class="number">{formatCost(each.costUsd)}</td>
              <td />
            </tr>
          ))}
        </tbody>
      </NumbersTable>
    </section>
  );
}
