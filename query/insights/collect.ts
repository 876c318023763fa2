import type { CallRow } from "../../src/store/entry-reads.ts";
import type { Store } from "../../src/store/store.ts";
import type { UsageEventRow } from "../../src/store/usage-reads.ts";
import { resolveFilters, type UsageFilters } from "../usage/resolve-filters.ts";
import type { SessionMember } from "../usage/session-members.ts";

/** A half-open range of Unix milliseconds. */
export interface Period {
  since: number;
  until: number;
}

/** A model response that counts, at the occurrence that counts. */
export interface Response {
  file: number;
  line: number;
  model: string;
  /** Nano-dollars. */
  cost: number;
  /** Milliseconds since the previous message in the file; 0 if unknown. */
  waited: number;
  /** Its own tool calls, in order. */
  calls: Call[];
}

/** A tool call of a response that counts. */
export interface Call extends CallRow {
  response: Response;
  /** The share of the response's cost and waiting time: divided by its calls. */
  cost: number;
  responseMs: number;
  /** Milliseconds from the call to its result, as recorded if it was; 0 if unknown. */
  ms: number;
}

export interface Compaction {
  file: number;
  line: number;
  cost: number;
  /** Tokens sent with the last response before it and with the first one after it in the file; undefined without one. */
  tokensBefore: number | undefined;
  tokensAfter: number | undefined;
}

/** What counts in a period. */
export interface PeriodData {
  period: Period;
  responses: Response[];
  /** By file, in file order. */
  callsByFile: Map<number, Call[]>;
  compactions: Compaction[];
}

export interface Collected {
  now: PeriodData;
  before: PeriodData;
  /** Path and id of the sessions of all files in the data. */
  files: Map<number, { path: string; sessionId: string }>;
  members: ReadonlyMap<number, SessionMember>;
}

type Filters = Pick<UsageFilters, "cwd" | "project" | "machine" | "person">;

/** Reads the model responses, tool calls and compactions of two adjacent periods. Copies in forks count once. */
export async function collect(
  store: Store,
  { cwd, project, machine, person }: Filters,
  now: Period,
  before: Period,
): Promise<Collected> {
  const range = { since: before.since, until: now.until };
  const selection = await resolveFilters(
    store,
    { cwd, project, machine, person, subagents: "yes" },
    "always",
  );
  const usage = await store.usage();
  const rows: UsageEventRow[] = [];
  const query = {
    ...range,
    files: selection.files,
    withTurns: false,
    isBrief: true,
    matches: selection.matches,
  };
  for await (const page of usage.events(query)) {
    for (const row of page) if (row.kind === "assistant" || row.kind === "compaction") rows.push(row);
  }
  const files = new Map<number, { path: string; sessionId: string }>();
  for (const { file_id, path, session_id } of rows) files.set(file_id, { path, sessionId: session_id });
  const calls = await (await store.entries()).listCalls([...files.keys()], range);
  const [current, previous] = Map.groupBy(rows, ({ time }) => (time ?? 0) >= now.since)
    .entries()
    .reduce<[UsageEventRow[], UsageEventRow[]]>(
      (split, [isNow, some]) => (isNow ? [some, split[1]] : [split[0], some]),
      [[], []],
    );
  const callsByLine = Map.groupBy(calls, ({ file_id, line }) => `${file_id}:${line}`);
  return {
    now: toPeriodData(now, current, callsByLine),
    before: toPeriodData(before, previous, callsByLine),
    files,
    members: selection.members,
  };
}

function toPeriodData(
  period: Period,
  rows: readonly UsageEventRow[],
  callsByLine: ReadonlyMap<string, readonly CallRow[]>,
): PeriodData {
  const responses: Response[] = [];
  const compactions: Compaction[] = [];
  const callsByFile = new Map<number, Call[]>();
  for (const ofFile of Map.groupBy(rows, ({ file_id }) => file_id).values()) {
    ofFile.sort((a, b) => a.line - b.line);
    const file = ofFile[0]?.file_id as number;
    const calls: Call[] = [];
    let pending: Compaction[] = [];
    let tokensBefore: number | undefined;
    for (const row of ofFile) {
      if (row.kind === "compaction") {
        const compaction: Compaction = {
          file,
          line: row.line,
          cost: row.cost,
          tokensBefore,
          tokensAfter: undefined,
        };
        pending.push(compaction);
        compactions.push(compaction);
        continue;
      }
      const sent = row.input + row.cache_read + row.cache_write;
      if (sent > 0) {
        for (const compaction of pending) compaction.tokensAfter = sent;
        pending = [];
        tokensBefore = sent;
      }
      const response = toResponse(row, callsByLine.get(`${file}:${row.line}`) ?? []);
      responses.push(response);
      calls.push(...response.calls);
    }
    if (calls.length > 0) callsByFile.set(file, calls);
  }
  return { period, responses, callsByFile, compactions };
}

/** Longer times between a message and its response are the user's: nobody waits for an hour. */
const MAX_RESPONSE_MS = 3_600_000;

function toResponse(row: UsageEventRow, calls: readonly CallRow[]): Response {
  const elapsed = row.elapsed ?? 0;
  const response: Response = {
    file: row.file_id,
    line: row.line,
    model: row.provider ? `${row.provider}/${row.model}` : row.model,
    cost: row.cost,
    waited: elapsed > MAX_RESPONSE_MS ? 0 : elapsed,
    calls: [],
  };
  response.calls = calls.map((call) => ({
    ...call,
    response,
    cost: response.cost / calls.length,
    responseMs: response.waited / calls.length,
    ms: callDuration(call),
  }));
  return response;
}

/** Without a recorded duration, a call that took longer was waiting for a user who was away. */
const MAX_UNRECORDED_MS = 3_600_000;

function callDuration({ recorded, waited }: CallRow): number {
  if (recorded !== null) return recorded;
  return waited === null || waited < 0 || waited > MAX_UNRECORDED_MS ? 0 : waited;
}
