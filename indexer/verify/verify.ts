import type SQLite from "better-sqlite3";
import { systemCode } from "../../src/errors.ts";
import { isInRoot, nearestRoot, type Root } from "../../src/session/locations.ts";
import { isCorruption } from "../../src/store/sqlite/aside.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { inWords } from "../../src/store/sqlite/unavailable.ts";
import { discoverInTurns } from "../discover.ts";
import type { SyncProgress } from "../report.ts";
import type { FileRow } from "../rows.ts";
import { sync } from "../sync.ts";
import { hasChangedSince, lookAgain, mayHaveMovedSince, waitUntilOld } from "./change.ts";
import { prepareComparison } from "./compare-file.ts";
import { type Difference, Differences, told } from "./differences.ts";
import { isOfNow, type KnownFile, knownFiles, placed } from "./known-files.ts";
import { Reference } from "./reference.ts";
import { catchUpWith, indexAgain, repairWhole, throwIfReplaced, writtenByOthers } from "./repair.ts";
import { chooseSample } from "./sample.ts";
import { OF_ALL_FILES } from "./tables.ts";
import { checkWhole } from "./whole-index.ts";
import { compareVocabularies, missingWords } from "./words.ts";

/** How many files a sample has where nothing else is said. */
const SAMPLE = 50;

export interface VerifyOptions {
  /**
   * Compares all files, and what depends on all of them: whose an act is, and the words of the whole index; these only
   * where the index has no files of other roots.
   */
  full?: boolean;
  /** How many files to compare where `full` is not set. Default: 50. */
  sample?: number;
  /** Indexes files again of which anything differs, and compares them once more. */
  repair?: boolean;
  /**
   * Brings the index up to date first, however long another sync goes on, and again with files that change meanwhile.
   * Default: true. Else what is not indexed yet is a difference.
   */
  sync?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: SyncProgress) => unknown;
  /** The same for the sync before. */
  onSyncProgress?: (progress: SyncProgress) => unknown;
}

/** A comparison of the files below some roots. */
interface VerifyTask extends VerifyOptions {
  roots: readonly Root[];
}

/** What a comparison of the index with the session files came to. */
export interface VerifyReport {
  full: boolean;
  /** Session files that there are, or that the index has. */
  files: number;
  /** Those of them that were compared, and how many entries they have. */
  compared: number;
  entries: number;
  /** What differs, after all repairs: of what is alike only the first few. */
  differences: Difference[];
  /** How many there are. */
  differenceCount: number;
  /** What differed and was repaired, and in how many files. */
  repaired: Difference[];
  repairedFiles: number;
  /** Files that are being written to or moved: what differs of them says nothing. */
  changing: string[];
  /** Folders that could not be listed: nothing is known of what is below them. */
  unlisted: { path: string; reason: string }[];
  /** True when something is wrong that belongs to no session file: the index is to be built anew. */
  needsRebuild: boolean;
}

/**
 * Compares the index with the session files: reads files as for a new index, and compares every row of them with what
 * the index holds; their lines also with the bytes as they are. What is compared is one moment of the index; it is not
 * written to, but by `sync` and `repair`. Differences are no errors.
 *
 * @throws the signal's reason when aborted; PidexError `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`; what `sync` throws of a
 * broken database, which is no difference before there is an index of it
 */
export async function verify(db: Database, options: VerifyTask): Promise<VerifyReport> {
  const differences = new Differences();
  const report: VerifyReport = {
    full: options.full ?? false,
    files: 0,
    compared: 0,
    entries: 0,
    differences: [],
    differenceCount: 0,
    repaired: [],
    repairedFiles: 0,
    changing: [],
    unlisted: [],
    needsRebuild: false,
  };
  const began = Date.now();
  if (options.sync ?? true) await syncBefore(db, options);
  try {
    await new Verification(db, options, differences, report).run(began);
  } catch (error) {
    throwIfReplaced(db);
    if (!isDamage(error)) throw inWords(db.path, error);
    const indexed = told(error instanceof Error ? error.message : String(error));
    differences.add({ path: db.path, table: "database", what: "differs", indexed });
  }
  throwIfReplaced(db); // what was compared then may be another one, and half built
  report.needsRebuild = differences.listOf(db.path).some(({ table }) => BEYOND_REPAIR.includes(table));
  report.differences = differences.list;
  report.differenceCount = differences.count;
  return report;
}

/** What fails here is for whoever opened the database to mend, as with any sync. */
async function syncBefore(db: Database, { roots, signal, onSyncProgress }: VerifyTask): Promise<void> {
  const { busy } = await sync(db, {
    roots,
    patienceMs: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
    ...(onSyncProgress && { onProgress: onSyncProgress }),
  });
  if (busy) throw writtenByOthers(db);
}

