/** Which writes may be in a change, by their texts: so that others need not be replayed. */
import { toKey } from "./file-history.ts";
import { isSubstantial } from "./match-runs.ts";
import type { RecordedWrite } from "./recorded-write.ts";

/** The texts of lines that a change added and removed, as `toKey` shortens them. */
export interface ChangedKeys {
  addedKeys: ReadonlySet<string>;
  removedKeys: ReadonlySet<string>;
}

/** What a write gave a file and took from it. */
interface WriteKeys {
  /** Whole lines. */
  after: ReadonlySet<string>;
  before: ReadonlySet<string>;
  /** Parts of lines. */
  fragments: readonly string[];
}

const cache = new WeakMap<RecordedWrite, WriteKeys>();

/** Whether a change has a line that a write may have written or removed. */
export function isRelevant(write: RecordedWrite, { addedKeys, removedKeys }: ChangedKeys): boolean {
  const { after, before, fragments } = getKeys(write);
  if (intersects(after, addedKeys)) return true;
  if (before.size > 0 && intersects(before, removedKeys)) return true;
  return fragments.length > 0 && [...addedKeys].some((line) => fragments.some((text) => line.includes(text)));
}

function intersects(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const key of small) if (large.has(key)) return true;
  return false;
}

function getKeys(write: RecordedWrite): WriteKeys {
  const known = cache.get(write);
  if (known) return known;
  const { change, shown } = write;
  const pairs = toPairs(write).concat(shown);
  const kept = new Set(pairs.flatMap(({ before, after }) => after.filter((line) => before.includes(line))));
  const own = pairs.flatMap(({ after }) => after).filter((line) => !kept.has(line));
  const substantial = own.filter(isSubstantial);
  const keys: WriteKeys = {
    after: new Set((substantial.length > 0 ? substantial : own).map(toKey)),
    before: own.length > 0 ? new Set() : new Set(pairs.flatMap(({ before }) => before).map(toKey)),
    fragments:
      change.kind === "replace" && shown.length === 0
        ? change.edits.flatMap(({ after }) => toEnds(after)).map((text) => text.slice(0, 100))
        : [],
  };
  cache.set(write, keys);
  return keys;
}

function toPairs({ change }: RecordedWrite): { before: string[]; after: string[] }[] {
  switch (change.kind) {
    case "whole":
    case "insert":
      return [{ before: [], after: change.text.split("\n") }];
    case "patch":
      return change.hunks;
    case "replace":
      return change.edits.map(({ before, after }) => ({
        before: before.split("\n"),
        after: after.split("\n"),
      }));
  }
}

/** The first and the last line of a text, which may be parts of lines. */
function toEnds(text: string): string[] {
  const lines = text.split("\n");
  return [lines[0] ?? "", lines.at(-1) ?? ""].filter((line) => line.trim().length >= 4);
}
