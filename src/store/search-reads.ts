import type { HitConditions, SessionCondition } from "./conditions.ts";
import type { Position, PositionRange } from "./position.ts";
import type { EntryTable, SqlEntryId } from "./schema.ts";
import type { TextExpression } from "./text-expression.ts";
import type { WordReads } from "./word-reads.ts";

/**
 * Reads of search. Hits are entries that the reader may see; reads of texts alone cover all entries, because what they return is
 * combined with hits or counts.
 */
export interface SearchReads {
  readonly words: WordReads;
  /** The number of entries, and of those that contain each text, counted up to its limit. */
  readStatistics(counted: readonly CountedText[]): Promise<SearchStatistics>;
  /** The number of entries before a position that contain each of these texts, counted up to `limit`. */
  countEntries(texts: readonly TextExpression[], limit: number, before: Position): Promise<number[]>;
  /** The hits in a window, and whether there are more beyond it. They are scored if `areAllScored`. */
  findHits(conditions: HitConditions, window: HitWindow): Promise<Found<HitRow>>;
  /** `findHits` with the few columns that totals and facets need: there may be hundreds of thousands. */
  findMatches(conditions: HitConditions, window: HitWindow): Promise<Found<MatchRow>>;
  /** The entries at these positions, newest first. They are not scored. */
  getHits(positions: readonly Position[]): Promise<HitRow[]>;
  /**
   * Of each session that satisfies a condition, the best entry to begin with: of those that satisfy `conditions` the one on this
   * line, else the first one of the user, else the first. Last modified session first. They are not scored.
   */
  findFirstEntries(
    session: SessionCondition,
    conditions: HitConditions,
    limit: number,
    line?: number,
  ): Promise<HitRow[]>;
  /** The positions, before a position and outside a range, of entries that may be copies of these: with their ids and times. */
  findPossibleCopies(
    rows: readonly Pick<HitRow, "entry_id" | "timestamp">[],
    before: Position,
    outside: PositionRange,
  ): Promise<Position[]>;
  /** A range, before a position, that contains all entries that satisfy conditions; undefined if there are none. */
  findRange(
    conditions: Pick<HitConditions, "session" | "entry">,
    before: Position,
  ): Promise<PositionRange | undefined>;
  /** The entries in a range that contain all of these texts, and their scores. */
  score(texts: readonly TextExpression[], within: PositionRange): Promise<ScoreRow[]>;
  /** The positions in a range of the entries that contain a text. */
  findPositions(text: TextExpression, within: PositionRange): Promise<Position[]>;
  /** The values of facets that are not columns of matches. There may also be some of other entries. */
  readFacetValues(files: ReadonlySet<number>, positions: readonly Position[]): Promise<FacetValues>;
}

/** A text to count the entries of. */
export interface CountedText {
  text: TextExpression;
  limit: number;
}

export interface SearchStatistics {
  /** The position after the last entry. */
  end: Position;
  /** The number of entries, which may be an estimate. */
  entries: number;
  /** The number of entries that contain each text. */
  counts: number[];
}

/** Which of the hits are read. */
export interface HitWindow {
  within: PositionRange;
  /** Maximum number of hits, newest or oldest first. Undefined means no limit. */
  size: number | undefined;
  from: "newest" | "oldest";
  /** Only hits in these files. */
  files?: ReadonlySet<number> | undefined;
}

export interface Found<Row> {
  rows: Row[];
  /** Whether there are more beyond the window. */
  more: boolean;
}

/** An entry that matches, with the columns that ranking uses. */
export interface HitRow
  extends Pick<EntryTable, "file_id" | "line" | "byte_length" | "type" | "role" | "timestamp" | "text_hash"> {
  position: Position;
  entry_id: SqlEntryId;
  /** Its score by the texts: greater is better, comparable within one search. 0 if it is not scored. */
  words: number;
  /** Name and creation time of its session. */
  name: string | null;
  created: number | null;
  /** 1 if it is on the current branch of its session. */
  current: number;
}

/** The columns of a match that totals and facets need. */
export type MatchRow = Pick<HitRow, "position" | "file_id" | "role" | "timestamp">;

export interface ScoreRow {
  position: Position;
  /** As `HitRow.words`. */
  score: number;
}

/** Values by file or entry, which may have several. */
export interface FacetValues {
  /** Working directories by file. */
  projects: ValueRow<number>[];
  /** `provider/model` by file. */
  models: ValueRow<number>[];
  /** Tags by file. */
  tags: ValueRow<number>[];
  /** Tools by position. */
  tools: ValueRow<Position>[];
}

export interface ValueRow<Key> {
  key: Key;
  value: string;
}
