/** Numbers drawn with the blocks of a terminal: bars, a line of sparks, a calendar. No line is wider than `columns`. */
import { WEEKDAYS } from "../../library/index.ts";
import { oneLine } from "../format/safe.ts";
import { cut, fill, width } from "../format/text.ts";

/** A bar to draw: what it is of, how long it is, and what is written behind it. */
export interface Bar {
  label: string;
  value: number;
  text: string;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * A line for each bar: label, bar, text. The longest bar fills the room that labels and texts leave; labels are cut so
 * that bars have at least half of that. What is more than nothing is seen, if only as an eighth of a column. Negative
 * values and NaN count as nothing. `paint` colours the bars.
 */
export function bars(
  rows: readonly Bar[],
  columns: number,
  paint: (bar: string) => string = (bar) => bar,
): string[] {
  const shown = rows.map(({ label, value, text }) => ({
    label: oneLine(label),
    value: amount(value),
    text: oneLine(text),
  }));
  const textRoom = greatest(shown.map(({ text }) => width(text)));
  const free = columns - textRoom - 2; // two blanks
  const labelRoom = Math.min(greatest(shown.map(({ label }) => width(label))), Math.floor(free / 2));
  if (labelRoom < 1) return shown.map(({ label, text }) => cut(`${text} ${label}`.trim(), columns));
  const barRoom = free - labelRoom;
  const most = greatest(shown.map(({ value }) => value));
  return shown.map(({ label, value, text }) => {
    const bar = value > 0 ? barOf(value / most, barRoom) : "";
    const blanks = " ".repeat(barRoom - bar.length);
    const line = `${fill(cut(label, labelRoom), labelRoom)} ${bar && paint(bar)}${blanks}`;
    return text === "" ? line.trimEnd() : `${line} ${fill(text, textRoom, "left")}`;
  });
}

function barOf(share: number, room: number): string {
  const eighths = Math.max(1, Math.round(share * room * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

const SPARKS = "▂▃▄▅▆▇█";

/**
 * Values as one line of blocks, a column each. Nothing is `▁`, so that the line has a ground to stand on, and what is more
 * than nothing is higher. Where there are more values than columns, as few as possible are summed up in each; the first
 * column may have fewer of them than the others, so that the newest, at the end, is whole.
 */
export function sparkline(values: readonly number[], columns: number): string {
  if (values.length === 0 || columns < 1) return "";
  const each = Math.ceil(values.length / Math.floor(columns));
  const sums = new Array<number>(Math.ceil(values.length / each)).fill(0);
  const missing = sums.length * each - values.length;
  values.forEach((value, n) => {
    const column = Math.floor((n + missing) / each);
    sums[column] = amount((sums[column] as number) + amount(value));
  });
  const most = greatest(sums);
  return sums
    .map((sum) => (sum > 0 ? SPARKS[Math.max(0, Math.ceil((sum / most) * SPARKS.length) - 1)] : "▁"))
    .join("");
}

const DAY_NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LEVELS = ["·", "░", "▒", "▓", "█"];
const LEGEND = `less ${LEVELS.join(" ")} more`;
const DAY_MS = 86_400_000;

export interface CalendarOptions {
  weekStart: (typeof WEEKDAYS)[number];
  columns: number;
  /** The first and the last day to show, both as `YYYY-MM-DD`, both included. */
  from: string;
  until: string;
}

/**
 * A calendar of days and how much was on each, as GitHub draws it: weeks are columns, weekdays rows, months stand above.
 * Days without a value, or with nothing, are `·`; the others are levelled by quarters: a fourth of the days that are shown
 * is `░`, the fourth with the most is `█`. If not all weeks fit, the newest do. Under it stands what is shown: the days and
 * the legend. No lines where `until` is before `from`.
 *
 * @throws RangeError where `from` or `until` is no date
 */
export function calendar(
  days: ReadonlyMap<string, number>,
  { weekStart, columns, from, until }: CalendarOptions,
): string[] {
  const [earliest, last] = [dayOf(from), dayOf(until)];
  const names = columns < 12 ? "" : "Mon ";
  const room = Math.floor(columns) - names.length;
  if (last < earliest || room < 1) return [];
  const start = WEEKDAYS.indexOf(weekStart);
  const weekOf = (day: number) => Math.floor((day + 3 - start) / 7); // 1970-01-01, day 0, was a Thursday
  const dayIn = (week: number, row: number) => week * 7 - 3 + start + row;
  const wanted = weekOf(last) - weekOf(earliest) + 1;
  const cell = wanted * 2 - 1 <= room ? 2 : 1; // with a blank between them days are nearly square
  const weekCount = Math.min(wanted, room);
  const weeks = Array.from({ length: weekCount }, (_, n) => weekOf(last) - weekCount + 1 + n);
  const first = Math.max(earliest, dayIn(weeks[0] as number, 0));

  const values = new Map<number, number>();
  for (let day = first; day <= last; day++) values.set(day, amount(days.get(dateOf(day)) ?? 0));
  const levelOf = levels([...values.values()]);
  const rows = WEEKDAYS.map((_, row) => {
    const cells = weeks.map((week) => {
      const value = values.get(dayIn(week, row));
      return value === undefined ? " " : levelOf(value);
    });
    const name = names && `${DAY_NAMES[(start + row) % 7]} `;
    return (name + cells.join(" ".repeat(cell - 1))).trimEnd();
  });
  const months = weeks.map((week) => new Date(Math.min(dayIn(week, 6), last) * DAY_MS).getUTCMonth());
  const head = " ".repeat(names.length) + monthLine(months, cell, room);
  return [head.trimEnd(), ...rows, ...legend(`${dateOf(first)} to ${dateOf(last)}`, columns)];
}

/** Names of months over the week that each begins in; none where the next one leaves it no room. */
function monthLine(months: readonly number[], cell: number, room: number): string {
  const begins = months.flatMap((month, n) => (month === months[n - 1] ? [] : [{ month, column: n * cell }]));
  let line = "";
  begins.forEach(({ month, column }, n) => {
    const name = MONTHS[month] as string;
    const next = begins[n + 1]?.column;
    if (column + name.length + (next === undefined ? 0 : 1) <= (next ?? room))
      line = line.padEnd(column) + name;
  });
  return line;
}

/** Which sign a value has among others: `LEVELS` by quarters of those that are more than nothing. */
function levels(values: readonly number[]): (value: number) => string {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const bounds = [1, 2, 3].map((quarter) => sorted[Math.floor((sorted.length * quarter) / 4)] as number);
  return (value) => LEVELS[value > 0 ? 1 + bounds.filter((bound) => value >= bound).length : 0] as string;
}

function legend(days: string, columns: number): string[] {
  const line = `${days}   ${LEGEND}`;
  return (line.length <= columns ? [line] : [days, LEGEND]).map((text) => cut(text, columns));
}

/** Days from 1970-01-01 to a date. */
function dayOf(date: string): number {
  const time = Date.parse(`${date}T00:00Z`);
  if (Number.isNaN(time)) throw new RangeError(`"${date}" is no date`);
  return time / DAY_MS;
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, -"T00:00:00.000Z".length);
}

/** A number that can be drawn. */
function amount(value: number): number {
  return value > 0 ? Math.min(value, Number.MAX_VALUE) : 0;
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
