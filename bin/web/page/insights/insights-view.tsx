import { useEffect } from "preact/hooks";
import { INSIGHT_DEFINITIONS, INSIGHT_KINDS } from "../../../format/insight-kinds.ts";
import {
  compareTotals,
  describeFinding,
  describeLoss,
  describeOmitted,
  formatProject,
  formatTask,
  formatWork,
  WORK_HEADINGS,
} from "../../../format/insights.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";
import { sessionUrl, toUrlName, useParams } from "../shell/address.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { LoadError } from "../shell/load-error.tsx";
import { NumbersTable } from "../shell/numbers-table.tsx";
import { TableScroll } from "../shell/table-scroll.tsx";
import "../design/numbers.css";
import "./insights.css";

type Report = Answers["insights"]["insights"];

const DEFAULT_PERIOD = "30d";
const LONGEST_PERIOD = "365d";
const PERIODS = ["7d", DEFAULT_PERIOD, "90d", LONGEST_PERIOD];
const LIMIT = 20;
/** Rows of a table. */
const MAX_ROWS = 12;

/** Where work stalls, what works, and what changed. The address contains all options. */
export function InsightsView() {
  const [params, setParams] = useParams();
  const { since = DEFAULT_PERIOD, kind = "", project = "" } = params;
  useEffect(() => {
    document.title = "Insights · pidex";
  }, []);
  const options = { since, limit: LIMIT, ...(kind && { kind: [kind] }), ...(project && { project }) };
  const { data, error, isLoading } = useAnswer("insights", options, useVersion());
  const found = data?.insights;
  return (
    <main class="insights" aria-busy={isLoading}>
      <h1>Insights</h1>
      <form class="insights-options" onSubmit={(event) => event.preventDefault()}>
        <label>
          Period
          <select
            class="field"
            value={since}
            onChange={({ currentTarget }) => setParams({ since: currentTarget.value })}
          >
            {[...new Set([...PERIODS, since])].map((period) => (
              <option key={period} value={period}>
                {/^\d+d$/.test(period) ? `last ${Number.parseInt(period, 10)} days` : period}
              </option>
            ))}
          </select>
        </label>
        <label>
          Findings
          <select
            class="field"
            value={kind}
            onChange={({ currentTarget }) => setParams({ kind: currentTarget.value })}
          >
            <option value="">all kinds</option>
            {INSIGHT_KINDS.map((name) => (
              <option key={name} value={name}>
                {name.replaceAll("-", " ")}
              </option>
            ))}
          </select>
        </label>
        <label>
          Project
          <input
            class="field"
            value={project}
            placeholder="all projects"
            onChange={({ currentTarget }) => setParams({ project: currentTarget.value.trim() })}
          />
        </label>
      </form>
      {error !== undefined && <LoadError error={error} />}
      {!found && error === undefined && <p class="quiet">Counting …</p>}
      {found &&
        (found.totals.now.sessions > 0 ? <Figures found={found} /> : <Empty {...{ since, project }} />)}
    </main>
  );
}

/** Says that there is nothing to count, and leads to what there may be. */
function Empty({ since, project }: { since: string; project: string }) {
  const [, setParams] = useParams();
  return (
    <div class="insights-empty">
      <p>
        {project === ""
          ? "No model responses in this period."
          : `No model responses of "${project}" in this period.`}
      </p>
      {project !== "" && (
        <button type="button" class="button" onClick={() => setParams({ project: "" })}>
          Show all projects
        </button>
      )}
      {since !== LONGEST_PERIOD && (
        <button type="button" class="button" onClick={() => setParams({ since: LONGEST_PERIOD })}>
          Show the last 365 days
        </button>
      )}
    </div>
  );
}

function Figures({ found }: { found: Report }) {
  return (
    <>
      <Findings found={found} />
      <Tables found={found} />
    </>
  );
}

function Findings({ found }: { found: Report }) {
  const { findings, findingCount } = found;
  const omitted = describeOmitted(found);
  return (
    <section aria-label="Findings">
      {omitted !== "" && <p class="quiet">{omitted}</p>}
      {findings.length === 0 && <p class="quiet">Nothing recurs often enough in this period.</p>}
      <ol class="insight-list">
        {findings.map((finding) => (
          <li key={`${finding.kind} ${finding.tool} ${finding.subject}`} class="card insight">
            <h2>
              <bdi>{describeFinding(finding)}</bdi>
            </h2>
            <p class="insight-loss">{describeLoss(finding).join(" · ")}</p>
            <ul>
              {finding.examples.map(({ path, sessionId, line, title, occurrences }) => (
                <li key={path}>
                  <a href={sessionUrl(toUrlName({ id: sessionId, path }), { line })}>
                    <bdi>{toOneLine(title) || sessionId}</bdi>
                  </a>
                  <span class="quiet">
                    line {line} · {occurrences}×
                  </span>
                </li>
              ))}
            </ul>
            <p class="quiet insight-definition">Counted: {INSIGHT_DEFINITIONS[finding.kind]}</p>
          </li>
        ))}
      </ol>
      {findingCount > findings.length && (
        <p class="quiet">{formatCount(findingCount - findings.length, "more finding")}</p>
      )}
    </section>
  );
}

const toColumns = (...names: string[]) => names.map((name, n) => ({ name, isNumber: n > 0 }));
const WORK_COLUMNS = WORK_HEADINGS.map((heading) => heading.charAt(0) + heading.slice(1).toLowerCase());

function Tables({ found }: { found: Report }) {
  const { models, projects } = found;
  const toRows = (rows: (readonly string[])[]) =>
    rows.slice(0, MAX_ROWS).map((cells) => ({ key: cells[0] ?? "", cells: [...cells] }));
  const tables = [
    {
      title: "Compared with the period before",
      columns: toColumns("Figure", "Now", "Before", "Change"),
      rows: toRows(compareTotals(found)),
    },
    {
      title: "Models by what sessions did",
      columns: toColumns("Session and model", ...WORK_COLUMNS),
      rows: toRows(models.map((row) => [`${formatTask(row)}: ${toOneLine(row.model)}`, ...formatWork(row)])),
    },
    {
      title: "Projects",
      columns: toColumns("Project", ...WORK_COLUMNS),
      rows: toRows(projects.map((row) => [formatProject(row.project), ...formatWork(row)])),
    },
  ];
  return (
    <>
      {tables.map(({ title, columns, rows }) => (
        <section key={title} class="card insight-table" aria-label={title}>
          <h2>{title}</h2>
          <TableScroll label={title}>
            <NumbersTable caption={title} columns={columns}>
              <tbody>
                {rows.map(({ key, cells }, n) => (
                  <tr key={`${key} ${n}`}>
                    {cells.map((cell, column) =>
                      column === 0 ? (
                        <th key={column} scope="row">
                          <bdi>{cell}</bdi>
                        </th>
                      ) : (
                        <td key={column} class="number">
                          {cell}
                        </td>
                      ),
                    )}
                  </tr>
                ))}
              </tbody>
            </NumbersTable>
          </TableScroll>
        </section>
      ))}
    </>
  );
}
