/** Shortens entries for the page: without texts of megabytes and the bytes of images. */

import { countDecodedBytes } from "../../format/images.ts";
import { formatInteger } from "../../format/safe.ts";

/** Maximum length of a text, in UTF-16 units. */
const MAX_TEXT_UNITS = 200_000;
/** Maximum total length of the texts of an entry. */
const MAX_TOTAL_UNITS = 1_000_000;
/** Maximum nesting; deeper values become "…". */
const MAX_DEPTH = 100;

/** Returns the value with long texts truncated. A truncated text ends with the number of missing characters. */
export function shortenForPage(value: unknown): unknown {
  let unitsLeft = MAX_TOTAL_UNITS;
  const shorten = (whole: string): string => {
    const units = Math.min(MAX_TEXT_UNITS, unitsLeft);
    unitsLeft -= Math.min(units, whole.length);
    if (whole.length <= units) return whole;
    // Don't split a surrogate pair.
    const end = /[\uD800-\uDBFF]/.test(whole[units - 1] ?? "") ? units - 1 : units;
    return `${whole.slice(0, end)}\n[… ${formatInteger(whole.length - end)} more characters]`;
  };
  const visit = (inner: unknown, levels: number): unknown => {
    if (typeof inner === "string") return shorten(inner);
    if (typeof inner !== "object" || inner === null) return inner;
    if (levels === 0) return "…";
    if (Array.isArray(inner)) return inner.map((each) => visit(each, levels - 1));
    if (isImage(inner)) {
      const { data, ...image } = inner;
      return { ...image, byteCount: countDecodedBytes(data) };
    }
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, visit(each, levels - 1)]));
  };
  return visit(value, MAX_DEPTH);
}

function isImage(value: object): value is { type: "image"; data: string } {
  return "type" in value && value.type === "image" && "data" in value && typeof value.data === "string";
}
