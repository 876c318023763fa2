/** A row for consecutive messages of tool calls: what they touched, and how often they failed. */
import { formatCallCounts } from "../../../format/call-counts.ts";
import {
  type CallSegment,
  formatCallList,
  type NamedCall,
  summarizeCalls,
} from "../../../format/call-files.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { formatDayTime } from "../../../format/times.ts";
import { AnswerFacts } from "../entries/heading.tsx";
import { sumResponses } from "./answer-sum.ts";
import { countGroupCalls, type TranscriptRows } from "./transcript-rows.ts";

interface Props {
  rows: TranscriptRows;
  row: number;
  /** The calls of the group; undefined until they have loaded. */
  calls: readonly NamedCall[] | undefined;
  onToggle: () => void;
}

export function CallsRow({ rows, row, calls, onToggle }: Props) {
  const group = rows.group(row);
  if (!group) return null;
  const counts = countGroupCalls(rows.branch, group);
  const { segments, others } = summarizeCalls(counts, calls);
  const time = new Date(rows.branch.tree.time[rows.position(row)] as number);
  const answer = rows.isContinued(row) ? undefined : sumResponses(rows.branch, group.first);
  return (
    <div class={`entry entry-calls${answer ? "" : " entry-continued"}`}>
      {answer && (
        <header class="entry-heading">
          <h2>Assistant</h2>
          <p class="entry-facts">
            <AnswerFacts answer={answer} />
          </p>
        </header>
      )}
      <button
        type="button"
        class="calls-toggle"
        aria-expanded={group.isOpen}
        title={calls && formatCallList(calls)}
        onClick={onToggle}
      >
        <strong>{formatCallCounts(counts).total}</strong>
        <span class="calls-tools">
          {segments.map((segment) => (
            <Segment key={`${segment.failed} ${segment.tool}`} {...segment} />
          ))}
          {others && <span>{others}</span>}
        </span>
        {!Number.isNaN(time.getTime()) && (
          <time class="calls-time" dateTime={time.toISOString()}>
            {formatDayTime(time)}
          </time>
        )}
      </button>
    </div>
  );
}

function Segment({ tool, count, failed, files, moreFiles = 0 }: CallSegment) {
  if (!files) {
    return (
      <span class={failed ? "calls-failed" : undefined}>
        {count} <bdi>{tool}</bdi>
        {failed && " failed"}
      </span>
    );
  }
  return (
    <span>
      <bdi>{tool}</bdi>{" "}
      {files.length === 0 ? (
        formatCount(moreFiles, "file")
      ) : (
        <>
          <bdi class="calls-files">{files.join(", ")}</bdi>
          {moreFiles > 0 && ` and ${formatInteger(moreFiles)} more`}
        </>
      )}
    </span>
  );
}
