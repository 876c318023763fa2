import { PidexError } from "../src/errors.ts";

/**
 * The end of a page of a list: the sort value and file row of its last session. The next page continues there even if
 * sessions were added meanwhile.
 */
export interface ListPosition {
  value: number;
  fileId: number;
  /** Whether the last session was pinned, in lists that show pinned sessions first. */
  pinned?: boolean | undefined;
}

/**
 * Encodes the end of a page, plain JSON, as a cursor.
 *
 * @param request what the cursor is valid for: the order of a list, or the query and filters of a search
 */
export function encodeCursor(position: unknown, request: unknown): string {
  return Buffer.from(JSON.stringify([hashOf([request, position]), position])).toString("base64url");
}

/** @throws PidexError `BAD_CURSOR` unless `encodeCursor` created it for the same request */
export function decodeCursor<T>(cursor: string, request: unknown, what: "list" | "search" = "list"): T {
  let cause: unknown;
  try {
    const [hash, position] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (hash === hashOf([request, position])) return position;
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
