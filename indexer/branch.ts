import type { EntryId } from "../src/session/entries.ts";
import { indexById, pathTo } from "../src/session/tree.ts";
import type { SqlEntryId } from "../src/store/schema.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";

/** A range of lines, inclusive, with entries on the current branch. */
export interface LineRange {
  first: number;
  last: number;
}

/** The line of an entry, and its links in the tree. */
export interface LinkedLine {
  line: number;
  id: SqlEntryId;
  parentId: SqlEntryId;
}

/** The path from the last entry of a file to its root. */
export interface CurrentPath {
  /** Consecutive entries are in one range, even with unreadable lines between them. */
  ranges: LineRange[];
  /** The parent id of its first entry: an entry that has this id would precede it. */
  rootParent: EntryId | null;
  /** Whether it is no cycle, and all parents are on earlier lines than their children. */
  isOrdered: boolean;
}

function findCurrentPath(entries: readonly LinkedLine[]): CurrentPath {
  const byId = indexById(entries);
  const path = pathTo(entries.at(-1), byId);
  const current = new Set(path);
  const ranges: LineRange[] = [];
  let open: LineRange | undefined;
  for (const entry of entries) {
    if (!current.has(entry)) open = undefined;
    else if (open) open.last = entry.line;
    else {
      open = { first: entry.line, last: entry.line };
      ranges.push(open);
    }
  }
  const rootParent = path[0]?.parentId || null;
  const isCycle = rootParent !== null && byId.has(rootParent);
  const isOrdered =
    !isCycle && path.every(({ line }, n) => n === 0 || line > (path[n - 1] as LinkedLine).line);
  return { ranges, rootParent, isOrdered };
}

/** The path from the last entry to its root, as ranges of lines. */
export function findCurrentRanges(entries: readonly LinkedLine[]): LineRange[] {
  return findCurrentPath(entries).ranges;
}

/** The statements that write `current_range`, and the lookups of `CurrentBranch`. */
export function prepareBranches(db: StatementPreparer) {
  const lastRange = db.prepare<[number], LineRange>(
    `SELECT first_line AS first, last_line AS last FROM current_range WHERE file_id = ?
     ORDER BY first_line DESC LIMIT 1`,
  );
  const lineOfId = db
    .prepare<[EntryId, number], number>(
      "SELECT line FROM entry WHERE entry_id = ? AND file_id = ? ORDER BY id DESC LIMIT 1",
    )
    .pluck();
  const links = db.prepare<[number], LinkedLine>(
    "SELECT line, entry_id AS id, parent_id AS parentId FROM entry WHERE file_id = ? ORDER BY entry.id",
  );
  const insertRange = db.prepare("INSERT INTO current_range VALUES (?, ?, ?)");
  const extendRange = db.prepare(
    "UPDATE current_range SET last_line = ? WHERE file_id = ? AND first_line = ?",
  );
  const deleteRanges = db.prepare("DELETE FROM current_range WHERE file_id = ?");
  const replace = (fileId: number, ranges: readonly LineRange[]): void => {
    deleteRanges.run(fileId);
    for (const { first, last } of ranges) insertRange.run(fileId, first, last);
  };
  return {
    lastRange: (fileId: number) => lastRange.get(fileId),
    /** The line of the last entry with an id; undefined without one. */
    lineOf: (fileId: number, id: EntryId): number | undefined => lineOfId.get(id, fileId),
    /** Writes the last range of a file, and keeps the others. */
    saveLast(fileId: number, { first, last }: LineRange): void {
      if (extendRange.run(last, fileId, first).changes === 0) insertRange.run(fileId, first, last);
    },
    /** Writes all ranges of a file. */
    replace,
    /** Recomputes the path of a file from the rows of its entries, and writes its ranges. */
    rebuild(fileId: number): CurrentPath | undefined {
      const path = findCurrentPath(links.all(fileId));
      replace(fileId, path.ranges);
      return path;
    },
  };
}

export type Branches = Pick<
  ReturnType<typeof prepareBranches>,
  "lastRange" | "lineOf" | "saveLast" | "replace" | "rebuild"
>;

/** Ids kept in memory; beyond them, new ids are looked up in the index. */
const MAX_IDS = 100_000;