/** Of what belongs to no session, what cannot be taken out row by row. */
const BEYOND_REPAIR = ["database", "entry_text", "vocabulary"];

/** Whether SQLite says that the database itself is broken, or lacks what each of ours has. */
function isDamage(error: unknown): boolean {
  if (isCorruption(error)) return true;
  return systemCode(error) === "SQLITE_ERROR" && /^no such (table|column)/.test((error as Error).message);
}

/** How long others may wait for a turn while files are compared, in milliseconds. */
const TURN_MS = 25;
/** Of the work of comparing a file, the part that reading it is. */
const READING = 0.7;

/** As often repairs are tried, and what they led to compared. */
const PASSES = 2;

class Verification {
  readonly #db: Database;
  readonly #options: VerifyTask;
  readonly #differences: Differences;
  readonly #report: VerifyReport;
  #chosen: KnownFile[] = [];
  #bytes = 0;
  /** Files of which the index, when they were compared, had another look than the reference. */
  readonly #behind = new Set<string>();
  /** Whether all that the index has is compared. */
  #isAll = false;

  constructor(db: Database, options: VerifyTask, differences: Differences, report: VerifyReport) {
    this.#db = db;
    this.#options = options;
    this.#differences = differences;
    this.#report = report;
  }

  /** @param since when the index began to be brought up to date, or nobody says what it is of, in Unix milliseconds */
  async run(since: number): Promise<void> {
    const { repair, sync: catchUp = true } = this.#options;
    await this.#choose();
    const reference = await this.#open((index) => Reference.open(index, this.#bytes, this.#report.full));
    try {
      const files = this.#chosen.flatMap(({ found }) => found ?? []);
      await reference.read(files, {
        signal: this.#options.signal,
        onRead: (bytes) => this.#progress(0, READING * Math.min(bytes, this.#bytes)),
      });
      await this.#examine(reference, { since, catchUp });
      if (repair) await this.#repair(reference);
    } finally {
      reference.close();
    }
  }

