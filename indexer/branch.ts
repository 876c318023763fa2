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

/**
 * The path from the last entry to its root, as ranges of lines. Consecutive entries are in one range, even with unreadable
 * lines between them.
 */
export function findCurrentRanges(entries: readonly LinkedLine[]): LineRange[] {
  const current = new Set(pathTo(entries.at(-1), indexById(entries)));
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
  return ranges;
}

/** The statements that write `current_range`, and the lookups of `CurrentBranch`. */
export function prepareBranches(db: StatementPreparer) {
  const lastRange = db.prepare<[number], LineRange>(
    `SELECT first_line AS first, last_line AS last FROM current_range WHERE file_id = ?
     ORDER BY first_line DESC LIMIT 1`,
  );
  const entryOfId = db.prepare<[EntryId, number]>(
    "SELECT 1 FROM entry WHERE entry_id = ? AND file_id = ? LIMIT 1",
  );
  const links = db.prepare<[number], LinkedLine>(
    "SELECT line, entry_id AS id, parent_id AS parentId FROM entry WHERE file_id = ? ORDER BY entry.id",
  );
  const insertRange = db.prepare("INSERT INTO current_range VALUES (?, ?, ?)");
  const extendRange = db.prepare(
    "UPDATE current_range SET last_line = ? WHERE file_id = ? AND first_line = ?",
  );
  const deleteRanges = db.prepare("DELETE FROM current_range WHERE file_id = ?");
  return {
    lastRange: (fileId: number) => lastRange.get(fileId),
    hasEntry: (fileId: number, id: EntryId): boolean => entryOfId.get(id, fileId) !== undefined,
    /** Writes the last range of a file, and keeps the others. */
    saveLast(fileId: number, { first, last }: LineRange): void {
      if (extendRange.run(last, fileId, first).changes === 0) insertRange.run(fileId, first, last);
    },
    /** Recomputes the ranges of a file from the rows of its entries. */
    rebuild(fileId: number): void {
      deleteRanges.run(fileId);
      for (const { first, last } of findCurrentRanges(links.all(fileId)))
        insertRange.run(fileId, first, last);
    },
  };
}

export type Branches = Pick<
  ReturnType<typeof prepareBranches>,
  "lastRange" | "hasEntry" | "saveLast" | "rebuild"
>;

/**
 * Tracks the current branch of a file while its entries are read. An entry with a new id that is a child of the previous entry
 * extends the last range; otherwise the ranges are recomputed at the end.
 */
export class CurrentBranch {
  readonly #branches: Branches;
  readonly #fileId: number;
  #leafId: EntryId | null;
  #last: LineRange | undefined;
  /** The ids so far if the file is read from its start; otherwise ids are looked up in the index. */
  #ids: Set<EntryId> | undefined;
  #grew = false;
  #isLinear = true;

  /** @param leafId the id of the last entry with a row; null if it has no id, or if there is no entry */
  constructor(branches: Branches, fileId: number, leafId: EntryId | null) {
    this.#branches = branches;
    this.#fileId = fileId;
    this.#leafId = asStored(leafId);
    this.#last = branches.lastRange(fileId);
    if (!this.#last) this.#ids = new Set();
  }

  /** Adds the next entry. Call it before its row is inserted. */
  add(line: number, entryId: EntryId | null, parentId: EntryId | null): void {
    this.#grew = true;
    if (!this.#isLinear) return;
    const id = asStored(entryId);
    const isChildOfLeaf = !this.#last || (parentId && asStored(parentId) === this.#leafId);
    this.#isLinear = Boolean(isChildOfLeaf) && (id === null || this.#isNew(id));
    this.#leafId = id;
    if (this.#last) this.#last.last = line;
    else this.#last = { first: line, last: line };
  }

  /**
   * Writes the branch. Call it when all added entries have rows.
   *
   * @returns whether earlier entries may have moved to another branch
   */
  save(): boolean {
    if (!this.#grew || !this.#last) return false;
    if (this.#isLinear) this.#branches.saveLast(this.#fileId, this.#last);
    else this.#branches.rebuild(this.#fileId);
    return !this.#isLinear;
  }

  #isNew(id: EntryId): boolean {
    if (!this.#ids) return !this.#branches.hasEntry(this.#fileId, id);
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }
}

/** Converts an id to its form in a row: SQLite stores no lone surrogates, so two ids of a file may be equal there. */
function asStored(id: EntryId | null): EntryId | null {
  return typeof id === "string" ? id.toWellFormed() : id;
}
