/** The rows of a hub's ledger: what it is computed from, and its results. `indexer/hub-ledger.ts` computes it. */
import type { ClientBase, Pool } from "pg";
import type { NewRunPath } from "../file-rows.ts";
import { type Columns, insertRows, toStorable } from "./insert-rows.ts";

/** A file with lines that the ledger does not cover yet. */
export interface UnsettledFile {
  id: number;
  /** The first line to settle; 0 for all. */
  fromLine: number;
  /** Whether the attribution of its events depends on other files. */
  isLinked: boolean;
  /** In the notation of `toLedgerPath`. */
  path: string;
}

/** Records that a file has lines that the ledger does not cover. */
export async function markUnsettled(
  client: ClientBase,
  { shelf, id }: { shelf: number; id: number },
  fromLine: number,
): Promise<void> {
  await client.query({
    name: "mark unsettled",
    text: `INSERT INTO unsettled (shelf, file_id, from_line) VALUES ($1, $2, $3)
      ON CONFLICT (shelf, file_id) DO UPDATE SET from_line = least(unsettled.from_line, excluded.from_line)`,
    values: [shelf, id, fromLine],
  });
}

/** The shelves with unsettled files, by default all of them. */
export async function findUnsettledShelves(pool: Pool, among?: readonly number[]): Promise<number[]> {
  const { rows } = await pool.query<{ shelf: number }>({
    name: "unsettled shelves",
    text: "SELECT DISTINCT shelf FROM unsettled WHERE $1::integer[] IS NULL OR shelf = ANY ($1)",
    values: [among ?? null],
  });
  return rows.map(({ shelf }) => shelf);
}

/** First key of the advisory locks of ledgers; the second one is the shelf. Lines can be added to files while the ledger is settled. */
export const LEDGER_LOCK = 7434;

/** Waits until no other transaction settles the ledger of a shelf, and keeps others waiting until the transaction ends. */
export async function lockLedger(client: ClientBase, shelf: number): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock($1, $2)", [LEDGER_LOCK, shelf]);
}

/** Takes some of the unsettled files of a shelf off the list, in the caller's transaction. */
export async function takeUnsettled(
  client: ClientBase,
  shelf: number,
  limit: number,
): Promise<UnsettledFile[]> {
  const { rows } = await client.query<UnsettledFile>({
    name: "take unsettled",
    text: `WITH taken AS (
        DELETE FROM unsettled WHERE shelf = $1 AND file_id IN (
          SELECT file_id FROM unsettled WHERE shelf = $1 ORDER BY file_id LIMIT $2)
        RETURNING file_id, from_line)
      SELECT file.id, from_line AS "fromLine", ledger_path AS path,
        EXISTS (SELECT 1 FROM linked_file WHERE linked_file.shelf = $1 AND linked_file.file_id = file.id) AS "isLinked"
      FROM taken JOIN file ON file.shelf = $1 AND file.id = taken.file_id
      ORDER BY file.id`,
    values: [shelf, limit],
  });
  return rows;
}

/** The files of a shelf without changes of their own that are settled because files that they depend on are. */
export async function dropUnsettled(
  client: ClientBase,
  shelf: number,
  files: readonly number[],
): Promise<void> {
  await client.query("DELETE FROM unsettled WHERE shelf = $1 AND file_id = ANY ($2)", [shelf, files]);
}

