import { memo } from "preact/compat";
import { formatCents } from "../../../format/numbers.ts";
import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatMoment, formatShortDate } from "../../../format/times.ts";
import { folderName, getSessionTitle } from "../../../format/titles.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { NoCost } from "../shell/no-cost.tsx";
import { SelectBox } from "../shell/select-box.tsx";
import { Hits, type LoadHits } from "./hits.tsx";
import type { SessionResult } from "./use-search-results.ts";

interface RowProps {
  found: SessionResult;
  q: string;
  /** Missing words that are named above the closest matches. */
  stated?: readonly string[] | undefined;
  /** Narrows the results to a project, a model or a tag of a row. */
  onNarrow: Narrow;
  /** The model that the results are filtered by, or "". A session may have used others after it. */
  filterModel: string;
  /** Undefined if sessions cannot be changed. */
  onSelect: ((path: string, isSelected: boolean, isRange: boolean) => void) | undefined;
  isSelected: boolean;
  /** Whether hits are not listed: nothing was searched for. */
  hidesHits: boolean;
  /** Whether the results are those of a range of days. */
  isDated: boolean;
  /** The cost in that range, if it is known. */
  rangeCostUsd: number | undefined;
  /** The model that it is the cost of, if it is not that of all. */
  rangeModel: string | undefined;
  /** Loads more hits of a session. Undefined if the results have no more. */
  onHits: LoadHits | undefined;
}

/** Narrows results to those with a value of a row. */
export type Narrow = (by: { cwd: string } | { model: string } | { tags: string }) => void;

/** A session that changed this shortly ago, in milliseconds, is probably in use. */
const ACTIVE_MS = 120_000;

/** A session with its title, metadata and best hits. */
export const ResultRow = memo(function ResultRow({
  found: { session, hits, hitCount },
  q,
  stated,
  onNarrow,
  onSelect,
  isSelected,
  filterModel,
  hidesHits,
  isDated,
  rangeCostUsd,
  rangeModel,
  onHits,
}: RowProps) {
  const { cwd, modified, messageCount, provider, model, tags, costUsd } = session;
  const name = toUrlName(session);
  const title = getSessionTitle(session);
  const date = new Date(modified);
  const missing = (hits[0]?.missing ?? []).filter((word) => !stated?.includes(word));
  // A list names the last model of a session.
  const otherModel =
    filterModel !== "" && filterModel !== [provider, model].filter(Boolean).join("/") && filterModel !== model
      ? filterModel.slice(filterModel.indexOf("/") + 1)
      : "";
  const [first] = hits;
  // The session begins at its first match. Of fields alone, nothing is highlighted.
  const start =
    first?.snippet.ranges.length === 0 ? { entry: first.entryId ?? undefined, line: first.line } : {};
  const marks = [
    session.parentSessionPath && "fork",
    session.subagent && "subagent",
    session.archived && "archived",
  ].filter(Boolean) as string[];
  const showsHits =
    !hidesHits && (hitCount > 1 || (hits[0] !== undefined && !isTitle(hits[0].snippet, title)));
  const look = [
    "result",
    isSelected && "result-selected",
    onSelect && "result-selectable",
    showsHits && "result-found",
  ];
  return (
    <li class={look.filter(Boolean).join(" ")}>
      <div class="result-head">
        {onSelect && (
          <SelectBox {...{ title, isSelected }} onSelect={(...change) => onSelect(session.path, ...change)} />
        )}
        {session.pinned && (
          <span class="result-pin" title="Pinned">
            <svg viewBox="0 0 16 16" role="img" aria-label="Pinned">
              <path d="M9.5 1.5 14.5 6.5 11 8l-2.5 4.5L7 11 3 15 1 15 1 13 5 9 3.5 7.5 8 5z" />
            </svg>
          </span>
        )}
        <a class="result-title" href={sessionUrl(name, { ...start, q })} dir="auto" title={title}>
          {title}
        </a>
        <time class="result-age" dateTime={modified} title={formatMoment(date)}>
          {formatShortDate(date)}
        </time>
      </div>
      <div class="result-facts">
        {cwd === "" ? (
          <span class="result-project">no folder</span>
        ) : (
          <NarrowButton
            class="result-project"
            title={`Only sessions of ${toOneLine(cwd)}`}
            onClick={() => onNarrow({ cwd })}
          >
            {folderName(cwd)}
          </NarrowButton>
        )}
        <span class="result-messages">
          {formatInteger(messageCount)}
          <span class="result-unit">{messageCount === 1 ? " message" : " messages"}</span>
        </span>
        <Cost {...{ costUsd, isDated, rangeCostUsd, rangeModel }} />
        {model && (
          <NarrowButton
            class="result-model"
            title={`Only sessions with ${toOneLine(model)}`}
            onClick={() => onNarrow({ model: [provider, model].filter(Boolean).join("/") })}
          >
            {(otherModel && `${toOneLine(otherModel)}, then `) + toOneLine(model)}
          </NarrowButton>
        )}
        <span class="result-chips">
          {Date.now() - date.getTime() < ACTIVE_MS && <span class="chip chip-live">active now</span>}
          {marks.map((mark) => (
            <span key={mark} class="chip">
              {mark}
            </span>
          ))}
          {session.labelCount > 0 && (
            <span class="chip" title={nameLabels(session.labelCount)}>
              <span aria-hidden="true">⚑ {formatInteger(session.labelCount)}</span>
              <span class="unseen">{nameLabels(session.labelCount)}</span>
            </span>
          )}
          {session.problemCount > 0 && (
            <span class="chip chip-bad">{formatCount(session.problemCount, "problem")}</span>
          )}
          {tags.map((tag) => (
            <NarrowButton
              key={tag}
              class="chip chip-tag"
              title={`Only sessions with the tag ${toOneLine(tag)}`}
              onClick={() => onNarrow({ tags: tag })}
            >
              {toOneLine(tag)}
            </NarrowButton>
          ))}
        </span>
      </div>
      {showsHits && <Hits {...{ session, hits, hitCount, q, missing, onHits }} />}
    </li>
  );
});

