/** The outline of a session as it goes over the wire: of 200,000 entries two megabytes. */
import type { EntryId, Outline } from "../../../library/index.ts";
import { entryKind } from "../../format/entry-kinds.ts";
import type { OutlineAnswer } from "../api/session-answers.ts";

export interface OutlineAsked {
  /** How many rows are known, and the `mark` they were told with. */
  from?: number | undefined;
  mark?: string | undefined;
  /** Entries whose rows are asked for. */
  at?: string | undefined;
  leaf?: string | undefined;
}

/** What who asks does not know of an outline. */
export function outlineColumns(outline: Outline, { from = 0, mark, at, leaf }: OutlineAsked): OutlineAnswer {
  const count = outline.line.length;
  const isKnown = from > 0 && from <= count && markOf(outline, from) === mark;
  const first = isKnown ? from : 0;
  const answer: OutlineAnswer = {
    from: first,
    count,
    mark: markOf(outline, count),
    kinds: outline.kinds.map((kind) => ({ ...kind, word: entryKind(kind) })),
    kind: outline.kind.slice(first),
    line: [],
    up: [],
    time: [],
    ends: endsOf(outline, first),
    labels: outline.labels.map(({ position, label }) => [position, label]),
    runs: outline.runs.map(({ position, path }) => [position, path]),
  };
  let line = outline.line[first - 1] ?? 0;
  let time = outline.time.slice(0, first).findLast((one) => one !== null) ?? 0;
  for (let position = first; position < count; position++) {
    const parent = outline.parent[position] as number;
    answer.up.push(parent < 0 ? 0 : position - parent);
    answer.line.push((outline.line[position] as number) - line);
    line = outline.line[position] as number;
    const now = outline.time[position] ?? null;
    answer.time.push(now === null ? null : now - time);
    time = now ?? time;
  }
  const atRow = rowOf(outline.id, at);
  const leafRow = rowOf(outline.id, leaf);
  return {
    ...answer,
    ...(atRow !== undefined && { at: atRow }),
    ...(leafRow !== undefined && { leaf: leafRow }),
  };
}

/** The row of an id: the last, where it stands twice. An address cannot tell a number from its digits. */
function rowOf(ids: readonly (EntryId | null)[], id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  const row = ids.findLastIndex((one) => one !== null && String(one) === id);
  return row < 0 ? undefined : row;
}

/** The ids of the rows from which nothing hangs. */
function endsOf({ parent, id }: Outline, first: number): OutlineAnswer["ends"] {
  const isParent = new Uint8Array(parent.length);
  for (const position of parent) if (position >= 0) isParent[position] = 1;
  const ends: OutlineAnswer["ends"] = [];
  for (let position = first; position < parent.length; position++)
    if (!isParent[position]) ends.push([position, id[position] ?? null]);
  return ends;
}

/** Tells the first rows of an outline from any others: a hash of where they stand and what they hang from. */
function markOf({ line, parent, kind }: Outline, count: number): string {
  let hash = 0x811c9dc5;
  const add = (number: number) => {
    hash = Math.imul(hash ^ number, 0x01000193);
    hash ^= hash >>> 15;
  };
  for (let position = 0; position < count; position++) {
    add(line[position] as number);
    add(parent[position] as number);
    add(kind[position] as number);
  }
  return `${count}-${(hash >>> 0).toString(36)}`;
}
