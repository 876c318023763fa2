/** What an entry records of tokens and costs, as a hub stores it: all that the ledger reads of it. */
import type { SqlEntryId } from "./schema.ts";

/** Tokens and cost of an event. Costs are whole nano-dollars. */
export interface RecordedFigures {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  reasoning: number;
  cost: number;
  providerCost: number | null;
}

/** A billable event, or a turn, in a session. */
export interface RecordedEvent extends RecordedFigures {
  /**
   * 64 bits of a hash: the same in all copies of an event, and in other events only if they have the same time, model and
   * figures. Null if copies cannot be recognized.
   */
  key: bigint | null;
  kind: string;
  /** Index of the entry's subagent run that caused it; null if none did, or if it covers all runs without an event of their own. */
  run: number | null;
  agent: string | null;
  tool: string | null;
  stop: string | null;
  provider: string;
  model: string;
}

export interface BillingRecord {
  /** Unix milliseconds, or null. */
  time: number | null;
  /** Milliseconds since the previous message, or null. */
  elapsed: number | null;
  events: readonly RecordedEvent[];
  /** Subagent runs that it reports. */
  runs: readonly { agent: string | null; sessionFile: string | null; artifact: string | null }[];
  /** Of an earlier response whose figures include those of its children: its own. */
  ownFigures: { targetId: Exclude<SqlEntryId, null>; figures: RecordedFigures } | null;
}

export function formatBillingRecord(record: BillingRecord): string {
  return JSON.stringify(record, (name, value) => (name === "key" && value !== null ? String(value) : value));
}

/** Reads what `formatBillingRecord` wrote. */
export function parseBillingRecord(text: string): BillingRecord {
  const record = JSON.parse(text) as BillingRecord;
  for (const event of record.events) if (event.key !== null) event.key = BigInt(event.key);
  return record;
}

export type BilledFigures = Pick<RecordedFigures, "input" | "output" | "cacheRead" | "cacheWrite" | "cost">;

/** Whether an event has tokens or a cost. */
export function isBilled({ input, output, cacheRead, cacheWrite, cost }: BilledFigures): boolean {
  return input + output + cacheRead + cacheWrite + cost > 0;
}

/** Figures as columns of `event` in the local index: `billed`, the tokens, the cost, and the provider's. */
export function toFigureColumns(figures: RecordedFigures): (number | null)[] {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, cost, providerCost } = figures;
  return [
    isBilled(figures) ? 1 : 0,
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    reasoning,
    cost,
    providerCost,
  ];
}
