import type { HitConditions, SessionCondition } from "../conditions.ts";
import { comparePositions, isInRange, nextPosition, type Position, type PositionRange } from "../position.ts";
import type {
  CountedText,
  FacetValues,
  Found,
  HitRow,
  HitWindow,
  MatchRow,
  ScoreRow,
  SearchReads,
  SearchStatistics,
  ValueRow,
} from "../search-reads.ts";
import { sql } from "../sql.ts";
import type { TextExpression } from "../text-expression.ts";
import { Scorer } from "./bm25.ts";
import { readDictionary } from "./dictionary.ts";
import { isAt } from "./entry-conditions.ts";
import type { EntryCounts } from "./entry-counts.ts";
import { findHits, findMatches, getHits, placeKey, type SearchContext } from "./hits.ts";
import {
  decodePosition,
  decodeRange,
  encodePosition,
  FIRST_POSITION,
  LAST_POSITION,
  positionSql,
} from "./positions.ts";
import { possibleCopies } from "./possible-copies.ts";
import type { Runner } from "./runner.ts";
import { toSessionSql } from "./session-conditions.ts";
import { findText } from "./text-search.ts";
import { PostgresWordReads } from "./word-reads.ts";

export class PostgresSearchReads implements SearchReads {
  readonly words: PostgresWordReads;
  readonly #context: SearchContext;

  constructor(db: Runner, shelves: readonly number[], counts: EntryCounts) {
    this.words = new PostgresWordReads(db, shelves);
    let entries: Promise<number> | undefined;
    const countEntries = () => {
      entries ??= counts.count(db, shelves);
      return entries;
    };
    this.#context = { db, shelves, countEntries };
  }

