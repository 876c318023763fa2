import { PidexError } from "../src/errors.ts";

/**
 * Where a page of a list ended: the value it was sorted by and the file's row, so that the next page goes on
 * there whatever was added meanwhile. `order` is kept too: a cursor is of no use to another order.
 */
export interface PageEnd {
  order: string;
  value: number;
  fileId: number;
  /** Whether the last session was pinned, in lists where these come first. */
  pinned?: boolean | undefined;
}

export function encodeCursor({ order, value, fileId, pinned }: PageEnd): string {
  return Buffer.from(
    JSON.stringify([order, value, fileId, ...(pinned === undefined ? [] : [pinned])]),
  ).toString("base64url");
}

/** @throws PidexError `BAD_CURSOR` for anything `encodeCursor` did not make for the same order */
export function decodeCursor(cursor: string, order: string): PageEnd {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const [madeFor, value, fileId, pinned, ...more]: unknown[] = Array.isArray(parts) ? parts : [];
    const isEnd = typeof value === "number" && typeof fileId === "number" && more.length === 0;
    const tellsPins = pinned === undefined || typeof pinned === "boolean";
    if (madeFor === order && isEnd && tellsPins) return { order, value, fileId, pinned };
  } catch (error) {
    throw badCursor(error);
  }
  throw badCursor();
}

function badCursor(cause?: unknown): PidexError {
  const hint = "Give the `next` of the page before, with the same sort and order, or none to start over.";
  return new PidexError("BAD_CURSOR", "the cursor does not belong to this list", hint, { cause });
}