/** Whether the new lines of a file have events that other files have too, or report runs. */
export async function hasLinks(
  client: ClientBase,
  shelf: number,
  { id, fromLine, path }: UnsettledFile,
  folders: readonly string[],
): Promise<boolean> {
  const { rows } = await client.query<{ linked: boolean }>({
    name: "has links",
    text: `SELECT EXISTS (SELECT 1 FROM billing WHERE shelf = $1 AND file_id = $2 AND line >= $3 AND has_links = 1)
      OR EXISTS (SELECT 1 FROM run_path WHERE shelf = $1 AND path = ANY ($4) AND file_id <> $2)
      OR EXISTS (
        SELECT 1 FROM billing CROSS JOIN LATERAL unnest(string_to_array(keys, ',')::bigint[]) AS own (key)
          -- ORDER BY, because PostgreSQL may read the table for each key until it finds one.
          CROSS JOIN LATERAL (SELECT 1 FROM event_key WHERE event_key.shelf = $1 AND event_key.key = own.key
            AND event_key.file_id <> $2 ORDER BY event_key.file_id LIMIT 1) AS other
        WHERE billing.shelf = $1 AND billing.file_id = $2 AND billing.line >= $3) AS linked`,
    values: [shelf, id, fromLine, [path, ...folders]],
  });
  return rows[0]?.linked ?? false;
}

/** A file, and what connects it with others. */
export interface LinkedFile {
  id: number;
  path: string;
}

/**
 * The files that share events, runs or names with some files, and are not among these.
 *
 * @param folders see `listChildFolders`, of the files
 */
export async function findNeighbors(
  client: ClientBase,
  shelf: number,
  files: readonly number[],
  folders: readonly string[],
): Promise<LinkedFile[]> {
  const { rows } = await client.query<LinkedFile>({
    name: "ledger neighbors",
    text: `SELECT id, ledger_path AS path FROM file WHERE shelf = $1 AND id <> ALL ($2) AND id IN (
        SELECT other.file_id FROM event_key AS mine JOIN event_key AS other ON other.shelf = $1 AND other.key = mine.key
        WHERE mine.shelf = $1 AND mine.file_id = ANY ($2)
      UNION
        SELECT run_path.file_id FROM file AS session JOIN run_path ON run_path.shelf = $1 AND run_path.path = session.ledger_path
        WHERE session.shelf = $1 AND session.id = ANY ($2)
      UNION
        SELECT run_path.file_id FROM run_path WHERE run_path.shelf = $1 AND run_path.path = ANY ($3)
      UNION
        SELECT session.id FROM run_path JOIN file AS session ON session.shelf = $1 AND session.ledger_path = run_path.path
        WHERE run_path.shelf = $1 AND run_path.file_id = ANY ($2)
      UNION
        SELECT session.id FROM run_path JOIN file AS session ON session.shelf = $1
          AND CASE WHEN run_path.path LIKE '/%' THEN starts_with(session.ledger_path, run_path.path)
            ELSE strpos(session.ledger_path, run_path.path || 'sub-') > 0 END
        WHERE run_path.shelf = $1 AND run_path.file_id = ANY ($2) AND run_path.path LIKE '%/'
      UNION
        SELECT other.file_id FROM lineage AS mine JOIN lineage AS other ON other.shelf = $1 AND other.name = mine.name
          AND (other.role <> mine.role OR mine.name NOT LIKE 'file:%')
        WHERE mine.shelf = $1 AND mine.file_id = ANY ($2))`,
    values: [shelf, files, folders],
  });
  return rows;
}

/** The path of a file in the notation of `toLedgerPath`; empty if there is no such file. */
export async function readLedgerPath(client: ClientBase, shelf: number, file: number): Promise<string> {
  const { rows } = await client.query<{ path: string }>(
    "SELECT ledger_path AS path FROM file WHERE shelf = $1 AND id = $2",
    [shelf, file],
  );
  return rows[0]?.path ?? "";
}

/** A day of a file: the UTC day, in days since 1970. */
export interface FileDay {
  file: number;
  day: number;
}

/** All days of some files on which entries record tokens or costs. */
export async function listBilledDays(
  client: ClientBase,
  shelf: number,
  files: readonly number[],
): Promise<FileDay[]> {
  const { rows } = await client.query<FileDay>({
    name: "billed days",
    text: "SELECT DISTINCT file_id AS file, day FROM billing WHERE shelf = $1 AND file_id = ANY ($2)",
    values: [shelf, files],
  });
  return rows;
}