/** Not "2 labels", which could be tags. */
const nameLabels = (count: number) => formatCount(count, "labeled entry", "labeled entries");

/** Whether a hit of fields alone only repeats the title, which is the beginning of the first message. */
function isTitle({ text, ranges }: SessionResult["hits"][number]["snippet"], title: string): boolean {
  return ranges.length === 0 && toOneLine(text).startsWith(title.replace(/…$/, "").slice(0, 60));
}

interface CostProps {
  /** Of the whole session; undefined if it is not known yet. */
  costUsd: number | undefined;
  isDated: boolean;
  rangeCostUsd: number | undefined;
  rangeModel: string | undefined;
}

/** What a session cost: in all, or in the selected days. */
function Cost({ costUsd, isDated, rangeCostUsd, rangeModel }: CostProps) {
  if (costUsd === undefined) return null;
  const whole = costUsd > 0 && formatCents(costUsd);
  const none = <NoCost class="result-cost result-cost-none" />;
  if (!isDated) return whole ? <span class="result-cost">{whole}</span> : none;
  if (rangeCostUsd === undefined)
    return whole ? (
      <span class="result-cost">
        {whole}
        <span class="result-unit"> in all</span>
      </span>
    ) : (
      none
    );
  if (!whole && rangeCostUsd === 0) return none;
  const what = rangeModel === undefined ? "Cost" : `Cost of ${toOneLine(rangeModel)}`;
  return (
    <span
      class="result-cost"
      title={`${what} on the selected days, subagents included. The whole session without them: ${formatCents(costUsd)}`}
    >
      {formatCents(rangeCostUsd)}
      <span class="result-unit"> in range</span>
    </span>
  );
}

interface NarrowProps {
  class?: string;
  title: string;
  onClick: () => void;
  children: string;
}

function NarrowButton({ class: look = "", children, ...props }: NarrowProps) {
  return (
    <button type="button" class={`narrow ${look}`} {...props}>
      <bdi>{children}</bdi>
    </button>
  );
}
