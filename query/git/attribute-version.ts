import { type DraftLine, FileDraft } from "./file-draft.ts";
import { matchLines } from "./match-lines.ts";
import { findRuns, isSubstantial, matchRun } from "./match-runs.ts";
import type { OwnedLine, RecordedWrite } from "./recorded-write.ts";

/** Who wrote a line. */
export interface LineAuthor {
  write: RecordedWrite;
  /** Whether text, place and order agree, and no other session wrote the same line. */
  isCertain: boolean;
}

export interface VersionRequest {
  /** The lines before and after. */
  before: readonly string[];
  after: readonly string[];
  /** Which lines of `after` are new. */
  isAdded: (position: number) => boolean;
  /** The writes that may be in it, in order of time. */
  writes: readonly RecordedWrite[];
  /** Whether a line of a write is in no earlier version. */
  isOpen: (write: RecordedWrite, id: string) => boolean;
  /** The number of the first line of `before` in the file. Default: 1. */
  firstLine?: number;
}

export interface VersionAuthors {
  /** The authors of the added lines, by position in `after`. */
  authors: (LineAuthor | undefined)[];
  /** Writes that only removed lines, which are gone in `after`, and the number of these lines. */
  removals: Map<RecordedWrite, number>;
  /** For writes that are not open as a whole any more: the ids of the lines that may still be in a later version. */
  remaining: Map<RecordedWrite, Set<string>>;
  /** Writes that have no place in the version before. */
  failed: RecordedWrite[];
}

/** The id of what a write removed. */
export const REMOVAL = "removal";

/**
 * Finds out which writes the added lines of a version come from: replays the writes on the version before, and compares the result with
 * the version. Only the changed region is compared, with enough lines around it to find the texts that writes replaced.
 */
export function attributeVersion(request: VersionRequest): VersionAuthors {
  const { before, after, isAdded, writes } = request;
  const margin = findMargin(writes);
  if (margin === undefined) return attributeRegion(request);
  let [start, end] = [0, 0];
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before[start] === after[start]) start++;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const from = Math.max(0, start - margin);
  const cut = Math.max(0, end - margin);
  const found = attributeRegion({
    ...request,
    before: before.slice(from, before.length - cut),
    after: after.slice(from, after.length - cut),
    isAdded: (position) => isAdded(position + from),
    firstLine: from + 1,
  });
  return {
    ...found,
    authors: [...new Array<undefined>(from), ...found.authors, ...new Array<undefined>(cut)],
  };
}

/** Unchanged lines that are compared on either side of the changed region. */
const MIN_MARGIN = 60;

/** Enough lines for what writes replaced; undefined if one of them needs the whole file. */
function findMargin(writes: readonly RecordedWrite[]): number | undefined {
  let margin = MIN_MARGIN;
  for (const { change, shown } of writes) {
    if (change.kind === "whole" || change.kind === "insert") return undefined;
    const texts =
      change.kind === "replace"
        ? change.edits.map(({ before }) => before.split("\n"))
        : change.hunks.map(({ before }) => before);
    for (const lines of [...texts, ...shown.map(({ before }) => before)])
      margin = Math.max(margin, lines.length + MIN_MARGIN);
  }
  return margin;
}

function attributeRegion(request: VersionRequest): VersionAuthors {
  const { before, after, writes, isOpen } = request;
  const draft = new FileDraft(before, request.firstLine);
  const { applied = [], failed = [] } = Object.groupBy(writes, (write) =>
    draft.apply(write) ? "applied" : "failed",
  );
  const lines = draft.current;
  const matches = matchLines(
    lines.map(({ text }) => text),
    after,
  );
  const places = new Int32Array(lines.length).fill(-1);
  matches.forEach((line, position) => {
    if (line >= 0) places[line] = position;
  });
  const authors = findAuthors(request, draft, places);
  const removals = findRemovals(request, draft, applied);
  const isTaken = removals.size > 0 || authors.some(Boolean);
  if (!isTaken)
    return { authors: authors.map((author) => author?.author), removals, remaining: new Map(), failed };
  const taken = new Set(authors.flatMap((author) => (author ? [author.line.id] : [])));
  const remaining = new Map(applied.map((write) => [write, new Set<string>()]));
  for (const run of findRuns(lines)) {
    const owners = run.flatMap((n) => lines[n]?.owner ?? []);
    if (owners.some(({ id }) => taken.has(id))) continue;
    for (const { write, id } of owners) if (isOpen(write, id)) remaining.get(write)?.add(id);
  }
  const adding = new Set(draft.all.flatMap(({ owner }) => owner?.write ?? []));
  for (const write of applied) {
    if (!removals.has(write) && isOpen(write, REMOVAL) && !adding.has(write))
      remaining.get(write)?.add(REMOVAL);
  }
  return { authors: authors.map((author) => author?.author), removals, remaining, failed };
}