/** The days of a file with sums that change by the lines from one on: the days of these lines, and of the calls that they finish. */
export async function listChangedDays(
  client: ClientBase,
  shelf: number,
  { id, fromLine }: UnsettledFile,
): Promise<FileDay[]> {
  const { rows } = await client.query<FileDay>({
    name: "changed days",
    text: `SELECT DISTINCT file_id AS file, day FROM billing WHERE shelf = $1 AND file_id = $2 AND (line >= $3 OR line IN (
        SELECT coalesce(caller, line) FROM tool_call WHERE shelf = $1 AND file_id = $2 AND result >= $3))`,
    values: [shelf, id, fromLine],
  });
  return rows;
}

/** An event that does not count as its entry records it. */
export interface EventState {
  file: number;
  line: number;
  ordinal: number;
  attribution: number;
  instance: number;
  corrected: string | null;
}

/** Sums of a day of a file, packed: see `usage-rollup.ts`. */
export interface UsageDay extends FileDay {
  totals: string;
  rows: string;
}

/** What the ledger of some days of a shelf is. */
export interface LedgerResult {
  states: readonly EventState[];
  sums: readonly UsageDay[];
  /** Of the files with events that are attributed depending on other files. */
  runPaths: readonly (Omit<NewRunPath, "agent" | "tool"> & { file: number })[];
}

const STATE_COLUMNS: Columns = {
  ...{ shelf: "int", file_id: "int", line: "int", ordinal: "int", attribution: "smallint", instance: "int" },
  corrected: "text",
};
const DAY_COLUMNS: Columns = { shelf: "int", file_id: "int", day: "int", totals: "text", rows: "text" };

/** Replaces the ledger of some days. @param linked the files with events that are attributed depending on other files: of these, all days */
export async function saveLedger(
  client: ClientBase,
  shelf: number,
  { days, linked }: { days: readonly FileDay[]; linked: readonly number[] },
  { states, sums, runPaths }: LedgerResult,
): Promise<void> {
  const selected = [shelf, days.map(({ file }) => file), days.map(({ day }) => day)];
  const isSelected = "(file_id, day) IN (SELECT * FROM unnest($2::integer[], $3::integer[]))";
  await client.query({
    name: "drop event states",
    text: `DELETE FROM event_state USING billing WHERE event_state.shelf = $1 AND billing.shelf = $1
      AND billing.file_id = event_state.file_id AND billing.line = event_state.line
      AND (billing.file_id, billing.day) IN (SELECT * FROM unnest($2::integer[], $3::integer[]))`,
    values: selected,
  });
  await client.query({
    name: "drop usage days",
    text: `DELETE FROM usage_day WHERE shelf = $1 AND ${isSelected}`,
    values: selected,
  });
  const stateRows = states.map(({ file, line, ordinal, attribution, instance, corrected }) => [
    ...[shelf, file, line, ordinal, attribution, instance, corrected],
  ]);
  const dayRows = sums.map(({ file, day, totals, rows }) => [shelf, file, day, totals, rows]);
  await Promise.all([
    insertRows(client, { table: "event_state", columns: STATE_COLUMNS, rows: stateRows }),
    insertRows(client, { table: "usage_day", columns: DAY_COLUMNS, rows: dayRows }),
  ]);
  if (linked.length === 0) return;
  // Not a column of the file: transactions that add lines to it have locked its row.
  await client.query(
    "INSERT INTO linked_file (shelf, file_id) SELECT $1, * FROM unnest($2::integer[]) ON CONFLICT DO NOTHING",
    [shelf, linked],
  );
  const rows = runPaths.map(({ path, file, line, ordinal }) => ({
    path: toStorable(path),
    file,
    line,
    ordinal,
  }));
  await client.query(
    `INSERT INTO run_path (shelf, path, file_id, line, ordinal, agent, tool)
     SELECT $1, new.path, new.file_id, new.line, new.ordinal, known.agent, known.tool
     FROM unnest($2::text[], $3::integer[], $4::integer[], $5::integer[]) AS new (path, file_id, line, ordinal)
       CROSS JOIN LATERAL (SELECT agent, tool FROM run_path WHERE shelf = $1 AND run_path.file_id = new.file_id
         AND run_path.line = new.line AND run_path.ordinal = new.ordinal LIMIT 1) AS known
     ON CONFLICT DO NOTHING`,
    [
      ...[shelf, rows.map(({ path }) => path), rows.map(({ file }) => file)],
      ...[rows.map(({ line }) => line), rows.map(({ ordinal }) => ordinal)],
    ],
  );
}

