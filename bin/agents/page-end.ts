/** Where an answer of `read_session` or `session_tree` ended, as a text that goes on from there. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { PidexError } from "../../index.ts";

const PageEnd = z.strictObject({
  /** Which file it is of: a cursor costs tokens each time it is told. */
  of: z.string(),
  /** What is gone on with: entries forwards or backwards, the text of one entry, an outline, a tree. */
  to: z.enum(["on", "back", "text", "outline", "tree"]),
  /** The branch, by its last entry; null where that has no id. */
  leaf: z.union([z.string(), z.number(), z.null()]),
  /** The line of the entry to go on with. */
  line: z.int().min(1),
  /** How much of its text was told. */
  told: z.int().min(0).optional(),
});
export type PageEnd = Omit<z.infer<typeof PageEnd>, "of">;

export function encodePageEnd(path: string, end: PageEnd): string {
  return Buffer.from(JSON.stringify({ of: markOf(path), ...end } satisfies z.infer<typeof PageEnd>)).toString(
    "base64url",
  );
}

function markOf(path: string): string {
  return createHash("sha256").update(path).digest("base64url").slice(0, 8);
}

/** @throws PidexError `BAD_CURSOR` */
export function decodePageEnd(cursor: string, path: string): PageEnd {
  const read = PageEnd.safeParse(parsed(cursor));
  if (read.success && read.data.of === markOf(path)) return read.data;
  throw new PidexError(
    "BAD_CURSOR",
    read.success ? "the cursor is that of another session" : "the cursor is none of this tool",
    "Give a cursor back as it came, with the same session.",
    { cause: read.error },
  );
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined; // told by who looks at it
  }
}
