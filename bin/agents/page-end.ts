/** Where an answer of `read_session` or `session_tree` ended, as a text that goes on from there. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type EntryId, PidexError } from "../../library/index.ts";

export interface PageEnd {
  /** What is gone on with: entries forwards or backwards, the text of one entry, an outline, a tree. */
  to: z.infer<typeof To>;
  /** The branch, by its last entry; null where that has no id. */
  leaf: EntryId | null;
  /** The line of the entry to go on with. */
  line: number;
  /** How much of its text was told. */
  told?: number;
}

const To = z.enum(["on", "back", "text", "outline", "tree"]);

/** As it is written, without names: a cursor costs tokens each time it is told. The first says which file it is of. */
const Written = z.tuple([
  z.string(),
  To,
  z.union([z.string(), z.number(), z.null()]),
  z.int().min(1),
  z.int().min(0),
]);

export function encodePageEnd(path: string, { to, leaf, line, told = 0 }: PageEnd): string {
  const written: z.infer<typeof Written> = [markOf(path), to, leaf, line, told];
  return Buffer.from(JSON.stringify(written)).toString("base64url");
}

function markOf(path: string): string {
  return createHash("sha256").update(path).digest("base64url").slice(0, 8);
}

/** @throws PidexError `BAD_CURSOR` */
export function decodePageEnd(cursor: string, path: string): PageEnd {
  const read = Written.safeParse(parsed(cursor));
  if (read.success && read.data[0] === markOf(path)) {
    const [, to, leaf, line, told] = read.data;
    return { to, leaf, line, told };
  }
  throw new PidexError(
    "BAD_CURSOR",
    read.success ? "the cursor is that of another session" : "the cursor is none of this tool",
    "Give a cursor back as it came, with the same session.",
    { cause: read.error },
  );
}

/** Of a cursor that leads to what is not there: the file was rewritten since. */
export function cursorGone(): PidexError {
  return new PidexError(
    "BAD_CURSOR",
    "the cursor is of what the session has no more",
    "Ask anew, without a cursor.",
  );
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined; // told by who looks at it
  }
}
