/** The outline of a session in columns for the wire: 2 MB for 200,000 entries. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { EntryId, Outline } from "../../../library/index.ts";
import { entryKind } from "../../format/entry-kinds.ts";
import type { OutlineAnswer } from "../api/session-answers.ts";
import { NumberParam, TextParam } from "./params.ts";

export const OutlineQuery = z.strictObject({
  session: TextParam.min(1),
  /** Number of rows the client has, and the `mark` it got with them. */
  from: NumberParam.optional(),
  mark: TextParam.optional(),
  /** Ids of the entries to locate. */
  at: TextParam.optional(),
  leaf: TextParam.optional(),
});

/** Returns the rows that the client lacks. */
export function toOutlineColumns(
  outline: Outline,
  { from = 0, mark, at, leaf }: Omit<z.output<typeof OutlineQuery>, "session">,
): OutlineAnswer {
  const count = outline.line.length;
  const isCurrent = from > 0 && from <= count && hashRows(outline, from) === mark;
  const first = isCurrent ? from : 0;
  const answer: OutlineAnswer = {
    from: first,
    count,
    mark: hashRows(outline, count),
    kinds: outline.kinds.map((kind) => ({ ...kind, word: entryKind(kind) })),
    kind: outline.kind.slice(first),
    line: [],
    up: [],
    time: [],
    cost: outline.costUsd.slice(first).map((dollars) => Math.round(dollars * 1e6)),
    ends: findLeaves(outline, first),
    labels: outline.labels.map(({ position, label }) => [position, label]),
    runs: outline.runs.map(({ position, path }) => [position, path]),
    at: findRow(outline.id, at),
    leaf: findRow(outline.id, leaf),
  };
  let line = outline.line[first - 1] ?? 0;
  let time = outline.time.slice(0, first).findLast((value) => value !== null) ?? 0;
  for (let position = first; position < count; position++) {
    const parent = outline.parent[position] as number;
    answer.up.push(parent < 0 ? 0 : position - parent);
    answer.line.push((outline.line[position] as number) - line);
    line = outline.line[position] as number;
    const now = outline.time[position] ?? null;
    answer.time.push(now === null ? null : now - time);
    time = now ?? time;
  }
  return answer;
}

/** The row of an id, the last one if it occurs twice. Compared as text, because URLs have no numbers. */
function findRow(ids: readonly (EntryId | null)[], id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  const row = ids.findLastIndex((candidate) => candidate !== null && String(candidate) === id);
  return row < 0 ? undefined : row;
}

/** The rows without children, with their ids. */
function findLeaves({ parent, id }: Outline, first: number): OutlineAnswer["ends"] {
  const isParent = new Uint8Array(parent.length);
  for (const position of parent) if (position >= 0) isParent[position] = 1;
  const ends: OutlineAnswer["ends"] = [];
  for (let position = first; position < parent.length; position++)
    if (!isParent[position]) ends.push([position, id[position] ?? null]);
  return ends;
}

/** A hash of the lines, parents and kinds of the first rows, which identifies them. */
function hashRows({ line, parent, kind }: Outline, count: number): string {
  const hash = createHash("sha256");
  for (const column of [line, parent, kind]) hash.update(Int32Array.from(column.slice(0, count)));
  return hash.digest("base64url");
}
