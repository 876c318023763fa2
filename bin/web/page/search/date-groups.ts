/** The groups of a list that is sorted by date. */
import { countDaysSince } from "../../../format/times.ts";
import type { SessionJson } from "../../api/json.ts";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/**
 * The name of the group of a session: "Pinned", "Today", "Yesterday", "Last 7 days" or a month, such as "March 2026".
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
  const daysAgo = countDaysSince(date, now);
  if (daysAgo <= 0) return "Today";
  if (daysAgo === 1) return "Yesterday";
  return daysAgo < 7 ? "Last 7 days" : MONTH.format(date);
}
