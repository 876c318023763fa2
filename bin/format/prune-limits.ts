/** What the settings of `pidex prune --configured` accept: mistyped, they would select all sessions. */
import { parseMoment } from "../../library/internal.ts";
import { parseByteSize } from "./bytes.ts";

const DAY_MS = 86_400_000;

/** Whether a text is an age or a past date of at least a day: `180d`, `2026-01-31`. `6m` are six minutes. */
export function isPruneAge(text: string): boolean {
  const time = /^\d/.test(text) ? parseMoment(text) : undefined;
  return time !== undefined && time <= Date.now() - DAY_MS;
}

/** Whether a text is a size with a unit: `20GB`. */
export function isPruneSize(text: string): boolean {
  return /[KMGTB]/i.test(text) && (parseByteSize(text) ?? 0) > 0;
}
