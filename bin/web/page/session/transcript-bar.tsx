/** The bar above a transcript: what it shows, a text to find in it, and steps between prompts. */
import type { Ref } from "preact";
import { formatHitCount, formatHitTotal } from "../../../format/hit-count.ts";
import { formatInteger } from "../../../format/safe.ts";
import { getErrorMessage } from "../shell/error-message.tsx";
import { FILTERS, type Filter, isFilter } from "./transcript-rows.ts";
import type { Find } from "./use-find.ts";

interface Props {
  filter: Filter;
  onFilter: (filter: Filter) => void;
  find: Find;
  findBox: Ref<HTMLInputElement>;
  onPrompt: (by: 1 | -1) => void;
  isExpanded: boolean;
  onExpand: () => void;
}

export function TranscriptBar({ filter, onFilter, find, findBox, ...props }: Props) {
  const { onPrompt, isExpanded, onExpand } = props;
  const { text, error } = find;
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
          onInput={({ currentTarget }) => find.search(currentTarget.value)}
          onBlur={find.endTyping}
          onKeyDown={(event) => {
            if (event.key === "Enter") find.go(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") {
              if (event.currentTarget.value !== "") find.search("");
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
              title={error === undefined ? undefined : getErrorMessage(error)}
            >
              {error === undefined ? formatHits(find) : "Not searched"}
            </span>
            <StepButtons name="hit" onStep={find.go} />
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

function formatHits({ lines, hit, matches }: Find): string {
  if (!lines) return "searching…";
  if (lines.length === 0) return "No hits";
  const index = matches && hit !== undefined ? lines.indexOf(hit) : -1;
  if (index < 0 || !matches) return formatHitCount(lines.length);
  const position = `${formatInteger(index + 1)} of ${formatHitTotal(lines.length)}`;
  if (matches.count < 2) return position;
  return `${position} · match ${formatInteger(matches.index + 1)} of ${formatInteger(matches.count)}`;
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
