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
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { listCalls } from "./calls.ts";
import { isOnLines } from "./entries-on-lines.ts";
import { isOnCurrentBranch } from "./entry-conditions.ts";
import { countAll } from "./index-counts.ts";
import { OpenFile } from "./open-file.ts";
import { possibleCopies } from "./possible-copies.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import { toSessionSql } from "./session-conditions.ts";
import { getTouches, listTouches, sumTouches } from "./touches.ts";

export class SqliteEntryReads implements EntryReads {
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  async list(file: number, selection?: EntrySelection): Promise<EntryRow[]> {
    const [selected, order] =
      selection && "lines" in selection
        ? [await isOnLines(this.#db, file, selection.lines), sql`entry.id`]
        : selection
          ? [sql`entry_id = ${selection.id}`, sql`line`]
          : [sql`TRUE`, sql`entry.id`];
    const { rows } = await sql<EntryRow>`
      SELECT entry_id AS id, parent_id AS parentId, line, byte_offset, byte_length, type, role, timestamp
      FROM entry WHERE file_id = ${file} AND ${selected} ORDER BY ${order}`.execute(this.#db);
    return rows;
  }

  async *pages(
    file: number,
    { current, backwards }: { current: boolean; backwards: boolean },
  ): AsyncGenerator<EntryRow[]> {
    let last: { position: Position; line: number } | undefined;
    for (let size = FIRST_PAGE_SIZE; ; size = PAGE_SIZE) {
      const beyond = backwards
        ? sql<SqlBool>`entry.id <= ${last?.position}`
        : sql<SqlBool>`entry.id >= ${last?.position}`;
      const { rows } = await sql<EntryRow & { position: Position }>`
        SELECT entry.id AS position, entry_id AS id, parent_id AS parentId, line, byte_offset, byte_length, type, role, timestamp
        FROM entry WHERE file_id = ${file} AND ${last === undefined ? sql`TRUE` : beyond}
          AND ${current ? isOnCurrentBranch : sql`TRUE`}
        ORDER BY entry.id ${backwards ? sql`DESC` : sql``} LIMIT ${size}`.execute(this.#db);
      const page = continuePage(rows, last?.line);
      if (page.length > 0) yield page;
      if (rows.length < size) return;
      last = rows.at(-1);
    }
  }

  async *outlinePages(file: number): AsyncGenerator<OutlineRow[]> {
    let last: { position: Position; line: number } | undefined;
    for (;;) {
      const { rows } = await sql<OutlineRow & { position: Position }>`
        SELECT entry.id AS position, entry_id AS id, parent_id AS parentId, line, type, role, timestamp, tool, failed, has_text
        FROM entry WHERE file_id = ${file} AND entry.id >= ${last?.position ?? 0} ORDER BY entry.id LIMIT ${PAGE_SIZE}`.execute(
        this.#db,
      );
      const page = continuePage(rows, last?.line);
      if (page.length > 0) yield page;
      if (rows.length < PAGE_SIZE) return;
      last = rows.at(-1);
    }
  }

  async getLocations(
    positions: readonly Position[],
    { copies }: { copies: boolean },
  ): Promise<LocationRow[]> {
    const condition = copies
      ? sql<SqlBool>`entry.id IN (SELECT value FROM json_each(${JSON.stringify(positions)}) UNION ${possibleCopies(positions)})
          AND ${inScope(this.#scope)}`
      : sql<SqlBool>`entry.id IN ${sql.list(positions)}`;
    const { rows } = await sql<LocationRow>`
      SELECT entry.id AS position, entry.file_id, entry.line, entry.byte_offset, entry.byte_length, entry.entry_id,
        entry.parent_id, entry.type, entry.role, entry.timestamp, entry.text_hash, file.path, file.version,
        session.id AS session_id, session.created, ${isOnCurrentBranch} AS current
      FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
      WHERE ${condition}
      ORDER BY file.path, entry.line`.execute(this.#db);
    return rows;
  }

  async openLines(path: string, _places: readonly LinePlace[]): Promise<LineSource> {
    return new OpenFile(path);
  }

  async findLastShared(fork: number, source: number): Promise<{ here: number; there: number } | undefined> {
    // From the end, because a fork begins with what it copied.
    const { rows } = await sql<{ here: number; there: number }>`
      SELECT copy.line AS here, (
        SELECT max(entry.line) FROM entry
         WHERE entry.entry_id = copy.entry_id AND entry.file_id = ${source}
           AND entry.timestamp IS copy.timestamp AND entry.type = copy.type AND entry.text_hash IS copy.text_hash
      ) AS there
      FROM entry AS copy
      WHERE copy.file_id = ${fork} AND copy.entry_id IS NOT NULL
        AND copy.type NOT IN ('label', 'session_info', 'custom') AND there IS NOT NULL
      ORDER BY copy.id DESC LIMIT 1`.execute(this.#db);
    return rows[0];
  }

  async listLabels(file?: number): Promise<LabelRow[]> {
    const { rows } = await sql<LabelRow>`
      SELECT label.label, label.target_id, label.timestamp, file.path, session.id AS session_id,
        (SELECT max(entry.line) FROM entry
          WHERE entry.file_id = label.file_id AND entry.entry_id = label.target_id) AS line
      FROM label JOIN file ON file.id = label.file_id JOIN session ON session.file_id = label.file_id
      WHERE ${inScope(this.#scope)} AND ${file === undefined ? sql`TRUE` : sql`file.id = ${file}`}
      ORDER BY label.timestamp DESC, file.path, label.target_id`.execute(this.#db);
    return rows;
  }

  async listRuns(file: number): Promise<{ line: number; path: string }[]> {
    const { rows } = await sql<{ line: number; path: string }>`
      SELECT entry.line, run_file.path FROM entry
        JOIN run_file ON run_file.entry = entry.id JOIN file ON file.path = run_file.path
       WHERE entry.file_id = ${file} AND file.id <> ${file} AND ${inScope(this.#scope)}
       ORDER BY entry.id, run_file.path`.execute(this.#db);
    return rows;
  }

  async listResponseCosts(file: number): Promise<{ line: number; cost: number }[]> {
    const { rows } = await sql<{ line: number; cost: number }>`
      SELECT entry.line, event.cost FROM event JOIN entry ON entry.id = event.entry
      WHERE event.file_id = ${file} AND event.kind = 'assistant' AND event.cost > 0 ORDER BY event.entry`.execute(
      this.#db,
    );
    return rows;
  }

  listCalls(files: readonly number[], range: TimeRange): Promise<CallRow[]> {
    return listCalls(this.#db, files, range);
  }

  sumTouches(conditions: TouchConditions): Promise<TouchSums> {
    return sumTouches(this.#db, this.#scope, conditions);
  }

  listTouches(conditions: TouchConditions, files: readonly number[]): Promise<TouchRow[]> {
    return listTouches(this.#db, conditions, files);
  }

  getTouches(positions: readonly Position[]): Promise<ShownTouchRow[]> {
    return getTouches(this.#db, positions);
  }

  async listOrigins(): Promise<OriginRow[]> {
    const { rows } = await sql<OriginRow>`
      SELECT file.id AS file, file.path, file.subagent, session.created, session.parent_session AS parent
      FROM session JOIN file ON file.id = session.file_id
      WHERE ${inScope(this.#scope)}`.execute(this.#db);
    return rows;
  }

  async listProblems(file?: number): Promise<ProblemRow[]> {
    const { rows } = await sql<ProblemRow>`
      SELECT file.path, problem.code, problem.line, problem.byte_offset, problem.message
      FROM problem JOIN file ON file.id = problem.file_id
      WHERE ${inScope(this.#scope)} AND ${file === undefined ? sql`TRUE` : sql`file.id = ${file}`}
      ORDER BY file.path, problem.byte_offset, problem.rowid`.execute(this.#db);
    return rows;
  }

  async countValues(
    field: CountedField,
    limit: number,
    condition: SessionCondition,
  ): Promise<{ text: string; sessions: number }[]> {
    const counted = COUNTED[field];
    if (!counted) return []; // only hubs know machines and people
    // Requested for every key of a value that is typed; counting the calls of all tools reads as many rows.
    const name = JSON.stringify(["values", field, limit, condition, this.#scope]);
    return this.#db.cachedUntilChange(name, () => this.#countValues(counted, limit, condition));
  }

  async #countValues(
    [table, value]: [table: string, value: Sql],
    limit: number,
    condition: SessionCondition,
  ) {
    const join =
      table === "session" ? sql`` : sql`JOIN ${sql.ref(table)} ON ${sql.ref(`${table}.file_id`)} = file.id`;
    const { rows } = await sql<{ text: string; sessions: number }>`
      SELECT ${value} AS text, count(DISTINCT file.id) AS sessions
      FROM session JOIN file ON file.id = session.file_id ${join}
      WHERE ${inScope(this.#scope)} AND ${toSessionSql(condition)} AND ${value} <> '' GROUP BY 1 ORDER BY 2 DESC, 1
      LIMIT ${sql.lit(limit)}`.execute(this.#db);
    return rows;
  }

  countAll(limit: number): Promise<IndexCounts> {
    return countAll(this.#db, this.#scope, limit);
  }

  // The next three include other roots, which is faster: what they find is only used in conditions within the scope.

  async listPaths(selection?: PathSelection): Promise<{ id: number; path: string }[]> {
    const { rows } = await sql<{ id: number; path: string }>`
      SELECT id, path FROM path WHERE ${selectPaths(selection)} ORDER BY id`.execute(this.#db);
    return rows;
  }

  async listTexts(of: TextKind): Promise<string[]> {
    const { rows } = await sql<{ text: string | null }>`SELECT DISTINCT ${TEXTS[of]}`.execute(this.#db);
    return rows.flatMap(({ text }) => text ?? []);
  }

  async listFiles(): Promise<{ file: number; path: string }[]> {
    const { rows } = await sql<{ file: number; path: string }>`SELECT id AS file, path FROM file`.execute(
      this.#db,
    );
    return rows;
  }
}

const TEXTS: Record<TextKind, Sql> = {
  name: sql`name AS text FROM session`,
  title: sql`coalesce(name, computed_title) AS text FROM session`,
  label: sql`label AS text FROM label`,
};

/** The table that has the values of a field, and the value. */
const COUNTED: Partial<Record<CountedField, [table: string, value: Sql]>> = {
  cwd: ["session", sql`session.cwd`],
  name: ["session", sql`session.name`],
  model: ["session_model", sql`session_model.model`],
  provider: ["session_model", sql`session_model.provider`],
  tag: ["tag", sql`tag.tag`],
  label: ["label", sql`label.label`],
  tool: ["tool_call", sql`substr(tool_call.name, 1, 200)`],
};

function selectPaths(selection: PathSelection | undefined): Sql<SqlBool> {
  if (!selection) return sql`TRUE`;
  if ("paths" in selection) return sql`path IN (${sql.join(selection.paths)})`;
  return sql`substr(path, ${-Array.from(selection.ending).length}) = ${selection.ending}`;
}
