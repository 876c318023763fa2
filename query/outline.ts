import type { EntryId } from "../src/session/entries.ts";
import { findTreeParents } from "../src/session/tree.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { inScope, type Scope } from "../src/store/sqlite/scope.ts";
import { sql } from "../src/store/sqlite/sql.ts";
import type { ResolvedSession } from "./resolve-session.ts";
import { readEntryRows, readLabels } from "./tree.ts";

/**
 * The tree of a session in columns, one row per entry in file order. 200,000 entries take a few megabytes; as objects they
 * would take a hundred.
 */
export interface Outline {
  /** The types and roles that occur; `kind` refers to them by position. */
  kinds: { type: string; role?: string }[];
  kind: number[];
  /** Line numbers, from 1. */
  line: number[];
  /** Positions of the parent entries; -1 for roots. */
  parent: number[];
  /** Unix milliseconds; null if unknown. */
  time: (number | null)[];
  id: (EntryId | null)[];
  /** Current labels, by position of the labeled entry. */
  labels: { position: number; label: string }[];
  /** Subagents' sessions, by position of the tool result that names their file. */
  runs: { position: number; path: string }[];
}

/** Returns the tree of a session in columns. */
export async function readSessionOutline(
  db: Reader,
  scope: Scope,
  session: ResolvedSession,
): Promise<Outline> {
  const rows = await readEntryRows(db, session);
  const kinds: Outline["kinds"] = [];
  const known = new Map<string, number>();
  const outline: Outline = {
    kinds,
    kind: new Array(rows.length),
    line: new Array(rows.length),
    parent: [...findTreeParents(rows)],
    time: new Array(rows.length),
    id: new Array(rows.length),
    labels: [],
    runs: [],
  };
  const labels = await readLabels(db, session);
  for (const [position, { type, role, line, timestamp, id }] of rows.entries()) {
    const name = `${type}\n${role ?? ""}`;
    let kind = known.get(name);
    if (kind === undefined) {
      kind = kinds.push(role === null ? { type } : { type, role }) - 1;
      known.set(name, kind);
    }
    outline.kind[position] = kind;
    outline.line[position] = line;
    outline.time[position] = timestamp;
    outline.id[position] = id;
    const label = labels.size > 0 && id !== null ? labels.get(id) : undefined;
    if (label) outline.labels.push({ position, label: label.label });
  }
  const runs = await subagentRuns(db, scope, session);
  if (runs.length > 0) {
    const positions = new Map(outline.line.map((line, position) => [line, position]));
    outline.runs = runs.map(({ line, path }) => ({ position: positions.get(line) as number, path }));
  }
  return outline;
}

/** Subagents' sessions that entries of a session name, if they are indexed. */
async function subagentRuns(
  db: Reader,
  scope: Scope,
  { fileId }: ResolvedSession,
): Promise<{ line: number; path: string }[]> {
  const { rows } = await sql<{ line: number; path: string }>`
    SELECT entry.line, run_file.path FROM entry
      JOIN run_file ON run_file.entry = entry.id JOIN file ON file.path = run_file.path
     WHERE entry.file_id = ${fileId} AND file.id <> ${fileId} AND ${inScope(scope)}
     ORDER BY entry.id, run_file.path`.execute(db);
  return rows;
}
