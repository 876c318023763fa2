/**
 * The ledger of a hub: which events count, and their sums. It is the ledger of the local index, computed in memory from what
 * entries record: one set of rules, so that a hub and a machine agree to the last digit. Only days with new lines are computed, unless
 * events of their files are also in other files, or are of subagent runs: then all files that are connected are.
 */
import type SQLite from "better-sqlite3";
import type { ClientBase, Pool } from "pg";
import { toRecordedLedgerPath } from "../src/machine-path.ts";
import {
  type BillingRecord,
  parseBillingRecord,
  type RecordedEvent,
  toFigureColumns,
} from "../src/store/billing-record.ts";
import {
  dropUnsettled,
  type EventState,
  type FileDay,
  findNeighbors,
  hasLinks,
  identifySeries,
  LEDGER_LOCK,
  type LedgerResult,
  type LinkedFile,
  listBilledDays,
  listChangedDays,
  lockLedger,
  markSharedKeys,
  markUnsettled,
  readLedgerPath,
  type SharedSeries,
  saveLedger,
  takeUnsettled,
} from "../src/store/postgres/ledger-rows.ts";
import {
  type LedgerEntry,
  type LedgerFile,
  type LedgerSource,
  readLedgerSource,
} from "../src/store/postgres/ledger-source.ts";
import { openMemoryIndex } from "../src/store/postgres/memory-index.ts";
import { MemoryRows } from "../src/store/postgres/memory-rows.ts";
import { Runner } from "../src/store/postgres/runner.ts";
import { inLockedSnapshot } from "../src/store/postgres/transaction.ts";
import { packRollup, packTotals, unpackRollup } from "../src/store/usage-rollup.ts";
import { prepareLedger } from "./ledger.ts";
import { listChildFolders, NO_LINKS } from "./run-paths.ts";
import { toLedgerRun } from "./to-file-rows.ts";

/** Marks the files that depend on one as unsettled. Call it before that file is deleted, in the same transaction. */
export async function unsettleNeighbors(
  client: ClientBase,
  { shelf, id }: { shelf: number; id: number },
): Promise<void> {
  await lockLedger(client, shelf);
  const path = await readLedgerPath(client, shelf, id);
  for (const neighbor of await findNeighbors(client, shelf, [id], listChildFolders(path))) {
    await markUnsettled(client, { shelf, id: neighbor.id }, 0);
  }
}

/** Settles all unsettled files of a shelf, in transactions of some files each. */
export async function settleAll(pool: Pool, shelf: number): Promise<void> {
  for (let isMore = true; isMore; )
    isMore = await inLockedSnapshot(pool, [LEDGER_LOCK, shelf], (client) => settleShelf(client, shelf));
}

/** Files that are settled in one transaction, without those that they are connected with. */
const MAX_FILES = 50;

/**
 * Settles some of the unsettled files of a shelf. Files that get new lines meanwhile are unsettled again.
 *
 * @returns whether there may be more
 */
async function settleShelf(client: ClientBase, shelf: number): Promise<boolean> {
  const unsettled = await takeUnsettled(client, shelf, MAX_FILES);
  const done = new Set<number>();
  const days: FileDay[] = [];
  const alone: number[] = [];
  for (const file of unsettled) {
    if (done.has(file.id)) continue;
    if (file.isLinked || (await hasLinks(client, shelf, file, listChildFolders(file.path)))) {
      const files = await findConnected(client, shelf, file);
      await settle(client, shelf, { files, days: await listBilledDays(client, shelf, files), linked: files });
      for (const id of files) done.add(id);
    } else {
      alone.push(file.id);
      days.push(...(await listChangedDays(client, shelf, file)));
    }
  }
  const files = alone.filter((id) => !done.has(id));
  await settle(client, shelf, { files, days: days.filter(({ file }) => !done.has(file)), linked: [] });
  await dropUnsettled(client, shelf, [...done]);
  return unsettled.length === MAX_FILES;
}

/** A file, and all files that the attribution of its events depends on. */
async function findConnected(client: ClientBase, shelf: number, { id, path }: LinkedFile): Promise<number[]> {
  const connected = new Set([id]);
  for (let added: LinkedFile[] = [{ id, path }]; added.length > 0; ) {
    const folders = added.flatMap((file) => listChildFolders(file.path));
    const neighbors = await findNeighbors(
      client,
      shelf,
      added.map((file) => file.id),
      folders,
    );
    added = neighbors.filter((file) => !connected.has(file.id));
    for (const file of added) connected.add(file.id);
  }
  return [...connected];
}

