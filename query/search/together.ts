import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { copyKey } from "../copies.ts";
import type { Match, Part } from "../match.ts";
import { type EntryRange, findHits, type HitRow } from "./hits.ts";
import { type HitSort, inOrder, type RankedHit, type RankedSession, score } from "./rank.ts";
import { signalsOf } from "./ranked-hits.ts";
import type { WantedBy } from "./wanted.ts";
import { weigh } from "./weigh.ts";

/** More parts than this are a paste; looking for each by itself would take long and tell little. */
const MOST_PARTS = 12;
/** Entries looked at for each part of the query: the newest. */
const MOST_ROWS = 4_000;

/** Sessions that hold all parts of a query in different entries. */
export interface Together {
  sessions: RankedSession[];
  /** True when a part stands in more entries than were looked at: there may be more sessions. */
  more: boolean;
}

interface Seeking {
  sort: HitSort;
  /** Whether all entries of a part are looked at, however many there are. */
  exact: boolean;
  /** Entries that come later are not looked at. */
  lastEntry: number;
  /** The files of sessions that were found already. */
  known: ReadonlySet<number>;
  /** In how many entries the words of a part stand, as far as that is known. */
  counts: ReadonlyMap<Part, number>;
}

/**
 * Finds the sessions that hold all parts of a query in different entries, with the shortest stretch that does. Goes
 * from the rarest part to the most frequent, each within the sessions that the ones before have left.
 */
export async function findTogether(
  db: Reader,
  asked: Match,
  wanted: WantedBy,
  { sort, exact, lastEntry, known, counts }: Seeking,
): Promise<Together> {
  const { parts } = asked;
  if (parts.length < 2 || parts.length > MOST_PARTS) return { sessions: [], more: false };
  let isCut = false;
  const found: HitRow[][] = [];
  let files: Set<number> | undefined;
  for (const part of rarestFirst(parts, counts)) {
    const { conditions, ...words } = wanted.part(part);
    const within = files ? await entriesOf(db, files, lastEntry) : { first: 0, last: lastEntry };
    const narrowed = { ...words, conditions: files ? [...conditions, inFiles(files)] : conditions };
    const from = sort === "oldest" ? "oldest" : "newest";
    const { rows, more } = await findHits(db, narrowed, {
      size: exact ? undefined : MOST_ROWS,
      from,
      within,
    });
    await weigh(db, rows, narrowed, more);
    isCut ||= more;
    found.push(rows);
    files = new Set(rows.map(({ file_id }) => file_id));
    if (files.size === 0) return { sessions: [], more: isCut };
  }
  const stretches = shortestStretches(found, files ?? new Set());
  const signals = await signalsOf(
    db,
    { ...asked, closeness: undefined },
    stretches.flatMap(({ rows }) => rows),
  );
  const ranked = withoutCopies(stretches)
    .filter(({ rows }) => !rows.some(({ file_id }) => known.has(file_id)))
    .map(({ rows, span, mentions }) => {
      const hits = rows.map(
        (row): RankedHit => ({ row, copies: [], score: score(row, signals), together: true }),
      );
      const words = hits.reduce((sum, hit) => sum + hit.score, 0);
      const worth = words * spanFactor(span) * (1 + MENTIONS * Math.log(mentions));
      return { fileId: (rows[0] as HitRow).file_id, hits: hits.sort(inOrder(sort)), worth };
    });
  const byFirst = inOrder(sort);
  const sessions =
    sort === "relevance"
      ? ranked.sort((a, b) => b.worth - a.worth)
      : ranked.sort((a, b) => byFirst(a.hits[0] as RankedHit, b.hits[0] as RankedHit));
  return { sessions, more: isCut };
}

/** What a session is about, it mentions more than once. */
const MENTIONS = 0.4;

/** What stands close together belongs together: side by side counts twice as much as far apart. */
function spanFactor(span: number): number {
  return 1 + 1 / (1 + span / 8);
}

