import type { EntryId } from "../src/session/entries.ts";
import { indexById, pathTo } from "../src/session/tree.ts";
import type { SqlEntryId } from "../src/store/sqlite/schema.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";

/** Lines from one to another, both included, whose entries are on the current branch. */
export interface Range {
  first: number;
  last: number;
}

/** A line that holds an entry, and what hangs it in the tree. */
interface LinkedLine {
  line: number;
  id: SqlEntryId;
  parentId: SqlEntryId;
}

/**
 * The path from the last entry to its root, as ranges of lines. Entries that follow each other are in one range,
 * whatever unreadable lines stand between them.
 */
export function currentRanges(entries: readonly LinkedLine[]): Range[] {
  const current = new Set(pathTo(entries.at(-1), indexById(entries)));
  const ranges: Range[] = [];
  let open: Range | undefined;
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

/** The statements that write `current_range`, and what `CurrentBranch` asks. */
export function prepareBranches(db: Preparer) {
  const lastRange = db.prepare<[number], Range>(
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
    /** Writes the last range of a file whose others stay. */
    saveLast(fileId: number, { first, last }: Range): void {
      if (extendRange.run(last, fileId, first).changes === 0) insertRange.run(fileId, first, last);
    },
    /** Works the ranges of a file out anew, from the rows of its entries. */
    rebuild(fileId: number): void {
      deleteRanges.run(fileId);
      for (const { first, last } of currentRanges(links.all(fileId))) insertRange.run(fileId, first, last);
    },
  };
}

export type Branches = ReturnType<typeof prepareBranches>;

/**
 * Follows the current branch of a file while its entries are read. One that hangs from the entry before it, under
 * an id that is new, only moves the end of the last range; anything else has the ranges worked out anew at the end.
 */
export class CurrentBranch {
  readonly #branches: Branches;
  readonly #fileId: number;
  #leafId: EntryId | null;
  #last: Range | undefined;
  /** Ids so far, where the file is read from its start; of others the index is asked. */
  #ids: Set<EntryId> | undefined;
  #grew = false;
  #straight = true;

  /** `leafId` is that of the last entry which has a row; null when that has none, or there is no such entry. */
  constructor(branches: Branches, fileId: number, leafId: EntryId | null) {
    this.#branches = branches;
    this.#fileId = fileId;
    this.#leafId = asStored(leafId);
    this.#last = branches.lastRange(fileId);
    if (!this.#last) this.#ids = new Set();
  }

  /** Takes the next entry, before it has a row. */
  add(line: number, entryId: EntryId | null, parentId: EntryId | null): void {
    this.#grew = true;
    if (!this.#straight) return;
    const id = asStored(entryId);
    const follows = !this.#last || (parentId && asStored(parentId) === this.#leafId);
    this.#straight = Boolean(follows) && (id === null || this.#isNew(id));
    this.#leafId = id;
    if (this.#last) this.#last.last = line;
    else this.#last = { first: line, last: line };
  }

  /**
   * Writes what became of the branch, when all entries that were added have their rows.
   *
   * @returns whether entries that were there before may now be on another branch
   */
  save(): boolean {
    if (!this.#grew || !this.#last) return false;
    if (this.#straight) this.#branches.saveLast(this.#fileId, this.#last);
    else this.#branches.rebuild(this.#fileId);
    return !this.#straight;
  }

  #isNew(id: EntryId): boolean {
    if (!this.#ids) return !this.#branches.hasEntry(this.#fileId, id);
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }
}

/** An id as it is in a row: SQLite has no half characters, so that two ids of the file may be one there. */
function asStored(id: EntryId | null): EntryId | null {
  return typeof id === "string" ? id.toWellFormed() : id;
}
