export const DAY_MS = 86_400_000;

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** A relative time within a week, such as `5m ago`, else the date. */
export function formatRelativeTime(date: Date, now: number = Date.now()): string {
  const ms = now - date.getTime();
  if (!(ms >= 0 && ms < 7 * DAY_MS)) return formatDate(date);
  return ms < 60_000 ? "now" : `${formatAge(date, now)} ago`;
}

/** The local date: 2026-01-31. */
export function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return "?";
  return `${String(date.getFullYear()).padStart(4, "0")}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The age within the same local day, such as `3h`; then the weekday, such as `Thu`; from a week on, the day as `formatDayMonth`. */
export function formatShortDate(date: Date, now: number = Date.now()): string {
  if (Number.isNaN(date.getTime())) return "?";
  const daysAgo = countDaysSince(date, now);
  if (daysAgo <= 0) return formatAge(date, now);
  if (daysAgo >= 7) return formatDayMonth(date, now);
  return `${WEEKDAYS[date.getDay()]} ${formatTime(date)}`;
}

/** The local day, short: `31 Jan`, or `31 Jan 2025` in another year. */
export function formatDayMonth(date: Date, now: number = Date.now()): string {
  if (Number.isNaN(date.getTime())) return "?";
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return date.getFullYear() === new Date(now).getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

/** The local day and time, short: `31 Jan, 09:30`, or `31 Jan 2025, 09:30` in another year. */
export function formatDayTime(date: Date, now: number = Date.now()): string {
  if (Number.isNaN(date.getTime())) return "?";
  return `${formatDayMonth(date, now)}, ${formatTime(date)}`;
}

/** As `formatShortDate` in a sentence: `3h ago`, `Thu 09:30`, `31 Jan`. */
export function formatWhen(date: Date, now: number = Date.now()): string {
  return countDaysSince(date, now) <= 0 ? formatRelativeTime(date, now) : formatShortDate(date, now);
}

/** The local day and time in full, with the day as the page writes it: `31 Jan 2026, 09:30`. */
export function formatMoment(date: Date): string {
  if (Number.isNaN(date.getTime())) return "?";
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${formatTime(date)}`;
}

/** The number of midnights between a date and now, in local time. */
export function countDaysSince(date: Date, now: number = Date.now()): number {
  const [then, today] = [new Date(date).setHours(0, 0, 0, 0), new Date(now).setHours(0, 0, 0, 0)];
  return Math.round((today - then) / DAY_MS); // days have 23 or 25 hours when the clock changes
}

/** The local date and time: 2026-01-31 09:30. */
export function formatDateTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return "?";
  return `${formatDate(date)} ${formatTime(date)}`;
}

/** Returns a formatter of date and time in a time zone, default the local one. Create it once: `Intl` formats are slow to create. */
export function createTimeFormatter(timeZone?: string): (date: Date) => string {
  // Swedish dates have ISO format.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return (date) => (Number.isNaN(date.getTime()) ? "?" : format.format(date));
}

function formatTime(date: Date): string {
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}

/** An age in the short form of pi's session list: `3m`, `5h`, `2d`, `4w`, `7mo`, `2y`. */
export function formatAge(date: Date, now: number = Date.now()): string {
  const minutes = Math.floor((now - date.getTime()) / 60_000);
  if (Number.isNaN(minutes)) return "?";
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 1) return `${Math.floor(minutes / 60)}h`;
  if (days < 7) return `${days}d`;
  if (days < 30) return `${Math.floor(days / 7)}w`;
  return days < 365 ? `${Math.floor(days / 30)}mo` : `${Math.floor(days / 365)}y`;
}
