import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import type { Schema } from "../src/database/schema.ts";
import { PidexError } from "../src/errors.ts";
import { type EntryText, entryText, type TextPart } from "../src/session/text.ts";
import type { Hit, SessionHits, SessionInfo, Snippet } from "./answers.ts";
import { allOf, sessionCondition, timeCondition } from "./filter.ts";
import { type Match, match } from "./match.ts";
import { parseOptions, SearchOptions } from "./options.ts";
import { type EntryPlace, ReadBack } from "./read-back.ts";
import type { Scope } from "./scope.ts";
import { type SessionRow, sessionColumns, sessionInfos } from "./session-info.ts";
import { opening, snippet } from "./snippet.ts";
import { isoTime } from "./tree.ts";

/** What a search found. */
export interface SearchResult {
  /** Sessions with their best hits, best first. */
  sessions: SessionHits[];
  /** Hits that were ranked: all there are, or the newest `RANKED_HITS` where there are more. */
  hitCount: number;
  /** True when there are more hits than were ranked. */
  more: boolean;
  /** Files whose lines are no longer what was indexed: their hits were left out. Sync and search again. */
  changedFiles: string[];
}

/**
 * How many of the newest hits are ranked. Ranking every hit of a common word takes a hundred times as long, and
 * what is wanted of a common word is the newest.
 */
const RANKED_HITS = 2_000;

/** bm25 weights: what was said counts more than thinking, calls and output. */
const WEIGHTS = { said: 4, thought: 1.5, called: 2, output: 1 } as const;

/** A session of now counts half as much again as one of long ago; a month takes a third of that away. */
const RECENCY = { weight: 0.5, halfLife: 60 * 86400e3 };

type HitRow = EntryPlace & {
  file_id: number;
  path: string;
  version: number;
  role: string | null;
  score: number;
};

/**
 * Finds entries by their words, best first, grouped by session; each hit with a snippet read back from its
 * file.
 *
 * @throws PidexError `BAD_QUERY`, `BAD_OPTION`
 */
export async function searchEntries(
  db: Kysely<Schema>,
  scope: Scope,
  query: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const asked = match(query);
  const parsed = parseOptions(SearchOptions, options);
  const rows = await findHits(db, scope, asked, parsed);
  const more = rows.length > RANKED_HITS;
  const ranked = rank(rows.slice(0, RANKED_HITS), Date.now());
  const groups = groupByFile(ranked);
  const best = [...groups.entries()].slice(0, parsed.limit);
  const infos = await infosOf(
    db,
    best.map(([fileId]) => fileId),
  );
  const changedFiles: string[] = [];
  const sessions = best.flatMap(([fileId, hits]): SessionHits[] => {
    const session = infos.get(fileId);
    const shown = readHits(hits.slice(0, parsed.hits), asked);
    if (!shown) changedFiles.push(hits[0]?.path ?? "");
    return session && shown ? [{ session, hits: shown, hitCount: hits.length }] : [];
  });
  return { sessions, hitCount: Math.min(rows.length, RANKED_HITS), more, changedFiles };
}

async function findHits(
  db: Kysely<Schema>,
  scope: Scope,
  { expression }: Match,
  options: z.output<typeof SearchOptions>,
): Promise<HitRow[]> {
  const { said, thought, called, output } = WEIGHTS;
  const conditions: RawBuilder<SqlBool>[] = [
    sql`entry_text MATCH ${expression}`,
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
  ];
  if (options.role !== undefined) conditions.push(sql`entry.role = ${options.role}`);
  // CROSS JOIN keeps SQLite from starting anywhere but at the words; by rowid the newest come first.
  const { rows } = await sql<HitRow>`
    SELECT entry.file_id, file.path, file.version, entry.line, entry.byte_offset, entry.byte_length,
      entry.entry_id, entry.parent_id, entry.type, entry.role, entry.timestamp,
      -bm25(entry_text, ${said}, ${thought}, ${called}, ${output}) AS score
    FROM entry_text CROSS JOIN entry ON entry.id = entry_text.rowid
      CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id
    WHERE ${allOf(conditions)}
    ORDER BY entry_text.rowid DESC LIMIT ${RANKED_HITS + 1}`.execute(db);
  return rows;
}

function rank(rows: readonly HitRow[], now: number): HitRow[] {
  return rows
    .map((row) => ({ ...row, score: row.score * (1 + recency(row.timestamp, now)) }))
    .sort((a, b) => b.score - a.score || (b.timestamp ?? 0) - (a.timestamp ?? 0));
}

function recency(timestamp: number | null, now: number): number {
  if (timestamp === null) return 0;
  return RECENCY.weight * 0.5 ** (Math.max(0, now - timestamp) / RECENCY.halfLife);
}

function groupByFile(ranked: readonly HitRow[]): Map<number, HitRow[]> {
  const groups = new Map<number, HitRow[]>();
  for (const row of ranked) {
    const group = groups.get(row.file_id);
    if (group) group.push(row);
    else groups.set(row.file_id, [row]);
  }
  return groups;
}

async function infosOf(db: Kysely<Schema>, fileIds: readonly number[]): Promise<Map<number, SessionInfo>> {
  if (fileIds.length === 0) return new Map();
  const { rows } = await sql<SessionRow>`
    SELECT ${sessionColumns} FROM session JOIN file ON file.id = session.file_id
    WHERE file.id IN (${sql.join(fileIds)})`.execute(db);
  const infos = await sessionInfos(db, rows);
  return new Map(rows.map((row, n) => [row.file_id, infos[n] as SessionInfo]));
}

/** Hits with their snippets; undefined when the file is no longer what was indexed. */
function readHits(rows: readonly HitRow[], asked: Match): Hit[] | undefined {
  const [first] = rows;
  if (!first) return [];
  let file: ReadBack | undefined;
  try {
    file = new ReadBack(first.path, first.version);
    const opened = file;
    return rows.map((row) => hitOf(row, entryText(opened.entry(row)), asked));
  } catch (error) {
    if (error instanceof PidexError) return undefined;
    throw error;
  } finally {
    file?.close();
  }
}

const PARTS: readonly TextPart[] = ["said", "called", "output", "thought"];

function hitOf(row: HitRow, text: EntryText, { terms }: Match): Hit {
  const shown = PARTS.flatMap((part): { part: TextPart; found: Snippet }[] => {
    const found = text[part] && snippet(text[part], terms);
    return found ? [{ part, found }] : [];
  }).sort((a, b) => b.found.ranges.length - a.found.ranges.length)[0];
  const part = shown?.part ?? PARTS.find((name) => text[name]) ?? "said";
  return {
    entryId: row.entry_id,
    line: row.line,
    byteOffset: row.byte_offset,
    type: row.type,
    role: row.role ?? undefined,
    timestamp: isoTime(row.timestamp),
    part,
    score: row.score,
    snippet: shown?.found ?? opening(text[part]),
  };
}
