import type { Store } from "../../src/store/store.ts";
import type { UsageEventRow } from "../../src/store/usage-reads.ts";
import { toIsoTime } from "../iso-time.ts";
import { parseOptions } from "../options.ts";
import { toDollars } from "./figures.ts";
import { resolveFilters } from "./resolve-filters.ts";
import type { SessionMember } from "./session-members.ts";
import type { UsageEvent } from "./usage-answers.ts";
import { UsageEventsOptions } from "./usage-options.ts";

/**
 * The events that add up to the result of `usage` for the same options, by time, each at the occurrence that counts. Users'
 * messages, which cost nothing, are included only with `kind: "user"`.
 *
 * @throws as `usage`; `FILE_CHANGED` if files are read again before the end
 */
export async function* usageEvents(
  store: Store,
  options: UsageEventsOptions = {},
): AsyncGenerator<UsageEvent> {
  const parsed = parseOptions(UsageEventsOptions, options);
  const { since, until, kind } = parsed;
  const { files, matches, members } = await resolveFilters(store, parsed, "always");
  const reads = await store.usage();
  for await (const page of reads.events({ files, since, until, withTurns: kind === "user", matches })) {
    yield* page.map((row) => toUsageEvent(row, members.get(row.file_id)));
  }
}

function toUsageEvent(row: UsageEventRow, member: SessionMember | undefined): UsageEvent {
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = row;
  return {
    path: row.path,
    line: row.line,
    byteOffset: row.byte_offset,
    sessionId: row.session_id,
    entryId: row.entry_id,
    time: toIsoTime(row.time),
    kind: member?.subagent && row.kind !== "user" ? "subagent" : row.kind,
    billed: row.billed === 1,
    provider: row.provider || undefined,
    model: row.model || undefined,
    agent: row.agent ?? member?.agent ?? undefined,
    tool: row.tool ?? member?.tool ?? undefined,
    stop: row.stop ?? undefined,
    onCurrentBranch: row.current === 1,
    tokens: {
      input,
      output,
      cacheRead,
      cacheWrite,
      cacheWrite1h: row.cache_write_1h,
      reasoning: row.reasoning,
      total: input + output + cacheRead + cacheWrite,
    },
    costUsd: toDollars(row.cost),
    costNanoUsd: row.cost,
    providerCostUsd: row.provider_cost === null ? undefined : toDollars(row.provider_cost),
    toolCalls: row.calls,
    failedToolCalls: row.failed,
    alsoIn: row.copies,
  };
}
