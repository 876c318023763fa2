import type { Position, PositionRange } from "../position.ts";
import { type Sql, sql } from "../sql.ts";
import type { Place } from "./posting-reads.ts";

/** A position is the day, file and line of an entry in hexadecimal digits, so that texts sort as the entries do. */
const DIGITS = { day: 6, file: 8, line: 7 };

/** SQL for the position of an entry. */
export const positionSql: Sql<Position> = sql`lpad(to_hex(entry.day), ${sql.lit(DIGITS.day)}, '0')
  || lpad(to_hex(entry.file_id), ${sql.lit(DIGITS.file)}, '0') || lpad(to_hex(entry.line), ${sql.lit(DIGITS.line)}, '0')`;

/** The position before that of every entry. */
export const FIRST_POSITION = encodePosition({ day: 0, file: 0, line: 0 });

/** After that of every entry. */
export const LAST_POSITION = encodePosition({ day: 0xffffff, file: 0x7fffffff, line: 0xfffffff });

export function encodePosition({ day, file, line }: Place): string {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
  return hex(day, DIGITS.day) + hex(file, DIGITS.file) + hex(line, DIGITS.line);
}

/** The place at a position, or the first one after it if it is `nextPosition` of an entry's. */
export function decodePosition(position: Position): Place {
  const text = String(position);
  const fileAt = DIGITS.day;
  const lineAt = fileAt + DIGITS.file;
  const end = lineAt + DIGITS.line;
  const number = (digits: string) => Number.parseInt(digits, 16) || 0;
  return {
    day: number(text.slice(0, fileAt)),
    file: number(text.slice(fileAt, lineAt)),
    line: number(text.slice(lineAt, end)) + (text.length > end ? 1 : 0),
  };
}

/** The ends of a range of positions. */
export function decodeRange({ from, before }: PositionRange): { from: Place | undefined; before: Place } {
  return { from: from === undefined ? undefined : decodePosition(from), before: decodePosition(before) };
}
