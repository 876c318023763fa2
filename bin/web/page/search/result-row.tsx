import { memo } from "preact/compat";
import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatMoment, formatShortDate } from "../../../format/times.ts";
import { folderName, getSessionTitle } from "../../../format/titles.ts";
import { sessionUrl, toUrlName } from "../shell/address.ts";
import { SelectBox } from "../shell/select-box.tsx";
import { Hits, type LoadHits } from "./hits.tsx";
import { NarrowButton } from "./narrow-button.tsx";
import { ResultCost } from "./result-cost.tsx";
import { ResultModels } from "./result-models.tsx";
import { RowLink } from "./row-link.tsx";
import type { SessionResult } from "./use-search-results.ts";

interface RowProps {
  found: SessionResult;
  q: string;
  /** Missing words that are named above the closest matches. */
  stated?: readonly string[] | undefined;
  /** Narrows the results to a project, a model or a tag of a row. */
  onNarrow: Narrow;
  /** The models that the results are filtered by, or parts of their names. A session may have used others after them. */
  filterModels: readonly string[];
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
  filterModels,
  hidesHits,
  isDated,
  rangeCostUsd,
  rangeModel,
  onHits,
}: RowProps) {
  const { cwd, modified, messageCount, tags, costUsd } = session;
  const name = toUrlName(session);
  const title = getSessionTitle(session);
  const date = new Date(modified);
  const missing = (hits[0]?.missing ?? []).filter((word) => !stated?.includes(word));
  const [first] = hits;
  // The session begins at its first match. Of fields alone, nothing is highlighted.
  const start =
    first?.snippet.ranges.length === 0 ? { entry: first.entryId ?? undefined, line: first.line } : {};
  const href = sessionUrl(name, { ...start, q });
  const marks = [
    session.parentSessionPath && "fork",
    session.subagent && "subagent",
    session.archived && "archived",
    session.compressed && "compressed",
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
        <a class="result-title" href={href} dir="auto">
          <span title={title}>{title}</span>
        </a>
        <time class="result-age" dateTime={modified} title={formatMoment(date)}>
          {formatShortDate(date)}
          <RowLink href={href} />
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
        <ResultCost {...{ href, costUsd, isDated, rangeCostUsd, rangeModel }} />
        <ResultModels {...{ session, onNarrow }} filters={filterModels} />
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
              <RowLink href={href} />
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
