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
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { ownerOrderTerms } from "./owner-order.ts";
import type { Reader } from "./reader.ts";
import { inScope, inScopeWithoutIndex, type Scope } from "./scope.ts";
import { allOf, toSessionSql } from "./session-conditions.ts";

export class SqliteSessionReads implements SessionReads {
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
  }

  async find(condition: SessionCondition, limit: number): Promise<SessionRow[]> {
    const { rows } = await sql<SessionRow>`
      SELECT ${sessionColumns} FROM session JOIN file ON file.id = session.file_id
      WHERE ${this.#isIncluded(condition)}
      ORDER BY session.modified DESC, session.file_id DESC LIMIT ${limit}`.execute(this.#db);
    return rows;
  }

  async get(files: readonly number[]): Promise<SessionRow[]> {
    if (files.length === 0) return [];
    const { rows } = await sql<SessionRow>`
      SELECT ${sessionColumns} FROM session JOIN file ON file.id = session.file_id
      WHERE file.id IN ${sql.list(files)}`.execute(this.#db);
    return rows;
  }

  async models(files: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
    const { rows } = await sql<SessionModelRow>`
      SELECT file_id, provider || '/' || model AS model FROM session_model WHERE file_id IN ${sql.list(files)}
      ORDER BY messages DESC, provider, model`.execute(this.#db);
    return groupModels(rows);
  }

  async findFiles(condition: SessionCondition): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT file.id FROM session JOIN file ON file.id = session.file_id
      WHERE ${allOf([inScope(this.#scope), toSessionSql(condition)])}`.execute(this.#db);
    return rows.map(({ id }) => id);
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
      SELECT session.pinned, file.path, session.id, session.cwd, session.modified, session.message_count AS messageCount,
        session.name, session.first_message AS firstMessage, session.computed_title AS computedTitle
      FROM ${this.#pageOf(page)}`.execute(this.#db);
    return rows;
  }

  /** The number of all sessions grows with the history and is part of every page of a list. */
  async count(condition: SessionCondition): Promise<number> {
    if (!isUnconditional(condition)) return this.#count(condition);
    const name = JSON.stringify(["sessions", condition, this.#scope]);
    return this.#db.cachedUntilChange(name, () => this.#count(condition));
  }

  async #count(condition: SessionCondition): Promise<number> {
    const { rows } = await sql<{ total: number }>`
      SELECT count(*) AS total FROM session CROSS JOIN file ON file.id = session.file_id
      WHERE ${this.#isListed(condition)}`.execute(this.#db);
    return rows[0]?.total ?? 0;
  }

  async listForks(condition: SessionCondition): Promise<ForkRow[]> {
    const { rows } = await sql<ForkRow>`
      SELECT session.file_id AS file, file.path, session.parent_session AS parent
      FROM session CROSS JOIN file ON file.id = session.file_id
      WHERE session.parent_session IS NOT NULL AND ${this.#isListed(condition)}`.execute(this.#db);
    return rows;
  }

  async findMainPaths(
    paths: Iterable<string>,
    ids: Iterable<string>,
  ): Promise<{ path: string; id: string }[]> {
    const { rows } = await sql<{ path: string; id: string }>`
      SELECT file.path, session.id FROM session JOIN file ON file.id = session.file_id
      WHERE file.subagent = 0 AND (file.path IN ${sql.list(paths)} OR session.id IN ${sql.list(ids)})
      ORDER BY file.path DESC`.execute(this.#db);
    return rows;
  }

  async filterIndexed(paths: readonly string[]): Promise<string[]> {
    const { rows } = await sql<{ path: string }>`
      SELECT path FROM file WHERE path IN ${sql.list(paths)}`.execute(this.#db);
    return rows.map(({ path }) => path);
  }

  /** For few sessions, which an index finds. Only without a condition are they read in order. */
  #isIncluded(condition: SessionCondition): Sql<SqlBool> {
    const isInScope = isUnconditional(condition) ? inScopeWithoutIndex : inScope;
    return allOf([isInScope(this.#scope), toSessionSql(condition)]);
  }

  #isListed(condition: SessionCondition): Sql<SqlBool> {
    return allOf([inScopeWithoutIndex(this.#scope), toSessionSql(condition)]);
  }

  /** The source, order and limit of a page. */
  #pageOf({ condition, sort, order, pinnedFirst, limit, after }: SessionPage): Sql {
    const isDescending = (order === "newest") !== (sort === "name");
    // Pins come first in both directions, and one direction must apply to all sort keys.
    const pins = pinnedFirst ? [isDescending ? sql`session.pinned` : sql`-session.pinned`] : [];
    const keys = [...pins, SORT_VALUES[sort], sql`session.file_id`];
    const direction = isDescending ? sql` DESC` : sql` ASC`;
    const inOrder = (some: readonly Sql<unknown>[]) =>
      sql`ORDER BY ${sql.join(some.map((each) => sql`${each}${direction}`))}`;
    const conditions = [this.#isListed(condition)];
    if (after) {
      const pinned = pinnedFirst ? [isDescending ? after.pinned : -after.pinned] : [];
      const values = sql.join([...pinned, after.value, after.file]);
      conditions.push(sql`(${sql.join(keys)}) ${isDescending ? sql`<` : sql`>`} (${values})`);
    }
    const where = allOf(conditions);
    const limitClause = sql`LIMIT ${sql.lit(limit === undefined ? -1 : limit + 1)}`;
    const first = (pinned: 0 | 1) => sql`
      SELECT * FROM (SELECT session.file_id AS first_id FROM session CROSS JOIN file ON file.id = session.file_id
        WHERE ${where} AND session.pinned = ${sql.lit(pinned)} ${inOrder(keys.slice(1))} ${limitClause})`;
    // No index has pins first. Each half is read in order from an index that ignores pins, and no further than the limit.
    const source =
      pinnedFirst && limit !== undefined
        ? sql`(${first(1)} UNION ALL ${first(0)}) CROSS JOIN session ON session.file_id = first_id
            CROSS JOIN file ON file.id = first_id`
        : sql`session CROSS JOIN file ON file.id = session.file_id WHERE ${where}`;
    const sorted = limit === undefined ? keys.slice(pins.length) : keys;
    return sql`${source} ${inOrder(sorted)} ${limitClause}`;
  }
}

const SORT_VALUES: Record<SessionSort, Sql<number | string>> = {
  modified: sql`session.modified`,
  created: sql`coalesce(session.created, 0)`,
  messages: sql`session.message_count`,
  // lower() of SQLite folds ASCII only.
  name: sql`lower(substr(ltrim(coalesce(session.name, session.computed_title, session.first_message, ''), char(9, 10, 13, 32)), 1, ${sql.lit(SORTED_TITLE_LENGTH)}))`,
  size: sql`file.size`,
};

/** Whether only flags limit the sessions. */
function isUnconditional(condition: SessionCondition): boolean {
  if (condition.kind === "all") return condition.of.every(isUnconditional);
  if (condition.kind === "modified") return condition.since === undefined && condition.until === undefined;
  return condition.kind === "flag";
}

/** The columns of a `SessionRow`, for a query on `file` joined with `session`. */
export const sessionColumns: Sql<SessionRow> = sql`
  file.id AS file_id, file.path, file.size, file.subagent, file.compressed, file.version,
  session.id, session.cwd, session.name, session.parent_session, session.internal, session.created,
  session.modified, session.first_message, session.computed_title, session.provider, session.model, session.entry_count,
  session.message_count, session.user_count, session.assistant_count, session.pinned, session.archived,
  (SELECT count(*) FROM label WHERE label.file_id = file.id) AS label_count,
  CASE WHEN EXISTS (SELECT 1 FROM tag) THEN (
    SELECT json_group_array(ordered.tag) FROM (SELECT tag.tag FROM tag
    WHERE tag.file_id = file.id ORDER BY tag.ordinal) AS ordered
  ) END AS tags,
  (SELECT count(*) FROM problem WHERE problem.file_id = file.id) AS problem_count,
  CASE WHEN file.subagent = 1 THEN (
    SELECT caller.path FROM run_file
      JOIN entry ON entry.id = run_file.entry JOIN file AS caller ON caller.id = entry.file_id
      JOIN session AS caller_session ON caller_session.file_id = caller.id
     WHERE run_file.path = file.path AND caller.id <> file.id
     ORDER BY ${sql.raw(ownerOrderTerms("caller_session", "caller"))} LIMIT 1
  ) END AS started_by`;
