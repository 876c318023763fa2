import type { SessionCondition } from "../conditions.ts";
import { groupModels } from "../group-models.ts";
import type {
  ForkRow,
  ListedSessionRow,
  SessionModelRow,
  SessionPage,
  SessionReads,
  SessionRow,
  SessionSort,
  SessionSummaryRow,
} from "../session-reads.ts";
import { SORTED_TITLE_LENGTH } from "../session-reads.ts";
import { type Sql, sql } from "../sql.ts";
import { ownerOrder } from "./callers.ts";
import { onSameMachine } from "./machine-paths.ts";
import type { Runner } from "./runner.ts";
import { allOf, lower, machineName, personName, toSessionSql } from "./session-conditions.ts";

export class PostgresSessionReads implements SessionReads {
  readonly #db: Runner;
  readonly #shelves: readonly number[];

  constructor(db: Runner, shelves: readonly number[]) {
    this.#db = db;
    this.#shelves = shelves;
  }

  async find(condition: SessionCondition, limit: number): Promise<SessionRow[]> {
    const { rows } = await sql<SessionRow>`
      SELECT ${sessionColumns} FROM ${this.#where(condition)}
      ORDER BY session.modified DESC, session.file_id DESC LIMIT ${limit}`.execute(this.#db);
    return rows;
  }

  async get(files: readonly number[]): Promise<SessionRow[]> {
    if (files.length === 0) return [];
    const { rows } = await sql<SessionRow>`
      SELECT ${sessionColumns} FROM ${this.#where({ kind: "file", files })}`.execute(this.#db);
    return rows;
  }

  async models(files: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
    const { rows } = await sql<SessionModelRow>`
      SELECT file_id, provider || '/' || model AS model FROM session_model
      WHERE shelf = ANY (${this.#shelves}) AND file_id = ANY (${[...files]})
      ORDER BY messages DESC, provider, model`.execute(this.#db);
    return groupModels(rows);
  }

  async list(page: SessionPage): Promise<ListedSessionRow[]> {
    const { rows } = await sql<ListedSessionRow>`
      SELECT ${sessionColumns}, ${SORT_VALUES[page.sort]} AS sort_value FROM ${this.#pageOf(page)}`.execute(
      this.#db,
    );
    return rows;
  }

  async listSummaries(page: SessionPage): Promise<SessionSummaryRow[]> {
    const { rows } = await sql<SessionSummaryRow>`
      SELECT session.pinned, file.path, session.id, session.cwd, session.modified, session.message_count AS "messageCount",
        session.name, session.first_message AS "firstMessage", session.computed_title AS "computedTitle"
      FROM ${this.#pageOf(page)}`.execute(this.#db);
    return rows;
  }

  async count(condition: SessionCondition): Promise<number> {
    const { rows } = await sql<{ total: number }>`
      SELECT count(*) AS total FROM ${this.#where(condition)}`.execute(this.#db);
    return rows[0]?.total ?? 0;
  }

  async listForks(condition: SessionCondition): Promise<ForkRow[]> {
    const { rows } = await sql<ForkRow>`
      SELECT file.id AS file, file.path, session.parent_session AS parent
      FROM ${this.#where(condition)} AND session.parent_session IS NOT NULL`.execute(this.#db);
    return rows;
  }

  async findMainPaths(
    paths: Iterable<string>,
    ids: Iterable<string>,
  ): Promise<{ path: string; id: string }[]> {
    const { rows } = await sql<{ path: string; id: string }>`
      SELECT file.path, session.id FROM ${this.#where({ kind: "flag", flag: "subagent", value: false })}
        AND (file.path = ANY (${[...paths]}) OR session.id = ANY (${[...ids]}))
      ORDER BY file.path DESC`.execute(this.#db);
    return rows;
  }

  async findFiles(condition: SessionCondition): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`SELECT file.id FROM ${this.#where(condition)}`.execute(
      this.#db,
    );
    return rows.map(({ id }) => id);
  }

  async filterIndexed(paths: readonly string[]): Promise<string[]> {
    const { rows } = await sql<{ path: string }>`
      SELECT path FROM file WHERE shelf = ANY (${this.#shelves}) AND path = ANY (${paths})`.execute(this.#db);
    return rows.map(({ path }) => path);
  }

  /** The sessions on the shelves that satisfy a condition. */
  #where(condition: SessionCondition): Sql {
    return sql`session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
      WHERE session.shelf = ANY (${this.#shelves}) AND ${toSessionSql(condition)}`;
  }

  /** The source, order and limit of a page. */
  #pageOf({ condition, sort, order, pinnedFirst, limit, after }: SessionPage): Sql {
    const isDescending = (order === "newest") !== (sort === "name");
    const direction = isDescending ? sql` DESC` : sql` ASC`;
    // Pins come first in both directions, and one direction must apply to all sort keys.
    const pins = pinnedFirst ? [isDescending ? sql`session.pinned` : sql`-session.pinned`] : [];
    const keys = [...pins, SORT_VALUES[sort], sql`session.file_id`];
    const conditions = [toSessionSql(condition)];
    if (after) {
      const pinned = pinnedFirst ? [sql`${isDescending ? after.pinned : -after.pinned}::integer`] : [];
      const values = sql.join([
        ...pinned,
        sql`${after.value}::${typeof after.value === "string" ? sql`text` : sql`bigint`}`,
        sql`${after.file}::integer`,
      ]);
      conditions.push(sql`(${sql.join(keys)}) ${isDescending ? sql`<` : sql`>`} (${values})`);
    }
    const sorted = limit === undefined ? keys.slice(pins.length) : keys;
    return sql`session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
      WHERE session.shelf = ANY (${this.#shelves}) AND ${allOf(conditions)}
      ORDER BY ${sql.join(sorted.map((key) => sql`${key}${direction}`))}
      ${limit === undefined ? sql`` : sql`LIMIT ${limit + 1}`}`;
  }
}

const SORT_VALUES: Record<SessionSort, Sql<number | string>> = {
  modified: sql`session.modified`,
  created: sql`coalesce(session.created, 0)`,
  messages: sql`session.message_count`,
  name: sql`${lower(sql`left(ltrim(coalesce(session.name, session.computed_title, session.first_message, ''), E'\\t\\n\\r '), ${sql.lit(SORTED_TITLE_LENGTH)})`)} COLLATE "C"`,
  size: sql`file.cursor`,
};

/** The columns of a `SessionRow`, for a query on `file` joined with `session`. */
const sessionColumns: Sql<SessionRow> = sql`
  session.file_id, file.path, file.cursor AS size, file.subagent, 0 AS compressed, file.version,
  session.id, session.cwd, session.name, ${onSameMachine(sql`session.parent_session`)} AS parent_session, session.internal, session.created,
  session.modified, session.first_message, session.computed_title, session.provider, session.model, session.entry_count,
  session.message_count, session.user_count, session.assistant_count, session.pinned, session.archived,
  ${machineName} AS machine, ${personName} AS person,
  (SELECT count(*) FROM label WHERE label.shelf = file.shelf AND label.file_id = file.id) AS label_count,
  (SELECT json_agg(tag ORDER BY ordinal)::text FROM tag WHERE tag.shelf = file.shelf AND tag.file_id = file.id) AS tags,
  (SELECT count(*) FROM problem WHERE problem.shelf = file.shelf AND problem.file_id = file.id) AS problem_count,
  CASE WHEN file.subagent = 1 THEN (
    SELECT calling.path FROM run_path JOIN file AS calling ON calling.shelf = run_path.shelf AND calling.id = run_path.file_id
      JOIN session AS calling_session ON calling_session.shelf = run_path.shelf AND calling_session.file_id = run_path.file_id
    WHERE run_path.shelf = file.shelf AND run_path.path = file.ledger_path AND run_path.file_id <> file.id
    ORDER BY ${ownerOrder(sql`calling_session`, sql`calling`)} LIMIT 1
  ) END AS started_by`;
