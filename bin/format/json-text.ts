import { escapeJson } from "./safe.ts";

/** The depth at which a value is cut if it is too deep for `JSON.stringify`, which is recursive. */
const MAX_DEPTH = 200;

/** A value as JSON that is safe for a terminal. Values nested too deep are replaced by "…". */
export function toSafeJson(value: unknown, indent = 0): string {
  try {
    return escapeJson(JSON.stringify(value, null, indent));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return escapeJson(JSON.stringify(cutBelow(value, MAX_DEPTH), null, indent));
  }
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((inner) => cutBelow(inner, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutBelow(inner, levels - 1)]));
}