/** A fork has its parent's stretch again: the session that was begun first stands for both. */
function withoutCopies(stretches: readonly Stretch[]): Stretch[] {
  const begun = ({ rows: [row] }: Stretch) => row?.created ?? Number.MAX_SAFE_INTEGER;
  const oldestFirst = stretches.toSorted(
    (a, b) => begun(a) - begun(b) || (a.rows[0]?.id ?? 0) - (b.rows[0]?.id ?? 0),
  );
  return [...new Map(oldestFirst.reverse().map((each) => [each.rows.map(copyKey).join(), each])).values()];
}

function rarestFirst(parts: readonly Part[], counts: ReadonlyMap<Part, number>): Part[] {
  // How many entries meet a condition is not known; most words are rarer than `file:*`.
  const count = (part: Part) => Math.min(counts.get(part) ?? MOST_ROWS - 1, MOST_ROWS);
  return parts.toSorted((a, b) => count(a) - count(b));
}

/** Where the entries of files are, by their ids. */
export async function entriesOf(
  db: Reader,
  files: ReadonlySet<number>,
  lastEntry: number,
): Promise<EntryRange> {
  const { rows } = await sql<EntryRange>`
    SELECT min(first) AS first, max(last) AS last FROM (
      SELECT (SELECT min(id) FROM entry WHERE file_id = value) AS first,
        (SELECT max(id) FROM entry WHERE file_id = value) AS last
      FROM json_each(${JSON.stringify([...files])}))`.execute(db);
  return { first: rows[0]?.first ?? 0, last: Math.min(rows[0]?.last ?? 0, lastEntry) };
}

function inFiles(files: ReadonlySet<number>): Sql<SqlBool> {
  return sql`entry.file_id IN (SELECT value FROM json_each(${JSON.stringify([...files])}))`;
}

interface Found {
  part: number;
  row: HitRow;
}

/** The shortest stretch of a session that holds all parts. */
interface Stretch {
  /** Its entries, in file order. */
  rows: HitRow[];
  /** How many lines it spans. */
  span: number;
  /** How many entries of the whole session hold each part, multiplied. */
  mentions: number;
}

function shortestStretches(found: readonly HitRow[][], files: ReadonlySet<number>): Stretch[] {
  const byFile = new Map([...files].map((file): [number, Found[]] => [file, []]));
  found.forEach((rows, part) => {
    for (const row of rows) byFile.get(row.file_id)?.push({ part, row });
  });
  return [...byFile.values()].flatMap((all) => {
    const inOrder = all.sort((a, b) => a.row.line - b.row.line || a.part - b.part);
    return shortestStretch(inOrder, found.length) ?? [];
  });
}

/** The shortest run of finds, by line, that has each part in it; each entry of it that adds something once. */
function shortestStretch(all: readonly Found[], parts: number): Stretch | undefined {
  const inside = new Map<number, number>();
  let best: { from: number; to: number; span: number } | undefined;
  let from = 0;
  all.forEach(({ part, row }, to) => {
    inside.set(part, (inside.get(part) ?? 0) + 1);
    while (inside.size === parts) {
      const first = all[from] as Found;
      const span = row.line - first.row.line + 1;
      if (!best || span <= best.span) best = { from, to, span }; // the later of equals
      const left = (inside.get(first.part) as number) - 1;
      if (left === 0) inside.delete(first.part);
      else inside.set(first.part, left);
      from++;
    }
  });
  if (!best) return undefined;
  const { from: start, to: end, span } = best;
  const mentions = Array.from(
    { length: parts },
    (_, part) => all.filter((each) => each.part === part).length,
  );
  return {
    rows: bestOfEach(all.slice(start, end + 1), parts),
    span,
    mentions: mentions.reduce((product, count) => product * count, 1),
  };
}

/** For each part its best entry; an entry that is best for two stands once, and counts for both. */
function bestOfEach(stretch: readonly Found[], parts: number): HitRow[] {
  const best = new Map<number, HitRow>();
  for (let part = 0; part < parts; part++) {
    const rows = stretch.filter((each) => each.part === part).map(({ row }) => row);
    const row = rows.reduce((a, b) => (b.words > a.words ? b : a));
    const known = best.get(row.id);
    best.set(row.id, known ? { ...row, words: known.words + row.words } : row);
  }
  return [...best.values()].sort((a, b) => a.line - b.line);
}
