/** Navigation between the hits of the search that opened the session. */
import { counted, grouped } from "../../../format/safe.ts";

/** The line of the next or previous hit, wrapping around at the ends. */
export function nextHit(lines: readonly number[], from: number, by: 1 | -1): number | undefined {
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
          ? `${grouped(index + 1)} of ${grouped(lines.length)}`
          : lines.length === 0
            ? "No hits"
            : counted(lines.length, "hit")}
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