interface FoundAuthor {
  line: OwnedLine;
  author: LineAuthor;
}

function findAuthors(
  { before, after, isAdded, isOpen }: VersionRequest,
  draft: FileDraft,
  places: Int32Array,
): (FoundAuthor | undefined)[] {
  const lines = draft.current;
  const found: (FoundAuthor | undefined)[] = new Array(after.length).fill(undefined);
  const sessionsByText = countSessions(draft);
  for (const run of findRuns(lines)) {
    for (const { line: n, isExact } of matchRun(run, { lines, places, length: after.length })) {
      const { owner, text } = lines[n] as DraftLine;
      if (!owner || !isOpen(owner.write, owner.id)) continue;
      const isCertain = isExact && !isOverwrite(owner.write, before) && sessionsByText.get(text)?.size === 1;
      found[places[n] as number] = { line: owner, author: { write: owner.write, isCertain } };
    }
  }
  slide(after, isAdded, found);
  return found.map((author, position) => (isAdded(position) ? author : undefined));
}

/**
 * Whether a write replaced a whole file that existed. What it wrote is only known as the difference to the version before, in which
 * changes by others in the meantime are missing.
 */
function isOverwrite({ change, shown }: RecordedWrite, before: readonly string[]): boolean {
  return change.kind === "whole" && before.length > 0 && shown.length === 0;
}

/** The sessions that wrote each text, also where it is not in the file any more. */
function countSessions(draft: FileDraft): Map<string, Set<number>> {
  const sessions = new Map<string, Set<number>>();
  for (const { text, owner } of draft.all) {
    if (!owner) continue;
    const known = sessions.get(text) ?? new Set();
    sessions.set(text, known.add(owner.write.session));
  }
  return sessions;
}

/**
 * Of equal lines at both ends of an insertion, git may take the other one for the new one. Moves authors to the lines that git takes for
 * new.
 */
function slide(
  after: readonly string[],
  isAdded: (position: number) => boolean,
  found: (FoundAuthor | undefined)[],
): void {
  for (let start = 0; start < after.length; start++) {
    if (!isAdded(start) || (start > 0 && isAdded(start - 1))) continue;
    let end = start;
    while (end + 1 < after.length && isAdded(end + 1)) end++;
    // Only an insertion that continues beyond the added lines is moved: an equal line elsewhere is none of it.
    const continues = (inside: number, outside: number) => {
      const session = found[inside]?.author.write.session;
      return session !== undefined && found[outside]?.author.write.session === session;
    };
    const move = (from: number, to: number) => {
      found[to] = found[from];
      found[from] = undefined;
    };
    if (continues(end, end + 1)) {
      const session = found[end]?.author.write.session;
      for (
        let [to, from] = [start, end + 1];
        to < end && !found[to] && after[from] === after[to];
        to++, from++
      ) {
        if (found[from]?.author.write.session !== session) break;
        move(from, to);
      }
    }
    if (continues(start, start - 1)) {
      const session = found[start]?.author.write.session;
      for (
        let [to, from] = [end, start - 1];
        to > start && !found[to] && after[from] === after[to];
        to--, from--
      ) {
        if (isAdded(from) || found[from]?.author.write.session !== session) break;
        move(from, to);
      }
    }
  }
}

function findRemovals(
  { before, after, isOpen }: VersionRequest,
  draft: FileDraft,
  applied: readonly RecordedWrite[],
): Map<RecordedWrite, number> {
  const adding = new Set(draft.all.flatMap(({ owner }) => owner?.write ?? []));
  const removing = new Set(applied.filter((write) => !adding.has(write) && isOpen(write, REMOVAL)));
  const removals = new Map<RecordedWrite, number>();
  if (removing.size === 0) return removals;
  const kept = new Set(matchLines(before, after));
  for (const { origin, text, removedBy } of draft.all) {
    if (origin < 0 || !removedBy || !removing.has(removedBy) || kept.has(origin)) continue;
    if (isSubstantial(text)) removals.set(removedBy, (removals.get(removedBy) ?? 0) + 1);
  }
  return removals;
}
