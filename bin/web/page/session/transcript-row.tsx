/** A row of the transcript: an entry with its tool results and subagents. */
import { formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatMoment } from "../../../format/times.ts";
import type { LocatedEntryJson, SessionLink } from "../../api/session-answers.ts";
import { EntryView } from "../entries/entry-view.tsx";
import { sumResponses } from "./answer-sum.ts";
import { BranchPoint, ForkPoint } from "./branch-links.tsx";
import type { BranchRows } from "./branch-rows.ts";
import type { ForkPositions } from "./linked-sessions.ts";
import { SubagentCard } from "./subagent-card.tsx";

/** Loaded entries by line. */
export interface EntrySource {
  get(line: number): LocatedEntryJson | undefined;
}

export interface RowProps {
  rows: BranchRows;
  row: number;
  /** Whether it goes on with the answer above it. */
  isContinued: boolean;
  store: EntrySource;
  subagents: ReadonlyMap<number, readonly SessionLink[]>;
  forkPositions: ForkPositions;
  addressOf: (params: Record<string, string>) => string;
  /** Undefined if labels cannot be changed. */
  onLabel: ((entryId: string, label: string) => void) | undefined;
}

export function TranscriptRow({
  rows,
  row,
  isContinued,
  store,
  subagents,
  forkPositions,
  addressOf,
  onLabel,
}: RowProps) {
  const { tree } = rows;
  const positions = rows.positions(row);
  const placed = store.get(tree.line[positions[0] as number] as number);
  if (!placed)
    return <div class="row-waiting" style={{ height: rows.estimateHeight(row) }} aria-hidden="true" />;
  const results = Array.from(positions.subarray(1), (position) => store.get(tree.line[position] as number));
  const loaded = results.filter((result) => result !== undefined);
  const started = [...positions].flatMap((position) => subagents.get(position) ?? []);
  const labels = [...positions].flatMap((position) => tree.labels.get(position) ?? []);
  const label = tree.labels.get(positions[0] as number) ?? "";
  const answer = isContinued ? undefined : sumResponses(rows, row);
  const { id } = placed.entry;
  const at: Record<string, string> =
    id != null ? { entry: String(id), line: "" } : { line: String(placed.line), entry: "" };
  const time = tree.time[positions[0] as number] as number;
  return (
    <>
      <div class="row-aside">
        <span class="row-tools">
          {id != null && onLabel && (
            <button
              type="button"
              class="row-tool"
              title="Label this entry"
              aria-label={label === "" ? "Label this entry" : "Change the label of this entry"}
              onClick={() => onLabel(String(id), label)}
            >
              <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d="M2.5 2.5h5.2l5.8 5.8-5.2 5.2-5.8-5.8z" />
                <circle cx="5.4" cy="5.4" r="0.9" />
              </svg>
            </button>
          )}
          <a
            class="row-tool"
            href={addressOf(at)}
            title={`Link to this entry, line ${formatInteger(placed.line)}${Number.isNaN(time) ? "" : `, ${formatMoment(new Date(time))}`}`}
          >
            <span class="unseen">Link to this entry, line {placed.line}</span>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 0 0 3.7 3.7l.8-.8" />
            </svg>
          </a>
        </span>
      </div>
      {labels.length > 0 && (
        <p class="row-labels">
          {labels.map((text) => (
            <bdi key={text} class="chip row-label">
              {toOneLine(text)}
            </bdi>
          ))}
        </p>
      )}
      <EntryView placed={placed} results={loaded} {...{ isContinued, answer }} />
      {started.map((link) => (
        <SubagentCard key={link.session.path} started={link} />
      ))}
      {[...positions].map((position) => (
        <ForkPoint key={position} places={forkPositions} position={position} />
      ))}
      {[...positions].map((position) => (
        <BranchPoint key={position} rows={rows} position={position} addressOf={addressOf} />
      ))}
    </>
  );
}
