/** Adds up the whole index from its blocks of time: few rows, however many sessions there are. */
import { BLOCKS, type BlockTable, DAY, HOUR, MANY_DAYS } from "../../src/store/sqlite/blocks.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { CALL_SUMS, QUARTER_MS, STANDING, SUMS, type Sums } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { allOf } from "../filter.ts";
import { longest, pieces, type Span, splitAt, wholeIn } from "./block-spans.ts";
import {
  addedOf,
  areSubagents,
  CALLS,
  type Condition,
  columnsOf,
  type Periods,
  quarterTable,
  type SumColumn,
  type SumQuery,
  type SumRow,
} from "./sum-query.ts";

/** The first quarter that a Date can hold: blocks of all lengths begin with it. */
const FIRST = -6_250_000 * MANY_DAYS;
/** Rows that are read at a time. */
const PAGE = 10_000;

/**
 * Adds up what a query asks for of the whole index, but for single events; where the sessions of subagents are told apart
 * it leaves those out.
 *
 * @returns whether it could: else it has given nothing
 */
export async function* sumBlocks(db: Reader, query: SumQuery): AsyncGenerator<SumRow[], boolean> {
  const sources = sourcesOf(query);
  const { since, until, periods } = query;
  // Twice as far is what has no time; and after all that has one.
  const first = until === undefined ? 2 * FIRST : FIRST;
  const span: Span = {
    from: since === undefined ? first : Math.ceil(since / QUARTER_MS),
    until: until === undefined ? -2 * FIRST : Math.floor(until / QUARTER_MS),
  };
  for (const source of sources) {
    if (!periods) yield* together(db, source, span);
    else if (!(yield* byPeriods(db, source, span, periods))) return false;
  }
  return sources.length > 0;
}

/** How to ask for sums, in blocks of one length, or by quarter. */
interface Source {
  /** The lengths of its blocks, the shortest first. */
  widths: readonly number[];
  by: readonly SumColumn[];
  sums: readonly (keyof Sums)[];
  /** Of blocks of a length; 1 is by quarter. */
  at: (width: number) => Level;
}

interface Level {
  table: Sql;
  /** The column that says when it begins. */
  time: Sql;
  columns: Sql[];
  condition: Condition;
  added: (name: keyof Sums) => Sql;
}

/** What a query is answered from; none where blocks don't tell apart what it must. */
function sourcesOf(query: SumQuery): Source[] {
  const { by, blocks, byTool, periods } = query;
  const table = tableFor(query);
  if (!blocks || !table) return [];
  const ofQuarters = quarterTable(query);
  if (!byTool) {
    const conditions = { blocks: blocks.spending, quarters: query.spending };
    return [source(query, { table, ofQuarters, conditions, by, sums: SUMS })];
  }
  if (periods?.isOfHours) return [];
  return [
    source(query, {
      table,
      ofQuarters,
      conditions: { blocks: blocks.spending, quarters: query.spending },
      by,
      sums: SUMS.filter((sum) => !CALLS.includes(sum)),
    }),
    source(query, {
      table: "block_tool_use",
      ofQuarters: "tool_use",
      conditions: { blocks: blocks.toolUse, quarters: byTool },
      by: by.filter((column) => column !== "kind" && column !== "agent"),
      sums: CALL_SUMS,
    }),
  ];
}

/** The table with the fewest rows that tells apart what a query must. */
function tableFor({ by, columns, periods, since, until }: SumQuery): BlockTable | undefined {
  if (by.includes("file_id")) return undefined;
  const isOfAllTime = !periods && since === undefined && until === undefined;
  if (isOfAllTime) return "block_spending"; // its blocks are the longest
  const needed = [...by, ...columns].filter((column) => column !== "subagent_file");
  const table = (["block_total", "block_model", "block_spending"] as const).find((table) =>
    needed.every((column) => (BLOCKS[table].key as readonly string[]).includes(column)),
  );
  return table && periods?.isOfHours && BLOCKS[table].widths[0] > HOUR ? undefined : table;
}

interface SourceOptions extends Pick<Source, "by" | "sums"> {
  table: BlockTable;
  ofQuarters: string;
  conditions: { blocks: Condition; quarters: Condition };
}

function source(query: SumQuery, { table, ofQuarters, conditions, by, sums }: SourceOptions): Source {
  const isEach = query.by.includes("subagent_file");
  const level = (isSubagents: Condition, columns: Sql[], ...which: Condition[]) => ({
    columns,
    condition: allOf(isEach ? [...which, sql<SqlBool>`NOT ${isSubagents}`] : which),
    added: (name: keyof Sums) => addedOf(name, query.subagents.length > 0 ? isSubagents : undefined),
  });
  const areTheirs = areSubagents(query);
  const isOwn = sql<SqlBool>`standing = ${sql.lit(STANDING.own)}`;
  const quarters: Level = {
    table: sql.raw(ofQuarters),
    time: sql.ref("quarter"),
    ...level(areTheirs, columnsOf(by, areTheirs), isOwn, conditions.quarters),
  };
  const names = by.map((name) => (name === "subagent_file" ? sql`NULL AS subagent_file` : sql.ref(name)));
  const blocks = (width: number): Level => ({
    table: sql.raw(table),
    time: sql.ref("start"),
    ...level(sql`subagent = 1`, names, sql`width = ${sql.lit(width)}`, conditions.blocks),
  });
  const { widths } = BLOCKS[table];
  return { widths, by, sums, at: (width) => (width === 1 ? quarters : blocks(width)) };
}

