import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type Asked, addressOf } from "../shell/ask.ts";
import { DownloadButton } from "../shell/download-button.tsx";
import "./chart-frame.css";
import { type Report, UsageTable } from "./usage-table.tsx";

interface Props {
  title: string;
  usage: Report;
  /** The parameters that `usage` is the answer to. */
  asked: Asked;
  /** What the table shows, where the chart shows a part of it. */
  caption?: string;
  children: ComponentChildren;
}

/** A chart with its name, and its numbers as a table and as CSV. */
export function ChartFrame({ title, usage, asked, caption = title, children }: Props) {
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
          address={addressOf("usage.csv", asked)}
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