  async #choose(): Promise<void> {
    const { roots, full, sample = SAMPLE, signal } = this.#options;
    // Before the walk: what others index meanwhile has then changed since, and is looked at again.
    const [rows, problems, all] = await this.#open((index) => {
      const rows = index.prepare<[], FileRow>("SELECT * FROM file").all();
      const problems = index.prepare<[], number>("SELECT DISTINCT file_id FROM problem").pluck().all();
      return [rows.filter(({ path }) => roots.some((root) => isInRoot(path, root))), problems, rows.length];
    });
    const found = await discoverInTurns(roots, signal);
    this.#report.unlisted = found.unlisted.map(({ path, error }) => ({ path, reason: String(error) }));
    const files = knownFiles(rows, new Set(problems), found);
    this.#chosen = full ? files : chooseSample(files, sample);
    this.#isAll = full === true && found.unlisted.length === 0 && all === rows.length;
    this.#bytes = this.#chosen.reduce((sum, file) => sum + Number(file.found?.stat.size ?? 0), 0);
    this.#report.files = files.length;
    this.#report.compared = this.#chosen.length;
  }

  /**
   * Compares what was chosen. Files that differ and have changed since a moment are looked at again, when they are at
   * rest and, where that is asked for, the index has caught up with them.
   */
  async #examine(
    reference: Reference,
    { since, catchUp }: { since: number; catchUp: boolean },
  ): Promise<void> {
    const { signal } = this.#options;
    const differences = this.#differences;
    await this.#compare(reference, this.#chosen);
    const suspects = this.#chosen.filter(({ path }) => differences.has(path));
    const isChanged = (file: KnownFile) => this.#hasChanged(file, since);
    const changed = suspects.filter(isChanged);
    this.#report.changing = [];
    if (changed.length === 0) return;
    await waitUntilOld(changed.map(placed), signal);
    if (catchUp) await catchUpWith(this.#db, changed.map(placed), signal);
    await this.#readAgain(reference, suspects);
    await this.#compare(reference, suspects);
    const changing = suspects.filter((file) => {
      if (!differences.has(file.path)) return false;
      const { found } = lookAgain(placed(file));
      const row = reference.file(file.path);
      if (found ? !isOfNow({ found, row }) : row !== undefined) return true;
      return this.#behind.has(file.path) && isChanged(file);
    });
    for (const { path } of changing) differences.drop(path);
    this.#report.changing = changing.map(({ path }) => path);
  }

  /** Whether a file was written, went, or was moved with a folder since a moment in Unix milliseconds. */
  #hasChanged(file: KnownFile, since: number): boolean {
    if (hasChangedSince(placed(file), since)) return true;
    const root = nearestRoot(file.path, this.#options.roots);
    return root !== undefined && this.#behind.has(file.path) && mayHaveMovedSince(file, since, root.folder);
  }

  async #readAgain(reference: Reference, files: readonly KnownFile[]): Promise<void> {
    const looks = files.map((file) => ({ ...file, ...lookAgain(placed(file)) }));
    const gone = looks.filter(({ found }) => !found);
    for (const { path } of gone) reference.forget(path);
    if (gone.length > 0) await reference.trimVocabulary();
    const { signal } = this.#options;
    await reference.read(
      looks.flatMap(({ found }) => found ?? []),
      { signal, onRead: () => {} },
    );
  }

  /** Compares files, and the database as such, with one moment of the index. */
  async #compare(reference: Reference, files: readonly KnownFile[]): Promise<void> {
    const { signal, full = false } = this.#options;
    const { path } = this.#db;
    const differences = this.#differences;
    await this.#open(async (index) => {
      const { compareFile, indexedFile } = prepareComparison({ index, reference, isAll: this.#isAll });
      differences.drop(path);
      for (const difference of checkWhole(index, path, full)) differences.add(difference);
      let turn = performance.now();
      let bytes = 0;
      for (const [n, file] of files.entries()) {
        differences.drop(file.path);
        let isThere = true;
        for (const difference of compareFile(file.path)) {
          differences.add(difference);
          // It went since both had looked at it, and may be back by now.
          if (difference.table === "file" && difference.expected === "ENOENT") isThere = false;
        }
        const isSame = isSameLook(indexedFile(file.path), reference.file(file.path));
        if (isSame && isThere) this.#behind.delete(file.path);
        else this.#behind.add(file.path);
        bytes += Number(file.found?.stat.size ?? 0);
        if (performance.now() - turn < TURN_MS) continue;
        await this.#progress(n + 1, READING * this.#bytes + (1 - READING) * bytes);
        await new Promise(setImmediate);
        signal?.throwIfAborted();
        turn = performance.now();
      }
      this.#report.entries = count(reference.handle, "entry");
      if (!this.#isAll) return;
      // Whose an act is depends on all files, those that have changed since they were read among them.
      if (!areOfOneMoment(index, reference)) {
        for (const column of ["standing", "instance"]) differences.dropColumn("event", column);
        for (const table of OF_ALL_FILES) differences.dropTable(table);
      }
      // Where a file differs its words do, and it is told already.
      else if (differences.count === 0) {
        for (const difference of compareVocabularies(index, reference.handle, path))
          differences.add(difference);
        for (const difference of missingWords(index, reference.handle, path)) differences.add(difference);
      }
    });
  }

  async #repair(reference: Reference): Promise<void> {
    const { signal } = this.#options;
    const { path: own } = this.#db;
    const found = new Map<string, Difference[]>();
    // Twice, as whose an act is may show only when the one that held it wrongly is gone.
    for (let pass = 0; pass < PASSES && this.#differences.count > 0; pass++) {
      for (const path of this.#differences.paths) {
        if (!found.has(path)) found.set(path, this.#differences.listOf(path));
      }
      const since = Date.now();
      if (this.#differences.has(own)) await repairWhole(this.#db, signal);
      const differing = this.#chosen.filter(({ path }) => this.#differences.has(path));
      if (differing.length > 0) await indexAgain(this.#db, differing.map(placed), signal);
      await this.#examine(reference, { since, catchUp: true });
    }
    for (const [path, differences] of found) {
      if (this.#differences.has(path)) continue;
      this.#report.repaired.push(...differences);
      if (path !== own) this.#report.repairedFiles++;
    }
  }

  /** Opens a handle that sees one moment of the index, and cannot write. */
  async #open<T>(work: (index: SQLite.Database) => T | Promise<T>): Promise<T> {
    const { default: Handle } = await import("better-sqlite3");
    const index = new Handle(this.#db.path, { readonly: true });
    try {
      index.exec("BEGIN");
      return await work(index);
    } finally {
      index.close();
    }
  }

  #progress(filesDone: number, bytesDone: number): unknown {
    const filesTotal = this.#chosen.length;
    return this.#options.onProgress?.({ filesDone, filesTotal, bytesDone, bytesTotal: this.#bytes });
  }
}

type Look = Pick<FileRow, "size" | "mtime_ns" | "ctime_ns">;

function isSameLook(a: Look | undefined, b: Look | undefined): boolean {
  return a?.size === b?.size && a?.mtime_ns === b?.mtime_ns && a?.ctime_ns === b?.ctime_ns;
}

/** Whether an index and a reference have the same files as they were at the same time. */
function areOfOneMoment(index: SQLite.Database, reference: Reference): boolean {
  const files = index
    .prepare<[], Look & { path: string }>("SELECT path, size, mtime_ns, ctime_ns FROM file")
    .all();
  return (
    files.length === count(reference.handle, "file") &&
    files.every((file) => isSameLook(file, reference.file(file.path)))
  );
}

function count(db: SQLite.Database, table: string): number {
  return db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
}