/** What is in a span, put together by what it is of. */
async function* together(db: Reader, { widths, by, sums, at }: Source, span: Span): AsyncGenerator<SumRow[]> {
  const group =
    by.length > 0 ? sql`GROUP BY ${sql.join(by.map((name) => sql.ref(name)))}` : sql`HAVING count(*) > 0`;
  for (const { width, from, until } of pieces(span, widths)) {
    const { table, time, columns, condition, added } = at(width);
    const all = sums.map((name) => sql`sum(${added(name)}) AS ${sql.ref(name)}`);
    const { rows } = await sql<SumRow>`
      SELECT ${sql.join([...columns, ...all])} FROM ${table}
      WHERE ${time} >= ${from} AND ${time} < ${until} AND ${condition} ${group}`.execute(db);
    yield rows;
  }
}

/** A part of a block, or of what is left over at the ends of a span. */
interface Part extends Span {
  /** Where it was counted with the rest of its block. */
  counted?: number;
}

/**
 * What is in a span, period by period. Where a period begins within a block, all of it counts for the one that has most
 * of it; what others have is looked up in shorter blocks, given to them, and taken away from that. So days of any zone
 * are days in UTC with some hours more at one end and less at the other.
 */
async function* byPeriods(
  db: Reader,
  source: Source,
  span: Span,
  { isOfHours, cuts }: Periods,
): AsyncGenerator<SumRow[], boolean> {
  const width = isOfHours ? HOUR : DAY;
  const whole = wholeIn(span, width) ?? { from: span.from, until: span.from };
  const { table, time, columns, condition, added } = source.at(width);
  const all = source.sums.map((name) => sql`${added(name)} AS ${sql.ref(name)}`);
  let from = whole.from;
  for (let size = PAGE; from < whole.until; ) {
    const { rows } = await sql<SumRow & { quarter: number }>`
      SELECT ${time} AS quarter, ${sql.join([...columns, ...all])} FROM ${table}
      WHERE ${time} >= ${from} AND ${time} < ${whole.until} AND ${condition} ORDER BY ${time} LIMIT ${sql.lit(size)}`.execute(
      db,
    );
    const last = rows.length < size ? undefined : rows.at(-1)?.quarter;
    const page = last === undefined ? rows : rows.filter(({ quarter }) => quarter < last); // the last block may go on
    if (page.length === 0 && last !== undefined) {
      size *= 2;
      continue;
    }
    const { parts, blocks, hosts } = cut(page, width, cuts);
    // Where hours begin at half past, what is left of blocks is no less than there is by quarter.
    if (isOfHours && from === whole.from && hosts.size > blocks / 2) return false;
    for (const row of page) row.quarter = hosts.get(row.quarter) ?? row.quarter;
    yield page;
    yield* inParts(db, source, width, parts);
    from = last ?? whole.until;
  }
  const ends = [
    { from: span.from, until: whole.from },
    { from: whole.until, until: span.until },
  ].filter(({ from, until }) => from < until);
  yield* inParts(
    db,
    source,
    width,
    ends.flatMap((end) => splitAt(end, cuts(end.from, end.until))),
  );
  return true;
}

/** Which blocks of a page periods begin in: where most of each counts, and the other parts. */
function cut(
  page: readonly { quarter: number }[],
  width: number,
  cuts: Periods["cuts"],
): { parts: Part[]; blocks: number; hosts: Map<number, number> } {
  const parts: Part[] = [];
  const hosts = new Map<number, number>();
  let blocks = 0;
  let block: number | undefined;
  for (const { quarter } of page) {
    if (quarter === block) continue;
    block = quarter;
    blocks++;
    const within = cuts(block, block + width);
    if (within.length === 0) continue;
    const spans = splitAt({ from: block, until: block + width }, within);
    const host = longest(spans);
    hosts.set(block, host.from);
    for (const each of spans) if (each !== host) parts.push({ ...each, counted: host.from });
  }
  return { parts, blocks, hosts };
}

/** What is in parts of blocks. */
async function* inParts(
  db: Reader,
  source: Source,
  width: number,
  parts: readonly Part[],
): AsyncGenerator<SumRow[]> {
  const shorter = source.widths.filter((other) => other < width);
  const ranges = Map.groupBy(
    parts.flatMap((part) => pieces(part, shorter).map((piece) => ({ ...piece, part }))),
    (piece) => piece.width,
  );
  for (const [width, theirs] of ranges) {
    const { table, time, columns, condition, added } = source.at(width);
    const all = source.sums.map((name) => sql`${added(name)} AS ${sql.ref(name)}`);
    const wanted = JSON.stringify(
      theirs.map(({ from, until, part }) => [from, until, part.from, part.counted ?? null]),
    );
    const { rows } = await sql<SumRow>`
      SELECT wanted.value ->> 2 AS quarter, wanted.value ->> 3 AS counted, ${sql.join([...columns, ...all])}
      FROM json_each(${wanted}) AS wanted
        CROSS JOIN ${table} ON ${time} >= wanted.value ->> 0 AND ${time} < wanted.value ->> 1
      WHERE ${condition}`.execute(db);
    yield rows;
  }
}
