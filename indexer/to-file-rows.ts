import { toLedgerPath, toRecordedLedgerPath } from "../src/machine-path.ts";
import { foldTag } from "../src/session/tags.ts";
import { formatBillingRecord } from "../src/store/billing-record.ts";
import type { FileRows, NewBilling, NewEntry, NewRunPath } from "../src/store/file-rows.ts";
import type { SessionTable } from "../src/store/schema.ts";
import { bucketDay, toBucket } from "../src/store/usage-rollup.ts";
import type { Chunk, ReadEntry } from "./chunks.ts";
import { lineageNames } from "./lineages.ts";
import { listRunPaths, NO_LINKS, type ReportingSession } from "./run-paths.ts";
import type { SubagentRun } from "./subagent-results.ts";
import { getModifiedTime } from "./summarize.ts";

/** The file that rows are made of. */
export interface RowSource {
  /** When it was modified. */
  mtimeNs: bigint;
  machine: string;
  /** On the machine. */
  path: string;
  /** Whether its session has rows already. */
  isKnown: boolean;
}

/** Converts what was read of a file to rows. */
export function toFileRows(chunk: Chunk, { mtimeNs, machine, path, isKnown }: RowSource): FileRows {
  const { entries, problems, models, summary, state } = chunk;
  const session = summary && toReportingSession(summary, machine, path);
  return {
    entries: entries.map(toNewEntry),
    problems: problems.map(({ byteOffset, ...problem }) => ({ byte_offset: byteOffset, ...problem })),
    models,
    session: summary && {
      ...summary,
      modified: getModifiedTime(summary, String(mtimeNs)),
      tags: summary.tags.map((tag) => ({ tag, folded: foldTag(tag) })),
    },
    runPaths: session ? entries.flatMap((entry) => toRunPaths(entry, machine, session)) : [],
    lineage:
      session && !isKnown
        ? lineageNames(session.path, { id: session.id, parent_session: session.parent })
        : [],
    state: {
      cursor: state.offset,
      terminated: state.terminated,
      lines: state.lines,
      parsed: state.parsed,
      header: state.header,
      version: state.version,
      leaf_id: state.leafId,
    },
  };
}

/** A session as the ledger of a hub identifies it: with paths that begin with the machine. */
export function toReportingSession(
  { id, parent_session: parent, created }: Pick<SessionTable, "id" | "parent_session" | "created">,
  machine: string,
  path: string,
): ReportingSession {
  return {
    path: toLedgerPath(machine, path),
    id,
    parent: parent === null ? null : toRecordedLedgerPath(machine, parent),
    created,
  };
}

/** A run with paths that begin with the machine that recorded them. */
export function toLedgerRun(run: SubagentRun, machine: string): SubagentRun {
  const { sessionFile, artifact } = run;
  return {
    ...run,
    sessionFile: sessionFile && toRecordedLedgerPath(machine, sessionFile),
    artifact: artifact && toRecordedLedgerPath(machine, artifact),
  };
}

function toBilling({ elapsed, extracted }: ReadEntry): NewBilling | null {
  const { time, events, subagents: runs, ownFigures } = extracted;
  if (events.length === 0 && runs.length === 0 && !ownFigures) return null;
  return {
    day: bucketDay(toBucket(time)),
    has_links: runs.length > 0 || ownFigures || events.some(({ kind }) => kind === "subagent") ? 1 : 0,
    keys: events.flatMap(({ key }) => (key === null ? [] : String(key))),
    record: formatBillingRecord({ time, elapsed, events, runs, ownFigures }),
  };
}

function toRunPaths(
  { line, extracted }: ReadEntry,
  machine: string,
  session: ReportingSession,
): NewRunPath[] {
  return extracted.subagents.flatMap((run, ordinal) =>
    listRunPaths(toLedgerRun(run, machine), session, extracted.timestamp, NO_LINKS).map((path) => ({
      ...{ path, line, ordinal },
      agent: run.agent,
      tool: extracted.tool,
    })),
  );
}

function toNewEntry(entry: ReadEntry): NewEntry {
  const { line, offset, length, extracted } = entry;
  const { id, parentId, type, role, timestamp, tool, isFailed, hasText, textHash, words } = extracted;
  const { toolCalls, toolResult, nestedCalls, touches, label } = extracted;
  return {
    line,
    byte_offset: offset,
    byte_length: length,
    entry_id: id,
    parent_id: parentId,
    type,
    role,
    timestamp,
    tool,
    failed: isFailed ? 1 : 0,
    has_text: hasText ? 1 : 0,
    text_hash: textHash,
    texts: words,
    calls: toolCalls,
    result: toolResult && {
      call: toolResult.call,
      is_error: toolResult.isError ? 1 : 0,
      duration: toolResult.duration,
    },
    nested: nestedCalls.map(({ call, name, isError, duration }) => ({
      ...{ call, name, duration },
      is_error: isError === null ? null : Number(isError),
    })),
    touches,
    label: label && { target: label.targetId, label: label.label },
    billing: toBilling(entry),
  };
}
