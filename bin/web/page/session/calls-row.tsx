/** A row for consecutive messages of tool calls: what was called, and how often it failed. */
import { formatCallCounts } from "../../../format/call-counts.ts";
import { formatDateTime } from "../../../format/times.ts";
import { countGroupCalls, type TranscriptRows } from "./transcript-rows.ts";

export function CallsRow({
  rows,
  row,
  onToggle,
}: {
  rows: TranscriptRows;
  row: number;
  onToggle: () => void;
}) {
  const group = rows.group(row);
  if (!group) return null;
  const { total, tools, others } = formatCallCounts(countGroupCalls(rows.branch, group));
  const time = new Date(rows.branch.tree.time[rows.position(row)] as number);
  return (
    <div class={`entry entry-calls${rows.isContinued(row) ? " entry-continued" : ""}`}>
      <button type="button" class="calls-toggle" aria-expanded={group.isOpen} onClick={onToggle}>
        <strong>{total}</strong>
        <span class="calls-tools">
          {tools.map(({ tool, failed, count }) => (
            <span key={`${failed} ${tool}`} class={failed ? "calls-failed" : undefined}>
              {count} <bdi>{tool}</bdi>
              {failed && " failed"}
            </span>
          ))}
          {others && <span>{others}</span>}
        </span>
        {!Number.isNaN(time.getTime()) && (
          <time class="calls-time" dateTime={time.toISOString()}>
            {formatDateTime(time)}
          </time>
        )}
      </button>
    </div>
  );
}
