import { safeJson } from "./safe.ts";

/** How deep a value is written where `JSON.stringify`, which is recursive, cannot write the whole of it. */
const MOST_LEVELS = 200;

/** A value as JSON that is safe for a terminal. What is nested too deep to write is left out as "…". */
export function toJson(value: unknown, indent = 0): string {
  try {
    return safeJson(JSON.stringify(value, null, indent));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return safeJson(JSON.stringify(cutBelow(value, MOST_LEVELS), null, indent));
  }
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((inner) => cutBelow(inner, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutBelow(inner, levels - 1)]));
}
