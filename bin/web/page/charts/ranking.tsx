import type { ComponentChildren } from "preact";
import "./ranking.css";

export interface RankingRow {
  key: string;
  name: ComponentChildren;
  value: number;
  text: string;
  /** Details after the value, in a muted color. */
  more?: ComponentChildren;
}

/** A list of horizontal bars with their values as text, in the order given. */
export function Ranking({ rows, label }: { rows: readonly RankingRow[]; label: string }) {
  const max = rows.reduce((greatest, { value }) => Math.max(greatest, value), 0);
  return (
    <ol class="ranking" aria-label={label}>
      {rows.map(({ key, name, value, text, more }) => (
        <li key={key}>
          <span class="ranking-name">{name}</span>
          <span class="ranking-value">{text}</span>
          <span class="ranking-bar" aria-hidden="true">
            <span style={{ width: `${max > 0 ? Math.max(0.5, (value / max) * 100) : 0}%` }} />
          </span>
          {more !== undefined && <span class="ranking-more">{more}</span>}
        </li>
      ))}
    </ol>
  );
}