/**
 * Tracks the current branch of a file while its entries are read. An entry with a new id that is a child of the previous entry
 * extends the last range. If the whole path is known, a child of an earlier entry of it cuts it there. In all other cases, the path is
 * recomputed from all entries when it is saved.
 */
export class CurrentBranch {
  readonly #branches: Branches;
  readonly #fileId: number;
  #leafId: EntryId | null;
  #last: LineRange | undefined;
  /** Known if the file is read from its start, and after it was recomputed. */
  #path: CurrentPath | undefined;
  /** The ids so far if the file is read from its start; otherwise ids are looked up in the index. */
  #ids: Set<EntryId> | undefined;
  /** What changed since the last save: only the last range, other ranges, or what is only known after recomputing the path. */
  #change: "none" | "last" | "ranges" | "unknown" = "none";

  /** @param leafId the id of the last entry with a row; null if it has no id, or if there is no entry */
  constructor(branches: Branches, fileId: number, leafId: EntryId | null) {
    this.#branches = branches;
    this.#fileId = fileId;
    this.#leafId = asStored(leafId);
    this.#last = branches.lastRange(fileId);
    if (this.#last) return;
    this.#ids = new Set();
    this.#path = { ranges: [], rootParent: null, isOrdered: true };
  }

  /** Adds the next entry. Call it before its row is inserted, and after those of all entries before it. */
  add(line: number, entryId: EntryId | null, parentId: EntryId | null): void {
    const [id, parent] = [asStored(entryId), asStored(parentId) || null];
    const leafId = this.#leafId;
    this.#leafId = id;
    if (this.#change === "unknown") return;
    if (id !== null && (id === this.#path?.rootParent || !this.#isNew(id))) this.#change = "unknown";
    else if (this.#last && parent !== null && parent === leafId) {
      this.#last.last = line;
      if (this.#change === "none") this.#change = "last";
    } else if (this.#path?.isOrdered) this.#move(this.#path, line, parent);
    else this.#change = "unknown";
  }

  /** Writes what is known of the branch without reading other entries: the branch of a file that is not read to its end. */
  saveKnown(): void {
    if (this.#change === "last") this.#branches.saveLast(this.#fileId, this.#last as LineRange);
    else if (this.#change === "ranges") this.#branches.replace(this.#fileId, this.#path?.ranges ?? []);
  }

  /**
   * Writes the branch. Call it when all added entries have rows.
   *
   * @returns whether earlier entries may have moved to another branch
   */
  save(): boolean {
    const change = this.#change;
    this.#change = "none";
    if (change === "none") return false;
    if (change === "last") this.#branches.saveLast(this.#fileId, this.#last as LineRange);
    else if (change === "ranges") this.#branches.replace(this.#fileId, this.#path?.ranges ?? []);
    else {
      this.#path = this.#branches.rebuild(this.#fileId);
      this.#last = this.#path?.ranges.at(-1);
      this.#ids = undefined; // incomplete
    }
    return change !== "last";
  }

  /** Cuts the path after the parent of a new entry, and adds the entry. */
  #move(path: CurrentPath, line: number, parent: EntryId | null): void {
    const { ranges } = path;
    const at = parent === null ? undefined : this.#branches.lineOf(this.#fileId, parent);
    const inRange =
      at === undefined ? -1 : ranges.findLastIndex(({ first, last }) => first <= at && at <= last);
    const range = ranges[inRange];
    if (range && at !== undefined) {
      range.last = at;
      ranges.length = inRange + 1;
    } else if (at === undefined) {
      // Without a parent in the file, it is the first of its path.
      ranges.length = 0;
      path.rootParent = parent;
    } else {
      this.#change = "unknown";
      return;
    }
    const isFirst = this.#last === undefined;
    this.#last = { first: line, last: line };
    ranges.push(this.#last);
    this.#change = isFirst ? "last" : "ranges";
  }

  #isNew(id: EntryId): boolean {
    if (!this.#ids) return this.#branches.lineOf(this.#fileId, id) === undefined;
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > MAX_IDS) this.#ids = undefined;
    return true;
  }
}

/** Converts an id to its form in a row: SQLite stores no lone surrogates, so two ids of a file may be equal there. */
export function asStored(id: EntryId | null): EntryId | null {
  return typeof id === "string" ? id.toWellFormed() : id;
}
