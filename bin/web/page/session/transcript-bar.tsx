/** The bar above a transcript: what it shows, a text to find in it, and steps between prompts. */
import type { Ref } from "preact";
import { useMemo } from "preact/hooks";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { getErrorMessage } from "../shell/error-message.tsx";
import type { BranchRows } from "./branch-rows.ts";
import { setSplitDiffs } from "./split-diffs.ts";
import "./transcript-bar.css";
import { countByFilter, FILTERS, type Filter, isFilter } from "./transcript-rows.ts";
import type { Find } from "./use-find.ts";

interface Props {
  /** The displayed branch. */
  rows: BranchRows;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  find: Find;
  findBox: Ref<HTMLInputElement>;
  onPrompt: (by: 1 | -1) => void;
  isExpanded: boolean;
  onExpand: () => void;
  /** Whether diffs have two columns; undefined if there is no room for them. */
  isSplit: boolean | undefined;
}

export function TranscriptBar({ rows, filter, onFilter, find, findBox, ...props }: Props) {
  const { onPrompt, isExpanded, onExpand, isSplit } = props;
  const { text, error } = find;
  const counts = useMemo(() => countByFilter(rows), [rows]);
  const hasNone = error === undefined && find.total === 0 && !find.hasMore;
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
              {isFilter(name) && name !== "all" ? `${label} ${formatInteger(counts.get(name) ?? 0)}` : label}
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
          onInput={({ currentTarget }) => find.search(currentTarget.value)}
          onBlur={find.endTyping}
          onKeyDown={(event) => {
            if (event.key === "Enter") find.go(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") {
              find.search("");
              event.currentTarget.blur(); // so that the next key is one of the transcript
            } else return;
            event.preventDefault();
          }}
        />
        {text !== "" && (
          <>
            <span
              class={hasNone ? "transcript-hits transcript-hits-none" : "transcript-hits"}
              role="status"
              title={error === undefined ? undefined : getErrorMessage(error)}
            >
              {error === undefined ? formatMatches(find) : "Not searched"}
            </span>
            <StepButtons name={find.unit} isDisabled={hasNone} onStep={find.go} />
          </>
        )}
      </search>
      <span class="transcript-steps">
        <span class="transcript-step-name">Prompt</span>
        <StepButtons name="prompt" onStep={onPrompt} />
      </span>
      {isSplit !== undefined && (
        <button
          type="button"
          class="button button-plain"
          aria-pressed={isSplit}
          title="Show the old and the new text of diffs side by side"
          onClick={() => setSplitDiffs(!isSplit)}
        >
          Split diffs
        </button>
      )}
      <button type="button" class="button button-plain transcript-expand" onClick={onExpand}>
        {isExpanded ? "Collapse all" : "Expand all"}
      </button>
    </div>
  );
}

function formatMatches({ unit, total, isCounting, hasMore, position }: Find): string {
  const units = unit === "match" ? "matches" : "hits";
  if (total === undefined || (total === 0 && (isCounting || hasMore))) return "searching…";
  if (total === 0) return `No ${units}`;
  const end = isCounting ? "…" : hasMore ? "+" : "";
  if (position === undefined)
    return end === "" ? formatCount(total, unit, units) : `${formatInteger(total)}${end} ${units}`;
  const place = `${formatInteger(position)} of ${formatInteger(Math.max(total, position))}${end}`;
  return unit === "match" ? place : `${place} ${total === 1 ? unit : units}`;
}

interface StepProps {
  name: string;
  isDisabled?: boolean;
  onStep: (by: 1 | -1) => void;
}

function StepButtons({ name, isDisabled = false, onStep }: StepProps) {
  return (
    <>
      <button
        type="button"
        class="button button-plain"
        disabled={isDisabled}
        aria-label={`Previous ${name}`}
        title={`Previous ${name}`}
        onClick={() => onStep(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        class="button button-plain"
        disabled={isDisabled}
        aria-label={`Next ${name}`}
        title={`Next ${name}`}
        onClick={() => onStep(1)}
      >
        ↓
      </button>
    </>
  );
}
