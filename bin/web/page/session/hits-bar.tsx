/** Navigation between the hits of the search that opened the session. */
import { formatCount, formatInteger } from "../../../format/safe.ts";

/** The line of the next or previous hit, wrapping around at the ends. */
export function findNextHit(lines: readonly number[], from: number, by: 1 | -1): number | undefined {
  const next = by > 0 ? lines.find((line) => line > from) : lines.findLast((line) => line < from);
  return next ?? (by > 0 ? lines[0] : lines.at(-1));
}

interface Props {
  lines: readonly number[];
  /** The line in the address. */
  line: string;
  onGo: (by: 1 | -1) => void;
}

export function HitsBar({ lines, line, onGo }: Props) {
  const index = line === "" ? -1 : lines.indexOf(Number(line));
  return (
    <div class="session-hits card" role="status">
      <span>
        {index >= 0
          ? `${formatInteger(index + 1)} of ${formatInteger(lines.length)}`
          : lines.length === 0
            ? "No hits"
            : formatCount(lines.length, "hit")}
      </span>
      <button type="button" class="button button-plain" aria-label="Previous hit" onClick={() => onGo(-1)}>
        ↑
      </button>
      <button type="button" class="button button-plain" aria-label="Next hit" onClick={() => onGo(1)}>
        ↓
      </button>
    </div>
  );
}
