import { PidexError, type SqlAnswer, type SqlCell } from "../../library/index.ts";
import { formatCsvLine } from "../format/csv.ts";
import { toField, toSafe } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { EXIT, runInterruptibly, withIndex } from "./run.ts";
import { formatSqlTable } from "./sql-table.ts";

/** The default limit on a terminal. */
const DEFAULT_MAX_ROWS = 1000;

/** `pidex sql`. */
export async function run(io: Io, [argument]: string[], flags: Flags<"sql">): Promise<number> {
  if (flags.schema) {
    const { writeSqlSchema } = await import("./sql-schema.ts");
    return writeSqlSchema(io, flags);
  }
  const sql = argument === undefined || argument === "-" ? await sqlFromStdin(argument) : argument;
  return withIndex(io, flags, (index) =>
    runInterruptibly("interrupted", async (signal) => {
      const isTable = io.isTerminal && !flags.json && !flags.ndjson && !flags.csv;
      const limit = flags.limit ?? (isTable ? DEFAULT_MAX_ROWS : undefined);
      // One extra row shows whether there are more.
      const maxRows = isTable && limit !== undefined ? limit + 1 : limit;
      const answer = await index.sql(sql, { timeoutMs: flags.timeout * 1000, maxRows, signal });
      if (isTable) await writeTable(io, answer, limit ?? DEFAULT_MAX_ROWS);
      else if (flags.csv) await writeLines(io, answer, toCsvRow, formatCsvLine(answer.columns.map(toSafe)));
      else if (flags.json || flags.ndjson) await writeObjects(io, answer, flags);
      else await writeLines(io, answer, (row) => `${row.map(formatCell).map(toField).join("\t")}\n`);
      return EXIT.done;
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
  if (more)
    io.err(
      `\n${io.style("dim", `… more than ${limit.toLocaleString("en-US")} rows (--limit to show more)`)}\n`,
    );
}

/** A generous maximum of UTF-16 units per terminal column. */
const UNITS_PER_COLUMN = 16;

/** Cuts a text to what can be shown, because all rows of a table are kept in memory. */
function shortened(cell: SqlCell, columns: number): SqlCell {
  return typeof cell === "number" || cell === null
    ? cell
    : formatCell(cell).slice(0, columns * UNITS_PER_COLUMN);
}

async function writeLines(
  io: Io,
  { rows }: SqlAnswer,
  formatRow: (row: SqlCell[]) => string,
  heading = "",
): Promise<void> {
  if (heading) await io.out(heading);
  for await (const row of rows) await io.out(formatRow(row));
}

function toCsvRow(row: SqlCell[]): string {
  return formatCsvLine(
    row.map((cell) => (typeof cell === "number" || cell === null ? cell : toSafe(formatCell(cell)))),
  );
}

/** Rows as objects. Duplicate column names get a number. */
async function writeObjects(io: Io, { columns, rows }: SqlAnswer, { json }: Flags<"sql">): Promise<void> {
  const names = distinct(columns);
  const objects = toObjects(names, rows);
  if (json) await writeJsonList(io, { columns: names }, "rows", objects);
  else await writeJsonLines(io, objects);
}

async function* toObjects(names: string[], rows: SqlAnswer["rows"]): AsyncGenerator<object> {
  for await (const row of rows) yield Object.fromEntries(names.map((name, n) => [name, row[n]]));
}

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
