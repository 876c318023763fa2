import type { ComponentChildren } from "preact";
import "./ranking.css";

export interface Ranked {
  key: string;
  name: ComponentChildren;
  value: number;
  text: string;
  /** What stands behind the number, quietly. */
  more?: ComponentChildren;
}

/** Horizontal bars, as they come: a list, whose numbers stand beside the bars as text. */
export function Ranking({ rows, label }: { rows: readonly Ranked[]; label: string }) {
  const most = rows.reduce((greatest, { value }) => Math.max(greatest, value), 0);
  return (
    <ol class="ranking" aria-label={label}>
      {rows.map(({ key, name, value, text, more }) => (
        <li key={key}>
          <span class="ranking-name">{name}</span>
          <span class="ranking-value">{text}</span>
          <span class="ranking-bar" aria-hidden="true">
            <span style={{ width: `${most > 0 ? Math.max(0.5, (value / most) * 100) : 0}%` }} />
          </span>
          {more !== undefined && <span class="ranking-more">{more}</span>}
        </li>
      ))}
    </ol>
  );
}
