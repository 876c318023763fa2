import { PidexError, type SqlAnswer, type SqlCell } from "../../library/index.ts";
import { formatCsvLine } from "../format/csv.ts";
import { formatNumber } from "../format/numbers.ts";
import { toSafe } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { runInterruptibly, withIndex } from "./run.ts";
import { formatSqlTable } from "./sql-table.ts";
import { formatRow } from "./table.ts";

/** The default limit on a terminal. */
const DEFAULT_MAX_ROWS = 1000;

/** `pidex sql`. */
export async function run(io: Io, [argument]: string[], flags: Flags<"sql">): Promise<void> {
  if (flags.schema) {
    const { writeSqlSchema } = await import("./sql-schema.ts");
    return writeSqlSchema(io, flags);
  }
  const sql = argument === undefined || argument === "-" ? await sqlFromStdin(argument) : argument;
  await withIndex(io, flags, (index) =>
    runInterruptibly("interrupted", async (signal) => {
      const control = { timeoutMs: flags.timeout * 1000, signal };
      if (io.isTerminal && !flags.json && !flags.ndjson && !flags.csv) {
        const { limit = DEFAULT_MAX_ROWS } = flags;
        // One extra row shows whether there are more.
        return writeTable(io, await index.sql(sql, { ...control, maxRows: limit + 1 }), limit);
      }
      const { columns, rows } = await index.sql(sql, { ...control, maxRows: flags.limit });
      if (flags.csv) {
        await io.out(formatCsvLine(columns.map(toSafe)));
        for await (const row of rows) await io.out(toCsvRow(row));
      } else if (flags.json || flags.ndjson) {
        const names = distinct(columns);
        const objects = toObjects(names, rows);
        if (flags.json) await writeJsonList(io, { columns: names }, "rows", objects);
        else await writeJsonLines(io, objects);
      } else for await (const row of rows) await io.out(formatRow(row.map(formatCell)));
    }),
  );
}

/** More than the library accepts as SQL. */
const MAX_STDIN_BYTES = 1024 * 1024;

async function sqlFromStdin(argument: string | undefined): Promise<string> {
  if (argument === undefined && process.stdin.isTTY) {
    const hint = `Run pidex sql "SELECT …", or pass SQL on stdin with pidex sql -; --schema lists the views.`;
    throw new PidexError("BAD_SQL", "no SQL was given", hint);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_STDIN_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function writeTable(io: Io, { columns, rows }: SqlAnswer, limit: number): Promise<void> {
  const shown: SqlCell[][] = [];
  let more = false;
  for await (const row of rows) {
    more = shown.length === limit;
    if (!more) shown.push(row.map((cell) => shortened(cell, io.columns)));
  }
  await io.out(formatSqlTable(io, columns, shown));
  if (shown.length === 0) io.err(`${io.style("dim", "no rows")}\n`);
  const most = formatNumber(limit);
  if (more) io.err(`\n${io.style("dim", `… more than ${most} rows (--limit to show more)`)}\n`);
}

/** A generous maximum of UTF-16 units per terminal column. */
const UNITS_PER_COLUMN = 16;

/** Cuts a text to what can be shown, because all rows of a table are kept in memory. */
function shortened(cell: SqlCell, columns: number): SqlCell {
  return typeof cell === "number" || cell === null
    ? cell
    : formatCell(cell).slice(0, columns * UNITS_PER_COLUMN);
}

function toCsvRow(row: SqlCell[]): string {
  return formatCsvLine(
    row.map((cell) => (typeof cell === "number" || cell === null ? cell : toSafe(formatCell(cell)))),
  );
}

/** Rows as objects. */
async function* toObjects(names: string[], rows: SqlAnswer["rows"]): AsyncGenerator<object> {
  for await (const row of rows) yield Object.fromEntries(names.map((name, n) => [name, row[n]]));
}

/** The names with a number where they would repeat. */
function distinct(columns: readonly string[]): string[] {
  const taken = new Set(columns);
  const seen = new Set<string>();
  return columns.map((column) => {
    let name = column;
    for (let n = 2; seen.has(name) || (name !== column && taken.has(name)); n++) name = `${column}_${n}`;
    seen.add(name);
    return name;
  });
}

/** A value as text: "" for NULL, blobs as SQLite literals. */
function formatCell(cell: SqlCell): string {
  if (cell === null) return "";
  return typeof cell === "object" ? `x'${cell.blob}'` : String(cell);
}
