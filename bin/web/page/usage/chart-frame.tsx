import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type ApiParams, apiUrl } from "../shell/api.ts";
import { DownloadButton } from "../shell/download-button.tsx";
import "./chart-frame.css";
import { type Report, UsageTable } from "./usage-table.tsx";

interface Props {
  title: string;
  usage: Report;
  /** The parameters of the request for `usage`. */
  params: ApiParams;
  /** The caption of the table, if the chart shows only part of it. */
  caption?: string;
  /** Whether the chart is a table itself. */
  isTable?: boolean;
  /** More controls before the buttons. */
  controls?: ComponentChildren;
  children: ComponentChildren;
}

/** A chart with a title, a table view and a CSV download. */
export function ChartFrame({
  title,
  usage,
  params,
  caption = title,
  isTable = false,
  controls,
  children,
}: Props) {
  const [showsTable, setShowsTable] = useState(false);
  const id = useId();
  return (
    <section class="card chart" aria-labelledby={id}>
      <header class="chart-head">
        <h2 id={id}>{title}</h2>
        {controls}
        {!isTable && (
          <button
            type="button"
            class="button button-plain"
            aria-pressed={showsTable}
            aria-label={`${title}: table`}
            onClick={() => setShowsTable(!showsTable)}
          >
            Table
          </button>
        )}
        <DownloadButton
          class="button button-plain"
          address={apiUrl("usage.csv", params)}
          name="pidex-usage.csv"
          label={`${title}: CSV`}
        >
          CSV
        </DownloadButton>
      </header>
      {showsTable ? <UsageTable usage={usage} caption={caption} /> : children}
    </section>
  );
}
