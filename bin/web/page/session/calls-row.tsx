/** A row for consecutive messages of tool calls: what was called, and how often it failed. */
import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatDateTime } from "../../../format/times.ts";
import { countCalls, type TranscriptRows } from "./transcript-rows.ts";

/** Tools that are named; the others are counted. */
const MAX_TOOLS = 5;

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
  const { total, each } = countCalls(rows.branch, group);
  const named = each.slice(0, MAX_TOOLS);
  const others = each.slice(MAX_TOOLS).reduce((sum, { count }) => sum + count, 0);
  const time = new Date(rows.branch.tree.time[rows.position(row)] as number);
  return (
    <div class={`entry entry-calls${rows.isContinued(row) ? " entry-continued" : ""}`}>
      <button type="button" class="calls-toggle" aria-expanded={group.isOpen} onClick={onToggle}>
        <strong>{formatCount(total, "tool call")}</strong>
        <span class="calls-tools">
          {named.map(({ tool, failed, count }) => (
            <span key={`${failed} ${tool}`} class={failed ? "calls-failed" : undefined}>
              {formatInteger(count)} <bdi>{toOneLine(tool.slice(0, 40))}</bdi>
              {failed && " failed"}
            </span>
          ))}
          {others > 0 && <span>{formatInteger(others)} others</span>}
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
