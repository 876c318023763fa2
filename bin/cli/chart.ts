/** Terminal charts in block characters: bars, a sparkline, a calendar. No line is wider than `columns`. */
import { toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate } from "../format/text.ts";
import { DAY_MS } from "../format/times.ts";
import { WEEKDAYS } from "../format/weekdays.ts";

/** One row of a bar chart; `text` follows the bar. */
export interface Bar {
  label: string;
  value: number;
  text: string;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * One line per bar: label, bar, text. The longest bar fills the width that labels and texts leave; labels are cut so
 * that bars get at least half of it. Any positive value is at least an eighth of a column. Negative values and NaN
 * count as 0. `paint` colors the bars.
 */
export function drawBars(
  rows: readonly Bar[],
  columns: number,
  paint: (bar: string) => string = (bar) => bar,
): string[] {
  const shown = rows.map(({ label, value, text }) => ({
    label: toOneLine(label),
    value: amount(value),
    text: toOneLine(text),
  }));
  const textRoom = greatest(shown.map(({ text }) => measureWidth(text)));
  const free = columns - textRoom - 2; // two blanks
  const labelRoom = Math.min(greatest(shown.map(({ label }) => measureWidth(label))), Math.floor(free / 2));
  if (labelRoom < 1) return shown.map(({ label, text }) => truncate(`${text} ${label}`.trim(), columns));
  const barRoom = free - labelRoom;
  const most = greatest(shown.map(({ value }) => value));
  return shown.map(({ label, value, text }) => {
    const bar = value > 0 ? barOf(value / most, barRoom) : "";
    const blanks = " ".repeat(barRoom - bar.length);
    const line = `${pad(truncate(label, labelRoom), labelRoom)} ${bar && paint(bar)}${blanks}`;
    return text === "" ? line.trimEnd() : `${line} ${pad(text, textRoom, "left")}`;
  });
}

function barOf(share: number, room: number): string {
  const eighths = Math.max(1, Math.round(share * room * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

const SPARKS = "▂▃▄▅▆▇█";

/**
 * Values as one line of blocks, one column each. 0 is `▁`, any positive value is higher. If there are more values than
 * columns, each column sums as few values as possible. The first column may sum fewer, so that the newest, at the end,
 * is complete.
 */
export function drawSparkline(values: readonly number[], columns: number): string {
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

export interface CalendarOptions {
  weekStart: (typeof WEEKDAYS)[number];
  columns: number;
  /** The first and the last day to show, both as `YYYY-MM-DD`, both included. */
  from: string;
  until: string;
}

/**
 * A calendar of daily values in GitHub's layout: one column per week, one row per weekday, months above. Days without a
 * value, or with 0, are `·`; the others are shaded by quartile, from `░` to `█`. If not all weeks fit, the newest are
 * shown. The last line names the days shown and the legend. Empty if `until` is before `from`.
 *
 * @throws RangeError if `from` or `until` is not a date
 */
export function drawCalendar(
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
  const spannedWeeks = weekOf(last) - weekOf(earliest) + 1;
  const cell = spannedWeeks * 2 - 1 <= room ? 2 : 1; // with a space between columns, days are nearly square
  const weekCount = Math.min(spannedWeeks, room);
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

/** Month names, each above the week in which the month begins; omitted where the next one leaves no room. */
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

/** Returns a function from a value to its character in `LEVELS`, by quartile of the positive values. */
function levels(values: readonly number[]): (value: number) => string {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const bounds = [1, 2, 3].map((quarter) => sorted[Math.floor((sorted.length * quarter) / 4)] as number);
  return (value) => LEVELS[value > 0 ? 1 + bounds.filter((bound) => value >= bound).length : 0] as string;
}

function legend(days: string, columns: number): string[] {
  const line = `${days}   ${LEGEND}`;
  return (line.length <= columns ? [line] : [days, LEGEND]).map((text) => truncate(text, columns));
}

/** The number of days from 1970-01-01 to a date. */
function dayOf(date: string): number {
  const time = Date.parse(`${date}T00:00Z`);
  if (Number.isNaN(time)) throw new RangeError(`"${date}" is not a date`);
  return time / DAY_MS;
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, -"T00:00:00.000Z".length);
}

/** The value as a finite number of at least 0. */
function amount(value: number): number {
  return value > 0 ? Math.min(value, Number.MAX_VALUE) : 0;
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
