import { PidexError } from "../../errors.ts";
import { parseBillingRecord } from "../billing-record.ts";
import type { SessionCondition, TimeRange } from "../conditions.ts";
import {
  type CallRow,
  type CountedField,
  continuePage,
  type EntryReads,
  type EntryRow,
  type EntrySelection,
  FIRST_PAGE_SIZE,
  type IndexCounts,
  type LabelRow,
  type LinePlace,
  type LineSource,
  type LocationRow,
  type OriginRow,
  type OutlineRow,
  PAGE_SIZE,
  type PathSelection,
  type ProblemRow,
  type ShownTouchRow,
  type TextKind,
  type TouchConditions,
  type TouchRow,
  type TouchSums,
} from "../entry-reads.ts";
import type { Position } from "../position.ts";
import { type Sql, sql } from "../sql.ts";
import { listCalls } from "./calls.ts";
import { isOnCurrentBranch } from "./entry-conditions.ts";
import { decodeEntryId, encodeEntryId, withEntryIds } from "./entry-id.ts";
import { countAll } from "./index-counts.ts";
import { onSameMachine } from "./machine-paths.ts";
import { decodePosition, positionSql } from "./positions.ts";
import { possibleCopies } from "./possible-copies.ts";
import type { Runner } from "./runner.ts";
import { SegmentLines } from "./segments.ts";
import { toSessionSql } from "./session-conditions.ts";
import { getTouches, listTouches, sumTouches } from "./touches.ts";

export class PostgresEntryReads implements EntryReads {
  readonly #db: Runner;
  readonly #shelves: readonly number[];

  constructor(db: Runner, shelves: readonly number[]) {
    this.#db = db;
    this.#shelves = shelves;
  }

