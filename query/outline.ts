import type { Reader } from "../src/database/reader.ts";
import type { EntryId } from "../src/session/entries.ts";
import { treeParents } from "../src/session/tree.ts";
import type { FoundSession } from "./find.ts";
import { entryRows, labelsOf } from "./tree.ts";

/**
 * The tree of a session in columns, a row for each entry in file order: of 200,000 entries that is a few megabytes, where
 * as objects it is a hundred.
 */
export interface Outline {
  /** What entries are: `kind` says which of these an entry is. */
  kinds: { type: string; role?: string }[];
  kind: number[];
  /** Line numbers, from 1. */
  line: number[];
  /** The positions of the entries that they hang from; -1 for roots. */
  parent: number[];
  /** Unix milliseconds; null where none are told. */
  time: (number | null)[];
  id: (EntryId | null)[];
  /** The labels in force, by the position of the entry they stand on. */
  labels: { position: number; label: string }[];
}

/** The tree of a session in columns. */
export async function sessionOutline(db: Reader, session: FoundSession): Promise<Outline> {
  const rows = await entryRows(db, session);
  const kinds: Outline["kinds"] = [];
  const known = new Map<string, number>();
  const outline: Outline = {
    kinds,
    kind: new Array(rows.length),
    line: new Array(rows.length),
    parent: [...treeParents(rows)],
    time: new Array(rows.length),
    id: new Array(rows.length),
    labels: [],
  };
  const labels = await labelsOf(db, session);
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
  return outline;
}
