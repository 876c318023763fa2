import type { HitConditions, SessionCondition } from "../conditions.ts";
import type { Position, PositionRange } from "../position.ts";
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
} from "../search-reads.ts";
import { sql } from "../sql.ts";
import type { TextExpression } from "../text-expression.ts";
import { readFacetValues } from "./facet-values.ts";
import { findFirstEntries } from "./first-entries.ts";
import { findHits, findMatches, getHits, toRowRange } from "./hits.ts";
import type { Reader } from "./reader.ts";
import type { Scope } from "./scope.ts";
import { findRange } from "./search-range.ts";
import { countEntries, findPositions, readStatistics, scoreEntries } from "./text-counts.ts";
import { SqliteWordReads } from "./word-reads.ts";

/** A position is the row id of an entry. */
export class SqliteSearchReads implements SearchReads {
  readonly words: SqliteWordReads;
  readonly #db: Reader;
  readonly #scope: Scope;

  constructor(db: Reader, scope: Scope) {
    this.#db = db;
    this.#scope = scope;
    this.words = new SqliteWordReads(db);
  }

  readStatistics(counted: readonly CountedText[]): Promise<SearchStatistics> {
    return readStatistics(this.#db, counted);
  }

  countEntries(texts: readonly TextExpression[], limit: number, before: Position): Promise<number[]> {
    return countEntries(this.#db, texts, limit, before);
  }

  findHits(conditions: HitConditions, window: HitWindow): Promise<Found<HitRow>> {
    return findHits(this.#db, this.#scope, conditions, window);
  }

  findMatches(conditions: HitConditions, window: HitWindow): Promise<Found<MatchRow>> {
    return findMatches(this.#db, this.#scope, conditions, window);
  }

  getHits(positions: readonly Position[]): Promise<HitRow[]> {
    return getHits(this.#db, positions);
  }

  findFirstEntries(
    session: SessionCondition,
    conditions: HitConditions,
    limit: number,
    line?: number,
  ): Promise<HitRow[]> {
    return findFirstEntries(this.#db, this.#scope, session, conditions, limit, line);
  }

  async findPossibleCopies(
    rows: readonly Pick<HitRow, "entry_id" | "timestamp">[],
    before: Position,
    outside: PositionRange,
  ): Promise<Position[]> {
    const entryIds = sql.list(rows.flatMap(({ entry_id }) => entry_id ?? []));
    // All sessions of version 1 have the same ids: the times narrow them down.
    const times = sql.list(rows.flatMap(({ timestamp }) => timestamp ?? []));
    const { last: lastEntry } = toRowRange({ from: undefined, before });
    const { first, last } = toRowRange(outside);
    const { rows: found } = await sql<{ id: number }>`
      SELECT id FROM entry WHERE entry_id IN ${entryIds} AND timestamp IN ${times}
        AND id <= ${lastEntry} AND id NOT BETWEEN ${first} AND ${last}`.execute(this.#db);
    return found.map(({ id }) => id);
  }

  findRange(
    conditions: Pick<HitConditions, "session" | "entry">,
    before: Position,
  ): Promise<PositionRange | undefined> {
    return findRange(this.#db, this.#scope, conditions, before);
  }

  score(texts: readonly TextExpression[], within: PositionRange): Promise<ScoreRow[]> {
    return scoreEntries(this.#db, texts, within);
  }

  findPositions(text: TextExpression, within: PositionRange): Promise<Position[]> {
    return findPositions(this.#db, text, within);
  }

  readFacetValues(files: ReadonlySet<number>, positions: readonly Position[]): Promise<FacetValues> {
    return readFacetValues(this.#db, files, positions);
  }
}
