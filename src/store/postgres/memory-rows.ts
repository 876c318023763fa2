import type SQLite from "better-sqlite3";
import type { RecordedEvent } from "../billing-record.ts";
import { toContextClass } from "../context-class.ts";
import type { NewRunPath } from "../file-rows.ts";
import { ATTRIBUTION } from "../schema.ts";
import { INSERT_EVENT, REPORTED_COLUMNS } from "../sqlite/reported-figures.ts";
import type { ModelRow } from "../usage-reads.ts";
import { ALL_FILES } from "../usage-rollup.ts";
import type { EventState, FileDay, SharedSeries } from "./ledger-rows.ts";
import type { LedgerCall, LedgerEntry, LedgerFile, LedgerRange } from "./ledger-source.ts";

/** An event, and how it counts. */
interface CountedEvent {
  file: number;
  line: number;
  entry: number;
  ordinal: number;
  attribution: number;
  instance: number;
  key: bigint | null;
  /** In the order of `REPORTED_COLUMNS`. */
  figures: (number | null)[];
}

/** An event to add. `figures` are in the order of `REPORTED_COLUMNS`. */
interface NewEvent {
  entry: number;
  ordinal: number;
  file: number;
  time: number | null;
  elapsed: number | null;
  event: RecordedEvent;
  figures: readonly (number | null)[];
}

/** Writes and reads the rows of a ledger in a local index in memory, by the file ids and lines of a hub. */
export class MemoryRows {
  readonly #db: SQLite.Database;
  readonly #statements: Record<
    "file" | "session" | "entry" | "call" | "range" | "event" | "state" | "correction" | "day",
    SQLite.Statement
  >;
  readonly #ids = new Map<string, number>();
  readonly #models = new Map<string, number>();

