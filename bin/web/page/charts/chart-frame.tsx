import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { DownloadButton } from "../shell/download-button.tsx";
import "./chart-frame.css";

export interface ChartFrameProps {
  title: string;
  /** The same numbers as a table. */
  table: () => ComponentChildren;
  /** Where the same numbers are as CSV. */
  csv: string;
  children: ComponentChildren;
}

/** A chart with its name, and its numbers as a table and as CSV. */
export function ChartFrame({ title, table, csv, children }: ChartFrameProps) {
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
          address={csv}
          name="pidex-usage.csv"
          label={`${title}: CSV`}
        >
          CSV
        </DownloadButton>
      </header>
      {isTable ? table() : children}
    </section>
  );
}