  async list(file: number, selection?: EntrySelection): Promise<EntryRow[]> {
    const { rows } = await sql<EntryRow>`
      SELECT entry_id AS id, parent_id AS "parentId", line, byte_offset, byte_length, type, role, timestamp
      FROM entry WHERE shelf = ANY (${this.#shelves}) AND file_id = ${file} AND ${isSelected(selection)}
      ORDER BY line`.execute(this.#db);
    return rows.map(decodeIds);
  }

  async *pages(
    file: number,
    { current, backwards }: { current: boolean; backwards: boolean },
  ): AsyncGenerator<EntryRow[]> {
    let last: number | undefined;
    for (let size = FIRST_PAGE_SIZE; ; size = PAGE_SIZE) {
      const beyond = backwards ? sql<boolean>`line <= ${last}` : sql<boolean>`line >= ${last}`;
      const { rows } = await sql<EntryRow>`
        SELECT entry_id AS id, parent_id AS "parentId", line, byte_offset, byte_length, type, role, timestamp
        FROM entry WHERE shelf = ANY (${this.#shelves}) AND file_id = ${file}
          AND ${last === undefined ? sql`TRUE` : beyond} AND ${current ? isOnCurrentBranch : sql`TRUE`}
        ORDER BY line ${backwards ? sql`DESC` : sql``} LIMIT ${size}`.execute(this.#db);
      const page = continuePage(rows, last);
      if (page.length > 0) yield page.map(decodeIds);
      if (rows.length < size) return;
      last = rows.at(-1)?.line;
    }
  }

  async *outlinePages(file: number): AsyncGenerator<OutlineRow[]> {
    let last: number | undefined;
    for (;;) {
      const { rows } = await sql<OutlineRow>`
        SELECT entry_id AS id, parent_id AS "parentId", line, type, role, timestamp, tool, failed, has_text
        FROM entry WHERE shelf = ANY (${this.#shelves}) AND file_id = ${file} AND line >= ${last ?? 0}
        ORDER BY line LIMIT ${PAGE_SIZE}`.execute(this.#db);
      const page = continuePage(rows, last);
      if (page.length > 0) yield page.map(decodeIds);
      if (rows.length < PAGE_SIZE) return;
      last = rows.at(-1)?.line;
    }
  }

  async getLocations(
    positions: readonly Position[],
    { copies }: { copies: boolean },
  ): Promise<LocationRow[]> {
    const places = positions.map(decodePosition);
    const files = places.map(({ file }) => file);
    const lines = places.map(({ line }) => line);
    const isNamed = sql<boolean>`entry.shelf = ANY (${this.#shelves})
      AND (entry.file_id, entry.line) IN (SELECT * FROM unnest(${files}::integer[], ${lines}::integer[]))`;
    const named = await this.#locationsWhere(isNamed);
    if (!copies || named.length === 0) return named;
    const isKnown = new Set(named.map(({ position }) => position));
    const others = await this.#locationsWhere(possibleCopies(this.#shelves, named));
    const all = [...named, ...others.filter(({ position }) => !isKnown.has(position))];
    return all.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  }

  async #locationsWhere(condition: Sql<boolean>): Promise<LocationRow[]> {
    // OFFSET as in `filterPlaces`.
    const { rows } = await sql<LocationRow>`
      SELECT ${positionSql} AS position, entry.file_id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id,
        entry.parent_id, entry.type, entry.role, entry.timestamp, entry.text_hash, file.path, file.version,
        session.id AS session_id, session.created, ${isOnCurrentBranch}::integer AS current
      FROM (SELECT * FROM entry WHERE ${condition} OFFSET 0) AS entry
        JOIN file ON file.shelf = entry.shelf AND file.id = entry.file_id
        JOIN session ON session.shelf = entry.shelf AND session.file_id = entry.file_id
      ORDER BY file.path, entry.line`.execute(this.#db);
    return withEntryIds(rows);
  }

  async openLines(path: string, _places: readonly LinePlace[]): Promise<LineSource> {
    const { rows } = await sql<{ shelf: number; id: number }>`
      SELECT shelf, id FROM file WHERE shelf = ANY (${this.#shelves}) AND path = ${path}`.execute(this.#db);
    const [file] = rows;
    if (file) return new SegmentLines(this.#db, file);
    throw new PidexError("FILE_UNREADABLE", `the hub has no session ${path}`, "List the sessions again.");
  }

  async findLastShared(fork: number, source: number): Promise<{ here: number; there: number } | undefined> {
    // From the end, because a fork begins with what it copied.
    const { rows } = await sql<{ here: number; there: number }>`
      SELECT copy.line AS here, original.line AS there
      FROM entry AS copy CROSS JOIN LATERAL (
        SELECT max(entry.line) AS line FROM entry
         WHERE entry.shelf = ANY (${this.#shelves}) AND entry.entry_id = copy.entry_id AND entry.file_id = ${source}
           AND entry.timestamp IS NOT DISTINCT FROM copy.timestamp AND entry.type = copy.type
           AND entry.text_hash IS NOT DISTINCT FROM copy.text_hash) AS original
      WHERE copy.shelf = ANY (${this.#shelves}) AND copy.file_id = ${fork} AND copy.entry_id IS NOT NULL
        AND copy.type NOT IN ('label', 'session_info', 'custom') AND original.line IS NOT NULL
      ORDER BY copy.line DESC LIMIT 1`.execute(this.#db);
    return rows[0];
  }

  async listLabels(file?: number): Promise<LabelRow[]> {
    const { rows } = await sql<LabelRow>`
      SELECT label.label, label.target_id, label.timestamp, file.path, session.id AS session_id,
        (SELECT max(entry.line) FROM entry WHERE entry.shelf = label.shelf AND entry.file_id = label.file_id
          AND entry.entry_id = label.target_id) AS line
      FROM label JOIN file ON file.shelf = label.shelf AND file.id = label.file_id
        JOIN session ON session.shelf = label.shelf AND session.file_id = label.file_id
      WHERE label.shelf = ANY (${this.#shelves}) AND ${isOf(sql`file.id`, file)}
      ORDER BY label.timestamp DESC NULLS LAST, file.path, label.target_id`.execute(this.#db);
    for (const row of rows) row.target_id = decodeEntryId(row.target_id as string) as LabelRow["target_id"];
    return rows;
  }

  async listRuns(file: number): Promise<{ line: number; path: string }[]> {
    const { rows } = await sql<{ line: number; path: string }>`
      SELECT DISTINCT run_path.line, file.path FROM run_path
        JOIN file ON file.shelf = run_path.shelf AND file.ledger_path = run_path.path
      WHERE run_path.shelf = ANY (${this.#shelves}) AND run_path.file_id = ${file} AND file.id <> ${file}
      ORDER BY run_path.line, file.path`.execute(this.#db);
    return rows;
  }

  async listResponseCosts(file: number): Promise<{ line: number; cost: number }[]> {
    const { rows } = await sql<{ line: number; record: string }>`
      SELECT line, record FROM billing WHERE shelf = ANY (${this.#shelves}) AND file_id = ${file} ORDER BY line`.execute(
      this.#db,
    );
    return rows.flatMap(({ line, record }) =>
      parseBillingRecord(record)
        .events.filter(({ kind, cost }) => kind === "assistant" && cost > 0)
        .map(({ cost }) => ({ line, cost })),
    );
  }

  listCalls(files: readonly number[], range: TimeRange): Promise<CallRow[]> {
    return listCalls(this.#db, this.#shelves, files, range);
  }

  sumTouches(conditions: TouchConditions): Promise<TouchSums> {
    return sumTouches(this.#db, this.#shelves, conditions);
  }

  listTouches(conditions: TouchConditions, files: readonly number[]): Promise<TouchRow[]> {
    return listTouches(this.#db, this.#shelves, conditions, files);
  }

  getTouches(positions: readonly Position[]): Promise<ShownTouchRow[]> {
    return getTouches(this.#db, this.#shelves, positions);
  }

  async listPaths(selection?: PathSelection): Promise<{ id: number; path: string }[]> {
    const { rows } = await sql<{ id: number; path: string }>`
      SELECT id, path FROM path WHERE shelf = ANY (${this.#shelves}) AND ${selectPaths(selection)} ORDER BY id`.execute(
      this.#db,
    );
    return rows;
  }

  async listFiles(): Promise<{ file: number; path: string }[]> {
    const { rows } = await sql<{ file: number; path: string }>`
      SELECT id AS file, path FROM file WHERE shelf = ANY (${this.#shelves})`.execute(this.#db);
    return rows;
  }

  async listOrigins(): Promise<OriginRow[]> {
    const { rows } = await sql<OriginRow>`
      SELECT file.id AS file, file.path, file.subagent, session.created, ${onSameMachine(sql`session.parent_session`)} AS parent
      FROM session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
      WHERE session.shelf = ANY (${this.#shelves})`.execute(this.#db);
    return rows;
  }

  async listProblems(file?: number): Promise<ProblemRow[]> {
    const { rows } = await sql<ProblemRow>`
      SELECT file.path, problem.code, problem.line, problem.byte_offset, problem.message
      FROM problem JOIN file ON file.shelf = problem.shelf AND file.id = problem.file_id
      WHERE problem.shelf = ANY (${this.#shelves}) AND ${isOf(sql`file.id`, file)}
      ORDER BY file.path, problem.byte_offset, problem.ordinal`.execute(this.#db);
    return rows;
  }

  async listTexts(of: TextKind): Promise<string[]> {
    const [text, table] = TEXTS[of];
    const { rows } = await sql<{ text: string }>`
      SELECT DISTINCT ${text} AS text FROM ${table}
      WHERE shelf = ANY (${this.#shelves}) AND ${text} IS NOT NULL`.execute(this.#db);
    return rows.map(({ text }) => text);
  }

  async countValues(
    field: CountedField,
    limit: number,
    condition: SessionCondition,
  ): Promise<{ text: string; sessions: number }[]> {
    const [table, value] = COUNTED[field];
    const { rows } = await sql<{ text: string; sessions: number }>`
      SELECT ${value} AS text, count(DISTINCT counted.file_id) AS sessions FROM ${sql.ref(table)} AS counted
        JOIN session ON session.shelf = counted.shelf AND session.file_id = counted.file_id
        JOIN file ON file.shelf = counted.shelf AND file.id = counted.file_id
      WHERE counted.shelf = ANY (${this.#shelves}) AND ${value} <> '' AND ${toSessionSql(condition)}
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`.execute(this.#db);
    return rows;
  }

  countAll(limit: number): Promise<IndexCounts> {
    return countAll(this.#db, this.#shelves, limit);
  }
}

const TEXTS: Record<TextKind, [text: Sql, table: Sql]> = {
  name: [sql`name`, sql`session`],
  title: [sql`coalesce(name, computed_title)`, sql`session`],
  label: [sql`label`, sql`label`],
};

/** The table that has the values of a field, and the value. */
const COUNTED: Record<CountedField, [table: string, value: Sql]> = {
  cwd: ["session", sql`counted.cwd`],
  name: ["session", sql`counted.name`],
  model: ["session_model", sql`counted.model`],
  provider: ["session_model", sql`counted.provider`],
  tag: ["tag", sql`counted.tag`],
  label: ["label", sql`counted.label`],
  tool: ["tool_call", sql`substr(counted.name, 1, 200)`],
  machine: ["file_origin", sql`counted.machine`],
  person: ["file_origin", sql`counted.person`],
};

function isSelected(selection: EntrySelection | undefined): Sql<boolean> {
  if (!selection) return sql`TRUE`;
  if ("lines" in selection) return sql`line = ANY (${selection.lines})`;
  return sql`entry_id = ${encodeEntryId(selection.id)}`;
}

function isOf(column: Sql<number>, file: number | undefined): Sql<boolean> {
  return file === undefined ? sql`TRUE` : sql`${column} = ${file}`;
}

function selectPaths(selection: PathSelection | undefined): Sql<boolean> {
  if (!selection) return sql`TRUE`;
  if ("paths" in selection) return sql`path = ANY (${selection.paths})`;
  return sql`right(path, ${Array.from(selection.ending).length}) = ${selection.ending}`;
}

function decodeIds<Row extends Pick<EntryRow, "id" | "parentId">>(row: Row): Row {
  const [id, parentId] = [row.id, row.parentId].map((each) => decodeEntryId(each as string | null));
  return { ...row, id, parentId };
}