/** Marks the keys of some days that files on other shelves have too: readers of both count them once. */
export async function markSharedKeys(
  client: ClientBase,
  shelf: number,
  days: readonly FileDay[],
): Promise<void> {
  await client.query({
    name: "mark shared keys",
    text: `UPDATE event_key SET shared = 1 FROM (
        SELECT shelf, key, file_id FROM event_key WHERE shared = 0 AND key IN (
          SELECT own.key FROM billing CROSS JOIN LATERAL unnest(string_to_array(keys, ',')::bigint[]) AS own (key)
          WHERE billing.shelf = $1 AND (billing.file_id, billing.day) IN (SELECT * FROM unnest($2::integer[], $3::integer[]))
            AND EXISTS (SELECT 1 FROM event_key AS other WHERE other.key = own.key AND other.shelf <> $1))
        ORDER BY shelf, key, file_id FOR UPDATE) AS found
      WHERE event_key.shelf = found.shelf AND event_key.key = found.key AND event_key.file_id = found.file_id`,
    values: [shelf, days.map(({ file }) => file), days.map(({ day }) => day)],
  });
}

/** A combination of the dimensions of sums: see `usage_series`. */
export interface SharedSeries {
  kind: string;
  provider: string;
  model: string;
  agent: string;
  tool: string;
  stop: string;
  current: number;
  context: number;
}

const SERIES = ["kind", "provider", "model", "agent", "tool", "stop", "current", "context"] as const;
const NUMBERS: readonly string[] = ["current", "context"];

/** The ids of series, in the same order, which are added if they are new. */
export async function identifySeries(
  client: ClientBase,
  shelf: number,
  series: readonly SharedSeries[],
): Promise<number[]> {
  if (series.length === 0) return [];
  const stored = series.map((row) => ({
    ...{ kind: toStorable(row.kind), provider: toStorable(row.provider), model: toStorable(row.model) },
    ...{
      agent: toStorable(row.agent),
      tool: toStorable(row.tool),
      stop: toStorable(row.stop),
      current: row.current,
      context: row.context,
    },
  }));
  const columns = SERIES.map((name) => stored.map((row) => row[name]));
  const arrays = SERIES.map((name, n) => `$${n + 2}::${NUMBERS.includes(name) ? "smallint" : "text"}[]`).join(
    ", ",
  );
  await client.query(
    `INSERT INTO usage_series (${SERIES.join(", ")}) SELECT DISTINCT * FROM unnest(${arrays.replaceAll(/\$(\d)/g, (_, n) => `$${Number(n) - 1}`)})
     ORDER BY 1, 2, 3, 4, 5, 6, 7, 8 ON CONFLICT DO NOTHING`,
    columns,
  );
  const { rows } = await client.query<{ id: number; n: number }>(
    `WITH named AS (SELECT usage_series.id, wanted.n FROM unnest(${arrays}) WITH ORDINALITY AS wanted (${SERIES.join(", ")}, n)
         JOIN usage_series USING (${SERIES.join(", ")})),
       added AS (INSERT INTO shelf_series (shelf, series) SELECT DISTINCT $1::integer, id FROM named ORDER BY 2 ON CONFLICT DO NOTHING)
     SELECT id, n FROM named ORDER BY n`,
    [shelf, ...columns],
  );
  return rows.map(({ id }) => id);
}