  async readStatistics(counted: readonly CountedText[]): Promise<SearchStatistics> {
    const { db, shelves } = this.#context;
    const { rows } = await sql<{ position: Position }>`
      SELECT found.position FROM unnest(${shelves}::integer[]) AS searched (shelf) CROSS JOIN LATERAL (
        SELECT ${positionSql} AS position FROM entry WHERE entry.shelf = searched.shelf
        ORDER BY day DESC, file_id DESC, line DESC LIMIT 1) AS found
      ORDER BY 1 DESC LIMIT 1`.execute(db);
    const end = nextPosition(rows[0]?.position ?? FIRST_POSITION);
    const counts: number[] = [];
    for (const { text, limit } of counted) counts.push(...(await this.countEntries([text], limit, end)));
    return { end, entries: await this.#context.countEntries(), counts };
  }

  async countEntries(texts: readonly TextExpression[], limit: number, before: Position): Promise<number[]> {
    const { db, shelves } = this.#context;
    const dictionary = await readDictionary(db, shelves, texts);
    const counts: number[] = [];
    for (const text of texts) {
      // Of a single word, the dictionary knows enough.
      if (text.kind === "phrase" && !text.prefix && !text.words.includes(" ")) {
        counts.push(Math.min(dictionary.frequency(text.words), limit));
        continue;
      }
      const range = { shelves, from: undefined, before: decodePosition(before), newestFirst: true };
      let count = 0;
      for await (const batch of findText(db, text, range, dictionary)) {
        count += batch.length;
        if (count >= limit) break;
      }
      counts.push(Math.min(count, limit));
    }
    return counts;
  }

  findHits(conditions: HitConditions, window: HitWindow): Promise<Found<HitRow>> {
    return findHits(this.#context, conditions, window);
  }

  findMatches(conditions: HitConditions, window: HitWindow): Promise<Found<MatchRow>> {
    return findMatches(this.#context, conditions, window);
  }

  getHits(positions: readonly Position[]): Promise<HitRow[]> {
    return getHits(this.#context, positions.map(decodePosition));
  }

  async findFirstEntries(
    session: SessionCondition,
    conditions: HitConditions,
    limit: number,
    line = -1,
  ): Promise<HitRow[]> {
    const { db, shelves } = this.#context;
    const { rows } = await sql<{ file: number }>`
      SELECT session.file_id AS file FROM session JOIN file ON file.shelf = session.shelf AND file.id = session.file_id
      WHERE session.shelf = ANY (${shelves}) AND ${toSessionSql(session)}
      ORDER BY session.modified DESC LIMIT ${limit}`.execute(db);
    const files = rows.map(({ file }) => file);
    if (files.length === 0) return [];
    const window = {
      within: { from: undefined, before: LAST_POSITION },
      size: undefined,
      from: "oldest",
      files: new Set(files),
    } as const;
    const hits = await this.findHits({ ...conditions, scored: [] }, window);
    const byFile = Map.groupBy(hits.rows, ({ file_id: file }) => file);
    return files.flatMap((file) => {
      const rank = (row: HitRow) => (row.line === line ? 0 : row.role === "user" ? 1 : 2);
      return (byFile.get(file) ?? []).sort((a, b) => rank(a) - rank(b) || a.line - b.line).slice(0, 1);
    });
  }

  async findPossibleCopies(
    rows: readonly Pick<HitRow, "entry_id" | "timestamp">[],
    before: Position,
    outside: PositionRange,
  ): Promise<Position[]> {
    const { db, shelves } = this.#context;
    const { rows: found } = await sql<{ position: Position }>`
      SELECT ${positionSql} AS position FROM entry WHERE ${possibleCopies(shelves, rows)}`.execute(db);
    return found
      .map(({ position }) => position)
      .filter((position) => position < before && !isInRange(outside, position));
  }

  async findRange(
    conditions: Pick<HitConditions, "session" | "entry">,
    before: Position,
  ): Promise<PositionRange | undefined> {
    const all = { texts: [], scored: [], excluded: [], ...conditions };
    const within = { from: undefined, before };
    const { rows } = await this.findMatches(all, { within, size: 1, from: "newest" });
    return rows.length > 0 ? within : undefined;
  }

  async score(texts: readonly TextExpression[], within: PositionRange): Promise<ScoreRow[]> {
    const { db, shelves } = this.#context;
    const dictionary = await readDictionary(db, shelves, texts);
    const scorer = new Scorer(texts, dictionary, await this.#context.countEntries());
    const range = { shelves, ...decodeRange(within), newestFirst: true };
    const scores: ScoreRow[] = [];
    for await (const batch of findText(db, { kind: "all", of: texts }, range, dictionary)) {
      const { rows } = await sql<{ file: number; line: number; words: number }>`
        SELECT file_id AS file, line, words FROM entry WHERE shelf = ANY (${shelves}) AND ${isAt(batch)}`.execute(
        db,
      );
      const lengths = new Map(rows.map((row) => [placeKey(row), row.words]));
      for (const match of batch) {
        const score = scorer.score(match, lengths.get(placeKey(match)) ?? 0);
        scores.push({ position: encodePosition(match), score });
      }
    }
    return scores;
  }

  async findPositions(text: TextExpression, within: PositionRange): Promise<Position[]> {
    const { db, shelves } = this.#context;
    const dictionary = await readDictionary(db, shelves, [text]);
    const range = { shelves, ...decodeRange(within), newestFirst: true };
    const found: Position[] = [];
    for await (const batch of findText(db, text, range, dictionary)) found.push(...batch.map(encodePosition));
    return found.sort(comparePositions);
  }

  async readFacetValues(files: ReadonlySet<number>, positions: readonly Position[]): Promise<FacetValues> {
    const { db, shelves } = this.#context;
    const { rows: projects } = await sql<ValueRow<number>>`
      SELECT file_id AS key, cwd AS value FROM session
      WHERE shelf = ANY (${shelves}) AND file_id = ANY (${[...files]}) AND cwd <> ''`.execute(db);
    const { rows: models } = await sql<ValueRow<number>>`
      SELECT file_id AS key, provider || '/' || model AS value FROM session_model
      WHERE shelf = ANY (${shelves}) AND file_id = ANY (${[...files]}) AND provider || model <> ''`.execute(
      db,
    );
    const { rows: tags } = await sql<ValueRow<number>>`
      SELECT file_id AS key, tag AS value FROM tag
      WHERE shelf = ANY (${shelves}) AND file_id = ANY (${[...files]})`.execute(db);
    const places = positions.map(decodePosition);
    const { rows: tools } = await sql<ValueRow<Position>>`
      SELECT ${positionSql} AS key, tool_call.name AS value FROM entry JOIN tool_call
          ON tool_call.shelf = entry.shelf AND tool_call.file_id = entry.file_id AND tool_call.line = entry.line
        WHERE entry.shelf = ANY (${shelves}) AND ${isAt(places)}
      UNION ALL SELECT ${positionSql}, tool FROM entry
        WHERE entry.shelf = ANY (${shelves}) AND ${isAt(places)} AND tool IS NOT NULL`.execute(db);
    return { projects, models, tags, tools };
  }
}
