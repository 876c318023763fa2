import { PidexError, type SqlAnswer, type SqlCell } from "../../library/index.ts";
import { csvLine } from "../format/csv.ts";
import { field, safe } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { type CommonOptions, EXIT, interruptibly, withIndex } from "./run.ts";
import { sqlForPeople } from "./sql-table.ts";

interface Flags extends CommonOptions {
  /** Seconds. */
  timeout: number;
  limit?: number;
  csv?: boolean;
  schema?: boolean;
}

/** What a terminal shows without `--limit`. */
const SHOWN_ROWS = 1000;

/** `pidex sql`. */
export async function run(io: Io, [argument]: string[], flags: Flags): Promise<number> {
  if (flags.schema) {
    const { writeSchema } = await import("./sql-schema.ts");
    return writeSchema(io, flags);
  }
  const sql = argument === undefined || argument === "-" ? await sqlFromStdin(argument) : argument;
  return withIndex(io, flags, (index) =>
    interruptibly("stopped.", async (signal) => {
      const isTable = io.isTerminal && !flags.json && !flags.ndjson && !flags.csv;
      const limit = flags.limit ?? (isTable ? SHOWN_ROWS : undefined);
      // One more tells whether there are more.
      const maxRows = isTable && limit !== undefined ? limit + 1 : limit;
      const answer = await index.sql(sql, { timeoutMs: flags.timeout * 1000, maxRows, signal });
      if (isTable) await writeTable(io, answer, limit ?? SHOWN_ROWS);
      else if (flags.csv) await writeLines(io, answer, csvOfRow, csvLine(answer.columns.map(safe)));
      else if (flags.json || flags.ndjson) await writeObjects(io, answer, flags);
      else await writeLines(io, answer, (row) => `${row.map(cellText).map(field).join("\t")}\n`);
      return EXIT.done;
    }),
  );
}

/** More than the library takes. */
const MOST_BYTES = 1024 * 1024;

async function sqlFromStdin(argument: string | undefined): Promise<string> {
  if (argument === undefined && process.stdin.isTTY) {
    const hint = `Write pidex sql "SELECT …", or pidex sql - and the SQL on stdin; --schema shows what there is.`;
    throw new PidexError("BAD_SQL", "there is no SQL", hint);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) break;
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
  await io.out(sqlForPeople(io, columns, shown));
  if (shown.length === 0) io.err(`${io.style("dim", "no rows")}\n`);
  if (more) io.err(`\n${io.style("dim", `… more than ${limit.toLocaleString("en-US")} rows: --limit`)}\n`);
}

/** A character takes rarely more than so many UTF-16 units. */
const UNITS = 16;

/** No more of a text than can be shown: a thousand rows of them are kept until all are there. */
function shortened(cell: SqlCell, columns: number): SqlCell {
  return typeof cell === "number" || cell === null ? cell : cellText(cell).slice(0, columns * UNITS);
}

async function writeLines(
  io: Io,
  { rows }: SqlAnswer,
  lineOf: (row: SqlCell[]) => string,
  heading = "",
): Promise<void> {
  if (heading) await io.out(heading);
  for await (const row of rows) await io.out(lineOf(row));
}

function csvOfRow(row: SqlCell[]): string {
  return csvLine(
    row.map((cell) => (typeof cell === "number" || cell === null ? cell : safe(cellText(cell)))),
  );
}

/** Rows as objects: of columns of the same name the second gets a number. */
async function writeObjects(io: Io, { columns, rows }: SqlAnswer, { json }: Flags): Promise<void> {
  const names = distinct(columns);
  const objects = objectsOf(names, rows);
  if (json) await writeJsonList(io, { columns: names }, "rows", objects);
  else await writeJsonLines(io, objects);
}

async function* objectsOf(names: string[], rows: SqlAnswer["rows"]): AsyncGenerator<object> {
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

/** A value as text: nothing for NULL, blobs as SQLite writes them. */
export function cellText(cell: SqlCell): string {
  if (cell === null) return "";
  return typeof cell === "object" ? `x'${cell.blob}'` : String(cell);
}
