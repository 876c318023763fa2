/** From hit to hit of the search that one came from. */
import { counted, grouped } from "../../../format/safe.ts";

/** The line of the hit that comes after a line, or before it; from the last the way goes on at the first. */
export function nextHit(lines: readonly number[], from: number, by: 1 | -1): number | undefined {
  const next = by > 0 ? lines.find((line) => line > from) : lines.findLast((line) => line < from);
  return next ?? (by > 0 ? lines[0] : lines.at(-1));
}

interface Props {
  lines: readonly number[];
  /** The line that the address names. */
  line: string;
  onGo: (by: 1 | -1) => void;
}

export function HitsBar({ lines, line, onGo }: Props) {
  const place = line === "" ? -1 : lines.indexOf(Number(line));
  return (
    <div class="session-hits card" role="status">
      <span>
        {lines.length === 0 ? "no hit here" : counted(lines.length, "hit")}
        {place >= 0 && <span class="quiet"> · {grouped(place + 1)}.</span>}
      </span>
      <button type="button" class="button button-plain" aria-label="The hit before" onClick={() => onGo(-1)}>
        ↑
      </button>
      <button type="button" class="button button-plain" aria-label="The next hit" onClick={() => onGo(1)}>
        ↓
      </button>
    </div>
  );
}
