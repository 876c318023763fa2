/** The bar above a transcript: what it shows, a text to find in it, and steps between prompts. */
import type { Ref } from "preact";
import { formatHitCount, formatHitTotal } from "../../../format/hit-count.ts";
import { formatInteger } from "../../../format/safe.ts";
import { getErrorMessage } from "../shell/error-message.tsx";
import { FILTERS, type Filter, isFilter } from "./transcript-rows.ts";

/** The line of the next or previous hit, wrapping around at the ends. */
export function findNextHit(lines: readonly number[], from: number, by: 1 | -1): number | undefined {
  const next = by > 0 ? lines.find((line) => line > from) : lines.findLast((line) => line < from);
  return next ?? (by > 0 ? lines[0] : lines.at(-1));
}

interface Props {
  filter: Filter;
  onFilter: (filter: Filter) => void;
  text: string;
  onFind: (text: string) => void;
  findBox: Ref<HTMLInputElement>;
  /** The lines with hits; undefined while they are searched. */
  hits: readonly number[] | undefined;
  /** Why they could not be searched. */
  hitsError: unknown;
  /** The line in the address. */
  line: string;
  onHit: (by: 1 | -1) => void;
  onPrompt: (by: 1 | -1) => void;
  isExpanded: boolean;
  onExpand: () => void;
}

export function TranscriptBar({ filter, onFilter, text, onFind, findBox, ...props }: Props) {
  const { hits, hitsError, line, onHit, onPrompt, isExpanded, onExpand } = props;
  return (
    <div class="transcript-bar" role="toolbar" aria-label="Transcript">
      <label class="transcript-filter">
        <span class="unseen">Show</span>
        <select
          value={filter}
          onChange={({ currentTarget: { value } }) => onFilter(isFilter(value) ? value : "all")}
        >
          {Object.entries(FILTERS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <search class="transcript-find">
        <input
          ref={findBox}
          type="search"
          aria-label="Find in this session"
          placeholder="Find in this session"
          value={text}
          onInput={({ currentTarget }) => onFind(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") onHit(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") {
              if (event.currentTarget.value !== "") onFind("");
              else event.currentTarget.blur();
            } else return;
            event.preventDefault();
          }}
        />
        {text !== "" && (
          <>
            <span
              class="transcript-hits"
              role="status"
              title={hitsError === undefined ? undefined : getErrorMessage(hitsError)}
            >
              {hitsError === undefined ? formatHits(hits, line) : "Not searched"}
            </span>
            <StepButtons name="hit" onStep={onHit} />
          </>
        )}
      </search>
      <span class="transcript-steps">
        <span class="transcript-step-name">Prompt</span>
        <StepButtons name="prompt" onStep={onPrompt} />
      </span>
      <button type="button" class="button button-plain" onClick={onExpand}>
        {isExpanded ? "Collapse all" : "Expand all"}
      </button>
    </div>
  );
}

function formatHits(hits: readonly number[] | undefined, line: string): string {
  if (!hits) return "searching…";
  if (hits.length === 0) return "No hits";
  const index = line === "" ? -1 : hits.indexOf(Number(line));
  if (index < 0) return formatHitCount(hits.length);
  return `${formatInteger(index + 1)} of ${formatHitTotal(hits.length)}`;
}

function StepButtons({ name, onStep }: { name: string; onStep: (by: 1 | -1) => void }) {
  return (
    <>
      <button
        type="button"
        class="button button-plain"
        aria-label={`Previous ${name}`}
        title={`Previous ${name}`}
        onClick={() => onStep(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        class="button button-plain"
        aria-label={`Next ${name}`}
        title={`Next ${name}`}
        onClick={() => onStep(1)}
      >
        ↓
      </button>
    </>
  );
}
