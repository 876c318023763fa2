/** Hits of searches, in words. */
import type { Hit, ScanHit } from "../../library/index.ts";
import { oneLine, safe } from "./safe.ts";

/** A hit of a search, or of a scan. */
export type AnyHit = Hit | ScanHit;

const SOURCES: Record<string, string> = {
  toolResult: "output",
  bashExecution: "bash",
  pythonExecution: "python",
  fileMention: "files",
  assistant: "agent",
  branch_summary: "summary",
  branchSummary: "summary",
  compactionSummary: "summary",
  compaction: "summary",
  session_summary: "summary",
  session_info: "name",
  title_change: "name",
  custom_message: "custom",
};

/** Where a hit was found, in a word. */
export function sourceOf({ role, type, part }: Pick<AnyHit, "role" | "type" | "part">): string {
  const name =
    part === "thought" ? "thought" : part === "called" && role === "assistant" ? "call" : (role ?? type);
  return Object.hasOwn(SOURCES, name) ? (SOURCES[name] as string) : oneLine(name);
}

/** A part of a snippet, which was looked for or stands around it. */
export interface Piece {
  /** Safe for a terminal. */
  text: string;
  found: boolean;
}

/** A snippet as what stands around what was found. */
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
