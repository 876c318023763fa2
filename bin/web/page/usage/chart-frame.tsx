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
  children: ComponentChildren;
}

/** A chart with a title, a table view and a CSV download. */
export function ChartFrame({ title, usage, params, caption = title, children }: Props) {
  const [isTable, setTable] = useState(false);
  const id = useId();
  return (
    <section class="card chart" aria-labelledby={id}>
      <header class="chart-head">
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          class="button button-plain"
          aria-pressed={isTable}
          aria-label={`${title}: table`}
          onClick={() => setTable(!isTable)}
        >
          Table
        </button>
        <DownloadButton
          class="button button-plain"
          address={apiUrl("usage.csv", params)}
          name="pidex-usage.csv"
          label={`${title}: CSV`}
        >
          CSV
        </DownloadButton>
      </header>
      {isTable ? <UsageTable usage={usage} caption={caption} /> : children}
    </section>
  );
}
