/** Hits as text. */
import type { Hit, ScanHit } from "../../library/index.ts";
import { entryKind, isSummary } from "./entry-kinds.ts";
import { safe } from "./safe.ts";

/** A hit of a search, or of a scan. */
export type AnyHit = Hit | ScanHit;

/** One word for where a hit was found. */
export function sourceOf({ role, type, part }: Pick<AnyHit, "role" | "type" | "part">): string {
  if (part === "thought") return "thought";
  if (role === "assistant") return part === "called" ? "call" : "agent";
  return isSummary(type) ? "summary" : entryKind({ role, type });
}

/** A segment of a snippet: a match, or the text around it. */
export interface Piece {
  /** Safe for a terminal. */
  text: string;
  found: boolean;
}

/** A snippet split into matches and the text around them. */
export function piecesOf({ snippet: { text, ranges } }: Pick<AnyHit, "snippet">): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    pieces.push({ text: safe(text.slice(from, start)), found: false });
    pieces.push({ text: safe(text.slice(start, end)), found: true });
    from = end;
  }
  return [...pieces, { text: safe(text.slice(from)), found: false }];
}
