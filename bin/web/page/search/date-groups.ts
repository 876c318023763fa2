/** The groups of a list that is sorted by date. */
import type { SessionJson } from "../../api/json.ts";

const DAY_MS = 86_400_000;
const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/**
 * The name of the group of a session: "Pinned", "Today", "Yesterday", "Last 7 days", "Last 30 days" or a month, such as "March 2026".
 *
 * @param now in milliseconds
 */
export function dateGroupOf(
  { pinned, modified }: Pick<SessionJson, "pinned" | "modified">,
  pinnedFirst: boolean,
  now: number = Date.now(),
): string {
  if (pinnedFirst && pinned) return "Pinned";
  const date = new Date(modified);
  if (Number.isNaN(date.getTime())) return "No date";
  const today = new Date(now).setHours(0, 0, 0, 0);
  // Days of 23 or 25 hours.
  const daysAgo = Math.round((today - new Date(date).setHours(0, 0, 0, 0)) / DAY_MS);
  if (daysAgo <= 0) return "Today";
  if (daysAgo === 1) return "Yesterday";
  if (daysAgo < 7) return "Last 7 days";
  return daysAgo < 30 ? "Last 30 days" : MONTH.format(date);
}
