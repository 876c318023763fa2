/** Entries as they go to the page: texts of megabytes and the bytes of pictures stay here. */

import { decodedBytes } from "../../format/images.ts";

/** Of a longer text the page gets the beginning, in UTF-16 units. */
const MOST_UNITS = 200_000;
/** What all texts of an entry may have together. */
const MOST_IN_ALL = 1_000_000;
/** What is nested deeper is not told. */
const MOST_LEVELS = 100;

/** A value in which no text is too long to be shown; what is missing of one is told at its end. */
export function shortened(value: unknown): unknown {
  let left = MOST_IN_ALL;
  const text = (whole: string): string => {
    const units = Math.min(MOST_UNITS, left);
    left -= Math.min(units, whole.length);
    if (whole.length <= units) return whole;
    // Not within a pair.
    const end = /[\uD800-\uDBFF]/.test(whole[units - 1] ?? "") ? units - 1 : units;
    return `${whole.slice(0, end)}\n[… ${whole.length - end} more characters]`;
  };
  const inside = (inner: unknown, levels: number): unknown => {
    if (typeof inner === "string") return text(inner);
    if (typeof inner !== "object" || inner === null) return inner;
    if (levels === 0) return "…";
    if (Array.isArray(inner)) return inner.map((each) => inside(each, levels - 1));
    if (isImage(inner)) {
      const { data, ...image } = inner;
      return { ...image, byteCount: decodedBytes(data) };
    }
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, inside(each, levels - 1)]));
  };
  return inside(value, MOST_LEVELS);
}

function isImage(value: object): value is { type: "image"; data: string } {
  return "type" in value && value.type === "image" && "data" in value && typeof value.data === "string";
}
