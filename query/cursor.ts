import { PidexError } from "../src/errors.ts";
import type { Position } from "../src/store/position.ts";

/**
 * Encodes the end of a page, mostly as numbers, which make short cursors. The next page continues there even if sessions were added
 * meanwhile.
 *
 * @param request what the cursor is valid for: the order of a list, or the query and filters of a search
 */
export function encodeCursor(position: readonly (number | string)[], request: unknown): string {
  return Buffer.from(JSON.stringify([hashOf([request, position]), ...position])).toString("base64url");
}

/**
 * Decodes the numbers of a list's cursor.
 *
 * @param count number of numbers, at least
 * @throws PidexError `BAD_CURSOR` unless `encodeCursor` created it for the same request
 */
export function decodeCursor(cursor: string, request: unknown, count: number): number[] {
  return decode(cursor, request, count, "list", (part) => typeof part === "number");
}

/** Decodes a cursor in which positions may be texts. @throws as `decodeCursor` */
export function decodePositions(
  cursor: string,
  request: unknown,
  count: number,
  what: "list" | "search" = "search",
): Position[] {
  return decode(cursor, request, count, what, (part) => typeof part === "number" || typeof part === "string");
}

/** Decodes a cursor of texts. @throws as `decodeCursor` */
export function decodeTexts(cursor: string, request: unknown, count: number): string[] {
  return decode(cursor, request, count, "search", (part) => typeof part === "string");
}

function decode<Part>(
  cursor: string,
  request: unknown,
  count: number,
  what: "list" | "search",
  isPart: (part: unknown) => part is Part,
): Part[] {
  let cause: unknown;
  try {
    const [hash, ...parts]: unknown[] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (parts.every(isPart) && parts.length >= count && hash === hashOf([request, parts])) return parts;
  } catch (error) {
    cause = error;
  }
  const hint =
    "Pass the `next` of the previous page with the same query and options, or omit the cursor to start over.";
  throw new PidexError("BAD_CURSOR", `the cursor does not belong to this ${what}`, hint, { cause });
}

/**
 * Detects cursors used with another request by mistake, and damaged ones. It need not be secure: a cursor grants no access. Loading
 * node:crypto takes 10 ms.
 */
function hashOf(value: unknown): string {
  const text = JSON.stringify(value);
  return [0x811c9dc5, 0x9747b28c].map((seed) => fnv(text, seed).toString(36)).join("");
}

/** 32-bit FNV hash over UTF-16 units, with a seed. */
function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
