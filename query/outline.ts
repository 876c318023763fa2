import type { EntryId } from "../src/session/entries.ts";
import { findTreeParents } from "../src/session/tree.ts";
import type { Store } from "../src/store/store.ts";
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
export async function readSessionOutline(store: Store, session: ResolvedSession): Promise<Outline> {
  const rows = await readEntryRows(store, session);
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
  const labels = await readLabels(store, session);
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
  const runs = await (await store.entries()).listRuns(session.fileId);
  if (runs.length > 0) {
    const positions = new Map(outline.line.map((line, position) => [line, position]));
    outline.runs = runs.map(({ line, path }) => ({ position: positions.get(line) as number, path }));
  }
  return outline;
}
