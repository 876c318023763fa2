import { formatDollars, formatShortNumber } from "../../../format/numbers.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { useAnswer } from "../shell/api.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import type { Figures } from "./usage-table.tsx";

interface Props {
  /** An id or path. */
  session: string;
  version: number;
  onAll: () => void;
}

/** What one session spent, regardless of the range: itself, its subagents and forks, and costs inherited with copied entries. */
export function SessionSpend({ session: name, version, onAll }: Props) {
  const { data, error } = useAnswer("spend", { session: name }, version);
  if (error !== undefined) return <ErrorMessage error={error} />;
  if (!data) return null;
  const { session, own, subagents, withSubagents, forks, withChildren, inherited, inheritedFrom } =
    data.spend;
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
      <table class="numbers">
        <caption class="unseen">Total spending of this session</caption>
        <thead>
          <tr>
            <th scope="col">Spent</th>
            <th scope="col" class="number">
              Cost
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          <Line name="own" figures={own} />
          {subagents.map((each) => (
            <Line
              key={each.session.path}
              name={`subagent: ${getSessionTitle(each.session)}`}
              figures={each.figures}
            />
          ))}
          <Line name="with subagents" figures={withSubagents} />
          {forks.map((each) => (
            <Line
              key={each.session.path}
              name={`fork: ${getSessionTitle(each.session)}`}
              figures={each.figures}
            />
          ))}
          {forks.length > 0 && <Line name="with children" figures={withChildren} />}
          <Line name="inherited (not included above)" figures={inherited} />
          {inheritedFrom.map((each) => (
            <tr key={each.session.path}>
              <th scope="row">from {getSessionTitle(each.session)}</th>
              <td class="number">{formatDollars(each.costUsd)}</td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Line({ name, figures }: { name: string; figures: Figures }) {
  return (
    <tr data-part={name} data-cost={figures.costNanoUsd}>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td class="number">{formatDollars(figures.costUsd)}</td>
      <td class="number">{formatShortNumber(figures.tokens.total)}</td>
    </tr>
  );
}
