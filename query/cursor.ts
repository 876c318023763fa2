import { PidexError } from "../src/errors.ts";

/**
 * The end of a page of a list: the sort value and file row of its last session. The next page continues there even if
 * sessions were added meanwhile. A cursor is only valid for the same `order`.
 */
export interface ListCursor {
  order: string;
  value: number;
  fileId: number;
  /** Whether the last session was pinned, in lists that show pinned sessions first. */
  pinned?: boolean | undefined;
}

export function encodeCursor({ order, value, fileId, pinned }: ListCursor): string {
  return Buffer.from(
    JSON.stringify([order, value, fileId, ...(pinned === undefined ? [] : [pinned])]),
  ).toString("base64url");
}

/** @throws PidexError `BAD_CURSOR` unless `encodeCursor` created it for the same order */
export function decodeCursor(cursor: string, order: string): ListCursor {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const [cursorOrder, value, fileId, pinned, ...more]: unknown[] = Array.isArray(parts) ? parts : [];
    const isEnd = typeof value === "number" && typeof fileId === "number" && more.length === 0;
    const isPinnedValid = pinned === undefined || typeof pinned === "boolean";
    if (cursorOrder === order && isEnd && isPinnedValid) return { order, value, fileId, pinned };
  } catch (error) {
    throw badCursor(error);
  }
  throw badCursor();
}

function badCursor(cause?: unknown): PidexError {
  const hint =
    "Pass the `next` of the previous page with the same sort and order, or omit the cursor to start over.";
  return new PidexError("BAD_CURSOR", "the cursor does not belong to this list", hint, { cause });
}
