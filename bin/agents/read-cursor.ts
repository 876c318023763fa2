/** Cursors of `read_session` and `session_tree`. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type EntryId, PidexError } from "../../library/index.ts";

export interface ReadCursor {
  /** What the next page holds: entries forwards or backwards, the rest of one entry's text, an outline or a tree. */
  mode: z.infer<typeof To>;
  /** The last entry of the branch; null if that entry has no id. */
  leaf: EntryId | null;
  /** The line of the entry where the next page starts. */
  line: number;
  /** Characters of its text that earlier pages returned. */
  offset?: number | undefined;
}

const To = z.enum(["on", "back", "text", "outline", "tree"]);

/** The encoded form, without field names, to save tokens. The first element identifies the file. */
const EncodedCursor = z.tuple([
  z.string(),
  To,
  z.union([z.string(), z.number(), z.null()]),
  z.int().min(1),
  z.int().min(0),
]);

export function encodeReadCursor(path: string, { mode, leaf, line, offset = 0 }: ReadCursor): string {
  const encoded: z.infer<typeof EncodedCursor> = [hashPath(path), mode, leaf, line, offset];
  return Buffer.from(JSON.stringify(encoded)).toString("base64url");
}

function hashPath(path: string): string {
  return createHash("sha256").update(path).digest("base64url").slice(0, 8);
}

/** @throws PidexError `BAD_CURSOR` */
export function decodeReadCursor(cursor: string, path: string): ReadCursor {
  const read = EncodedCursor.safeParse(decodeJson(cursor));
  if (read.success && read.data[0] === hashPath(path)) {
    const [, to, leaf, line, offset] = read.data;
    return { mode: to, leaf, line, offset };
  }
  throw new PidexError(
    "BAD_CURSOR",
    read.success ? "the cursor belongs to another session" : "the cursor is not from this tool",
    "Pass the cursor unchanged, with the same session.",
    { cause: read.error },
  );
}

/** The error for a cursor to entries that no longer exist because the file was rewritten. */
export function staleCursorError(): PidexError {
  return new PidexError(
    "BAD_CURSOR",
    "the cursor refers to entries that the session no longer has",
    "Start again without a cursor.",
  );
}

function decodeJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined; // the schema rejects it
  }
}
