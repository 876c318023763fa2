import type SQLite from "better-sqlite3";
import { parseBillingRecord, toFigureColumns } from "../billing-record.ts";
import { type Sql, sql } from "../sql.ts";
import { readCopiedUsage } from "../sqlite/copied-usage.ts";
import { readEventPages } from "../sqlite/event-pages.ts";
import { Reader } from "../sqlite/reader.ts";
import type { ScopedLedger } from "../sqlite/scoped-ledger.ts";
import type { CopiedUsage, EventQuery, ModelRow, UsageEventRow } from "../usage-reads.ts";
import type { CopiedEvent } from "./copies-across-shelves.ts";
import type { FileDay } from "./ledger-rows.ts";
import { type LedgerSource, readEventStates, readLedgerSource } from "./ledger-source.ts";
import { openMemoryIndex } from "./memory-index.ts";
import { MemoryRows } from "./memory-rows.ts";
import type { Runner } from "./runner.ts";

/** Which events to load. */
export type EventSelection =
  | { days: Sql<boolean>; files?: ReadonlySet<number> | undefined; withCopies?: boolean }
  /** Those of a file, and their copies in other files. */
  | { copiesIn: number };

/** An event in memory. */
interface LoadedEvent {
  entry: number;
  ordinal: number;
  time: number | null;
  attribution: number;
}

/** The events of some days in a local index in memory, where the local index's own statements read them. */
export class LoadedEvents implements AsyncDisposable {
  readonly reader: Reader;
  readonly #memory: SQLite.Database;
  readonly #rows: MemoryRows;
  /** The ledger of a hub is settled: what is loaded is what counts. */
  readonly #ledger: ScopedLedger = {
    scope: { roots: [{ prefix: "" }] },
    isComplete: true,
    reattributed: [],
    corrections: [],
  };

  private constructor(memory: SQLite.Database, rows: MemoryRows) {
    this.#memory = memory;
    this.#rows = rows;
    this.reader = Reader.of(memory);
  }

  static async load(
    db: Runner,
    shelves: readonly number[],
    selection: EventSelection,
    models: readonly ModelRow[],
  ): Promise<LoadedEvents> {
    const days = await findDays(db, shelves, selection);
    const files = [...new Set(days.map(({ file }) => file))];
    const source = await readLedgerSource(db, shelves, files, days);
    const states = await readEventStates(db, shelves, days);
    const memory = await openMemoryIndex();
    const rows = new MemoryRows(memory);
    memory.exec("BEGIN");
    addRows(rows, source, days, models);
    for (const state of states) rows.setState(state);
    memory.exec("COMMIT");
    return new LoadedEvents(memory, rows);
  }

  /** The events that count, from a time on and before another, in Unix milliseconds. */
  owned({ from, to }: { from: number; to: number }): LoadedEvent[] {
    return this.#rows
      .loadedEvents()
      .filter(({ time, attribution }) => attribution === 0 && time !== null && time >= from && time < to);
  }

  at(copies: readonly CopiedEvent[]): LoadedEvent[] {
    const wanted = new Set(
      copies.map(({ file, line, ordinal }) => `${this.#rows.idOf({ file_id: file, line })} ${ordinal}`),
    );
    return this.#rows.loadedEvents().filter(({ entry, ordinal }) => wanted.has(`${entry} ${ordinal}`));
  }

  /** Makes events that count on several shelves copies of the first one. */
  setCopies(copies: readonly CopiedEvent[]): void {
    for (const { entry, ordinal } of this.at(copies)) this.#rows.setDuplicate(entry, ordinal);
  }

  sumCopies(file: number, subagents: ReadonlySet<number>): Promise<CopiedUsage> {
    return readCopiedUsage(this.reader, this.#ledger, file, subagents);
  }

  pages(query: EventQuery): AsyncGenerator<UsageEventRow[]> {
    return readEventPages(this.reader, this.#ledger, query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#memory.close();
  }
}

async function findDays(
  db: Runner,
  shelves: readonly number[],
  selection: EventSelection,
): Promise<FileDay[]> {
  const isVisible = sql<boolean>`billing.shelf = ANY (${shelves})`;
  const sharing = (files: readonly number[]) => sql`SELECT other.file_id FROM event_key AS mine
    JOIN event_key AS other ON other.key = mine.key AND other.shelf = ANY (${shelves})
    WHERE mine.shelf = ANY (${shelves}) AND mine.file_id = ANY (${files})`;
  const select = (condition: Sql<boolean>) =>
    sql<FileDay>`
    SELECT DISTINCT billing.file_id AS file, billing.day FROM billing WHERE ${isVisible} AND ${condition}`.execute(
      db,
    );
  if ("copiesIn" in selection) {
    const { copiesIn: file } = selection;
    const { rows } = await select(sql`(billing.file_id = ${file} OR billing.file_id IN (${sharing([file])}))
      AND billing.day IN (SELECT day FROM billing AS own WHERE own.shelf = ANY (${shelves}) AND own.file_id = ${file})`);
    return rows;
  }
  const { days, files, withCopies } = selection;
  if (!files) return (await select(days)).rows;
  const named = [...files];
  const isNamed = sql<boolean>`billing.file_id = ANY (${named})`;
  const { rows } = await select(
    sql`${days} AND ${withCopies ? sql`(${isNamed} OR billing.file_id IN (${sharing(named)}))` : isNamed}`,
  );
  return rows;
}

function addRows(
  rows: MemoryRows,
  source: LedgerSource,
  days: readonly FileDay[],
  models: readonly ModelRow[],
): void {
  rows.addModels(models);
  for (const file of source.files) {
    rows.addFile({ ...file, ledgerPath: file.path });
    if (file.session) {
      const { id, created, parent_session: parent } = file.session;
      rows.addSession(file.id, { id, created, parent });
    }
  }
  for (const entry of source.entries) {
    const id = rows.addEntry(entry);
    if (entry.record === null) continue;
    const { time, elapsed, events } = parseBillingRecord(entry.record);
    events.forEach((event, ordinal) => {
      rows.addEvent({
        ...{ entry: id, ordinal, file: entry.file_id, time, event },
        figures: toFigureColumns(event),
        elapsed: ordinal === 0 ? elapsed : null,
      });
    });
  }
  for (const call of source.calls) rows.addCall(call);
  for (const range of source.ranges) rows.addRange(range);
  for (const { file, day } of days) rows.addEmptyDay(file, day);
}