  constructor(db: SQLite.Database) {
    this.#db = db;
    this.#statements = {
      file: db.prepare(
        `INSERT INTO file (id, path, subagent, compressed, extraction, inode, size, mtime_ns, ctime_ns, racy, cursor, terminated, lines, parsed, header,
           version, leaf_id, checksums, check_from, unchecked, unchecked_since)
         VALUES (?, ?, 0, 0, 0, '', 0, '', '', 0, 0, 1, 0, 0, 'found', ?, NULL, '', 0, 0, NULL)`,
      ),
      session: db.prepare(
        `INSERT INTO session (file_id, id, cwd, parent_session, internal, created, last_message, modified, name, first_message, provider,
           model, entry_count, message_count, user_count, assistant_count, pinned, archived)
         VALUES (?, ?, '', ?, 0, ?, NULL, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0)`,
      ),
      entry: db.prepare(
        `INSERT INTO entry (file_id, line, byte_offset, byte_length, entry_id, parent_id, type, role, timestamp, tool, failed, has_text,
           text_hash)
         VALUES (?, ?, ?, ?, ?, NULL, ?, NULL, ?, ?, 0, 0, ?)`,
      ),
      call: db.prepare("INSERT INTO tool_call VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?)"),
      range: db.prepare("INSERT INTO current_range VALUES (?, ?, ?)"),
      event: db.prepare(INSERT_EVENT),
      state: db.prepare("UPDATE event SET attribution = ?, instance = ? WHERE entry = ? AND ordinal = ?"),
      correction: db.prepare(
        `UPDATE event SET key = ?, context = CASE WHEN kind = 'assistant' THEN ? ELSE context END,
           ${REPORTED_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE entry = ? AND ordinal = ?`,
      ),
      day: db.prepare("INSERT INTO usage_rollup (file_id, day, totals, rows) VALUES (?, ?, '', '')"),
    };
  }

  addFile({ id, ledgerPath, version }: LedgerFile): void {
    this.#statements.file.run(id, ledgerPath, version);
  }

  addSession(
    file: number,
    { id, parent, created }: { id: string; parent: string | null; created: number | null },
  ): void {
    this.#statements.session.run(file, id, parent, created);
  }

  /** Adds an entry. Those of a file must be added in the order of their lines. @returns its row id */
  addEntry({
    file_id,
    line,
    byte_offset,
    byte_length,
    entry_id,
    type,
    timestamp,
    tool,
    text_hash,
  }: LedgerEntry): number {
    const values = [file_id, line, byte_offset, byte_length, entry_id, type, timestamp, tool, text_hash];
    const { lastInsertRowid } = this.#statements.entry.run(values);
    this.#ids.set(`${file_id} ${line}`, Number(lastInsertRowid));
    return Number(lastInsertRowid);
  }

  addCall({ file_id, line, ordinal, name, is_error, result, caller, duration }: LedgerCall): void {
    const idAt = (at: number | null) => (at === null ? null : (this.#ids.get(`${file_id} ${at}`) ?? null));
    this.#statements.call.run(
      idAt(line),
      ordinal,
      file_id,
      name,
      is_error,
      idAt(result),
      idAt(caller),
      duration,
    );
  }

  addRange({ file_id, first_line, last_line }: LedgerRange): void {
    this.#statements.range.run(file_id, first_line, last_line);
  }

  addModels(models: readonly ModelRow[]): void {
    const insert = this.#db.prepare("INSERT INTO model (id, provider, model) VALUES (?, ?, ?)");
    for (const { id, provider, model } of models) {
      insert.run(id, provider, model);
      this.#models.set(`${provider}\0${model}`, id);
    }
  }

  /** Adds an event that counts as it is recorded. */
  addEvent(row: NewEvent): void {
    const { entry, ordinal, file, time, elapsed, figures } = row;
    const { key, kind, provider, model, run, agent, tool, stop } = row.event;
    const name = `${provider}\0${model}`;
    if (!this.#models.has(name)) this.addModels([{ id: this.#models.size + 1, provider, model }]);
    this.#statements.event.run([
      ...[entry, ordinal, file, time, key, 0, kind, this.#models.get(name), run, agent, tool, stop, elapsed],
      toContextClass(row.event),
      ...figures,
    ]);
  }

  /** Changes how an event counts. */
  setState({ file, line, ordinal, attribution, instance, corrected }: EventState): void {
    const at = [this.idOf({ file_id: file, line }), ordinal];
    this.#statements.state.run(attribution, instance, at);
    if (corrected === null) return;
    const [key, ...figures] = JSON.parse(corrected) as [string | null, ...(number | null)[]];
    const of = (name: (typeof REPORTED_COLUMNS)[number]) => figures[REPORTED_COLUMNS.indexOf(name)] ?? 0;
    const context = toContextClass({
      ...{ kind: "assistant", input: of("input"), output: of("output"), cost: of("cost") },
      ...{ cacheRead: of("cache_read"), cacheWrite: of("cache_write") },
    });
    this.#statements.correction.run(key === null ? null : BigInt(key), context, figures, at);
  }

  setDuplicate(entry: number, ordinal: number): void {
    this.#db
      .prepare(`UPDATE event SET attribution = ${ATTRIBUTION.duplicate} WHERE entry = ? AND ordinal = ?`)
      .run(entry, ordinal);
  }

  /** Adds a day of a file without sums: queries look up which files have events on a day. */
  addEmptyDay(file: number, day: number): void {
    this.#statements.day.run(file, day);
  }

  loadedEvents(): { entry: number; ordinal: number; time: number | null; attribution: number }[] {
    return this.#db
      .prepare<[], { entry: number; ordinal: number; time: number | null; attribution: number }>(
        "SELECT entry, ordinal, time, attribution FROM event",
      )
      .all();
  }

  idOf({ file_id, line }: Pick<LedgerEntry, "file_id" | "line">): number {
    return this.#ids.get(`${file_id} ${line}`) as number;
  }

  events(): CountedEvent[] {
    const statement = this.#db
      .prepare<[], unknown[]>(
        `SELECT event.file_id, entry.line, event.entry, event.ordinal, event.attribution, event.instance, event.key,
           ${REPORTED_COLUMNS.map((name) => `event.${name}`).join(", ")}
         FROM event JOIN entry ON entry.id = event.entry`,
      )
      .raw()
      .safeIntegers();
    return statement.all().map((row) => {
      const [file, line, entry, ordinal, attribution, instance] = row.slice(0, 6).map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const figures = row.slice(7).map((figure) => (figure === null ? null : Number(figure)));
      return { file, line, entry, ordinal, attribution, instance, key: row[6] as bigint | null, figures };
    });
  }

  /** The sums by file and day, packed, with the series of this index. */
  sums(): (FileDay & { packed: string })[] {
    return this.#db
      .prepare<[], FileDay & { packed: string }>(
        `SELECT file_id AS file, day, rows AS packed FROM usage_rollup WHERE file_id > ${ALL_FILES}`,
      )
      .all();
  }

  series(): Map<number, SharedSeries> {
    const rows = this.#db
      .prepare<[], SharedSeries & { id: number }>(
        `SELECT usage_series.id, kind, provider, model, agent, tool, stop, current, context
         FROM usage_series JOIN model ON model.id = usage_series.model_id`,
      )
      .all();
    return new Map(rows.map(({ id, ...series }) => [id, series]));
  }

  /** The paths of the sessions of subagent runs. */
  runPaths(): (Omit<NewRunPath, "agent" | "tool"> & { file: number })[] {
    return this.#db
      .prepare<[], Omit<NewRunPath, "agent" | "tool"> & { file: number }>(
        `SELECT run_file.path, entry.file_id AS file, entry.line, run_file.ordinal
         FROM run_file JOIN entry ON entry.id = run_file.entry`,
      )
      .all();
  }
}