interface Settling {
  files: readonly number[];
  days: readonly FileDay[];
  linked: readonly number[];
}

async function settle(client: ClientBase, shelf: number, { files, days, linked }: Settling): Promise<void> {
  if (files.length === 0) return;
  const source = await readLedgerSource(new Runner(client), [shelf], files, days);
  const memory = await openMemoryIndex();
  try {
    const { states, sums, runPaths, series } = computeLedger(memory, source);
    const ids = await identifySeries(client, shelf, [...series.values()]);
    const shared = new Map([...series.keys()].map((id, n) => [id, ids[n] as number]));
    const repacked = sums.map(({ file, day, packed }) => {
      const rows = unpackRollup(day, packed).map((row) => ({
        ...row,
        series: shared.get(row.series) as number,
      }));
      return { file, day, totals: packTotals(day, rows), rows: packRollup(day, rows) };
    });
    await markSharedKeys(client, shelf, days);
    await saveLedger(client, shelf, { days, linked }, { states, sums: repacked, runPaths });
  } finally {
    memory.close();
  }
}

interface ComputedLedger extends Pick<LedgerResult, "states" | "runPaths"> {
  sums: (FileDay & { packed: string })[];
  series: Map<number, SharedSeries>;
}

/** Computes the ledger of what some days of some files record. */
function computeLedger(memory: SQLite.Database, source: LedgerSource): ComputedLedger {
  const rows = new MemoryRows(memory);
  const ledger = prepareLedger(memory, NO_LINKS);
  memory.exec("BEGIN");
  ledger.begin();
  const entriesByFile = Map.groupBy(source.entries, ({ file_id }) => file_id);
  const records = new Map<number, BillingRecord>();
  for (const file of source.files) {
    rows.addFile(file);
    ledger.onFileAdded(file.ledgerPath);
    if (file.session) {
      const header = toHeader(file);
      rows.addSession(file.id, header);
      ledger.onSessionAdded(file.id, { id: header.id, parent_session: header.parent });
    }
    for (const entry of entriesByFile.get(file.id) ?? []) rows.addEntry(entry);
  }
  for (const call of source.calls) rows.addCall(call);
  for (const range of source.ranges) rows.addRange(range);
  for (const file of source.files) {
    for (const entry of entriesByFile.get(file.id) ?? []) {
      const record = entry.record === null ? undefined : parseBillingRecord(entry.record);
      if (!record) continue;
      addRecord(file, rows.idOf(entry), entry, record);
      records.set(rows.idOf(entry), record);
    }
    ledger.onReadFromStart(file.id);
  }
  ledger.settle();
  memory.exec("COMMIT");
  return {
    states: rows.events().flatMap((event) => {
      const recorded = records.get(event.entry)?.events[event.ordinal] as RecordedEvent;
      const corrected = isAsRecorded(event, recorded)
        ? null
        : JSON.stringify([String(event.key), ...event.figures]);
      const { file, line, ordinal, attribution, instance } = event;
      const isDefault = attribution === 0 && instance === 0 && corrected === null;
      return isDefault
        ? []
        : [{ file, line, ordinal, attribution, instance, corrected } satisfies EventState];
    }),
    sums: rows.sums(),
    series: rows.series(),
    runPaths: rows.runPaths(),
  };

  function addRecord(file: LedgerFile, id: number, entry: LedgerEntry, record: BillingRecord): void {
    const session = toHeader(file);
    const { time, elapsed: elapsedMs, events, runs, ownFigures } = record;
    const place = { fileId: file.id, path: file.ledgerPath, created: session.created, version: file.version };
    if (runs.length > 0) {
      const reported = runs.map((run) => toLedgerRun(run, file.machine));
      ledger.addRuns({ entry: id, fileId: file.id, time: entry.timestamp }, session, reported);
    }
    ledger.add({ ...place, entry: id, entryId: entry.entry_id, time, elapsedMs }, events);
    if (ownFigures) ledger.correct(place, ownFigures);
  }
}

function toHeader({ session, ledgerPath: path, machine }: LedgerFile) {
  const { id = "", parent_session: parent = null, created = null } = session ?? {};
  return { path, id, created, parent: parent === null ? null : toRecordedLedgerPath(machine, parent) };
}

function isAsRecorded(
  { key, figures }: { key: bigint | null; figures: readonly (number | null)[] },
  event: RecordedEvent,
): boolean {
  return key === event.key && toFigureColumns(event).every((value, n) => value === figures[n]);
}
