import { closeSync, openSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type SQLite from "better-sqlite3";
import { systemCode } from "../../src/errors.ts";
import { ingestOrSaveFault } from "../bring-up.ts";
import { withBulkSettings, withUsualSettings } from "../bulk.ts";
import type { FoundFile } from "../discover.ts";
import type { IngestCount } from "../ingest.ts";
import { prepareRows, type Rows } from "../rows.ts";
import { trimVocabulary } from "../vocabulary.ts";
import { isFullText } from "./tables.ts";
import { type Pick, pickWords } from "./words.ts";

/** Bytes of sessions that are read at once, until others get a turn. */
const BATCH_BYTES = 32 << 20;
/** More than this is not kept in memory. */
const MEMORY_BYTES = 64 << 20;
/** As many words are asked for in a sample, more or less: half a second. */
const SAMPLE_PICKS = 5_000;

interface Reading {
  signal: AbortSignal | undefined;
  /** Told how many bytes were read. */
  onRead: (bytes: number) => unknown;
}

let opened = 0;

/**
 * What a new index holds of some session files, made by the indexer's own way: what the index is compared with. It is
 * thrown away when it is closed. Beside its rows it keeps some words of each entry, since the full-text index cannot be
 * read back.
 */
export class Reference {
  readonly handle: SQLite.Database;
  readonly #path: string | undefined;
  readonly #rows: Rows;
  readonly #picks: SQLite.Statement<[number, number], Pick & { line: number }>;
  readonly #full: boolean;
  /** Of the words that are kept, the part that is asked for. */
  #share = 1;

  private constructor(handle: SQLite.Database, path: string | undefined, full: boolean) {
    this.handle = handle;
    this.#path = path;
    this.#full = full;
    this.#rows = pickingWords(handle, full ? "one part" : "each part");
    this.#picks = handle.prepare(
      "SELECT line, part, words FROM picked WHERE file_id = ? AND abs(random() % 1000000) < ? * 1000000 ORDER BY line",
    );
  }

  /** Makes an empty one, with the tables of a database: in memory, or beside that, for so many bytes of sessions. */
  static async open(like: SQLite.Database, bytes: number, full: boolean): Promise<Reference> {
    const { default: Handle } = await import("better-sqlite3");
    const path = bytes > MEMORY_BYTES ? `${like.name}${NAMED}${process.pid}-${++opened}` : undefined;
    if (path) {
      removeLeft(like.name);
      rmSync(path, { force: true }); // of a process that had our number
      closeSync(openSync(path, "wx", 0o600));
    }
    try {
      const handle = new Handle(path ?? ":memory:");
      // A file without a name is not left behind, whatever becomes of this process.
      if (path && process.platform !== "win32") unlinkSync(path);
      for (const setting of SETTINGS) handle.pragma(setting);
      for (const sql of schemaOf(like)) handle.exec(sql);
      handle.exec(
        `CREATE TABLE picked (file_id INTEGER, line INTEGER, part TEXT, words TEXT);
         CREATE INDEX picked_file ON picked (file_id, line)`,
      );
      return new Reference(handle, path, full);
    } catch (error) {
      if (path) rmSync(path, { force: true });
      throw error;
    }
  }

  /** Reads files, or what is new in them. @throws the signal's reason when aborted */
  async read(files: readonly FoundFile[], { signal, onRead }: Reading): Promise<void> {
    const count: IngestCount = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
    const ahead = files.reduce((sum, { stat }) => sum + Number(stat.size), 0);
    let next = 0;
    const readBatch = () => {
      const lastByte = count.read.bytes + BATCH_BYTES;
      for (let file = files[next]; file && count.read.bytes < lastByte; file = files[next]) {
        const budget = lastByte - count.read.bytes;
        if (ingestOrSaveFault({ rows: this.#rows, file, budget, count }).done) next++;
      }
    };
    const load = async () => {
      while (next < files.length) {
        signal?.throwIfAborted();
        this.#rows.transaction(readBatch);
        await onRead(count.read.bytes);
        await new Promise(setImmediate);
      }
      return "done" as const;
    };
    await (ahead > MEMORY_BYTES ? withBulkSettings : withUsualSettings)(this.handle, load);
    // In full there are fewer of each entry, and each entry is looked for.
    const picked = this.handle.prepare("SELECT count(*) FROM picked").pluck().get() as number;
    this.#share = this.#full ? 1 : Math.min(1, SAMPLE_PICKS / picked);
  }

  /** What it knows of a file. */
  file(path: string) {
    return this.#rows.file(path);
  }

  forget(path: string): void {
    this.#rows.transaction(() => {
      const row = this.#rows.file(path);
      if (row) this.#rows.forget(row.id);
    });
  }

  /** Drops words of files that were forgotten since. */
  async trimVocabulary(): Promise<void> {
    await trimVocabulary(this.handle);
  }

  /** Words by which entries of a file are to be found, by line; of very many some, others each time. */
  picks(fileId: number): IterableIterator<Pick & { line: number }> {
    return this.#picks.iterate(fileId, this.#share);
  }

  close(): void {
    this.handle.close();
    if (this.#path) rmSync(this.#path, { force: true });
  }
}

/** What its name begins with, behind the database's. */
const NAMED = ".verify-";

/** Removes what processes have left that were killed: between making the file and taking its name away, or on Windows. */
function removeLeft(database: string): void {
  const start = basename(database) + NAMED;
  for (const name of readdirSync(dirname(database))) {
    const pid = name.startsWith(start) && /^(\d+)-\d+(-journal)?$/.exec(name.slice(start.length))?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(join(dirname(database), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) !== "ESRCH"; // another user's
  }
}

/** Nothing of it is to outlast a power cut, nor an error. Its journal is no file, as that would have a name. */
const SETTINGS = [
  "journal_mode = MEMORY",
  "synchronous = OFF",
  "locking_mode = EXCLUSIVE",
  "cache_size = -65536",
  "foreign_keys = ON",
];

/** What makes the tables and indexes of a database, but for those that SQLite and FTS5 make by themselves. */
function schemaOf(db: SQLite.Database): string[] {
  return db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY rowid",
    )
    .all()
    .filter(
      ({ name }) =>
        !name.startsWith("sqlite_") && (["entry_text", "vocabulary"].includes(name) || !isFullText(name)),
    )
    .map(({ sql }) => sql);
}

/** Rows that also note some words of each entry that is added: fewer where all files are compared, and so their words. */
function pickingWords(db: SQLite.Database, from: "each part" | "one part"): Rows {
  const rows = prepareRows(db);
  const add = db.prepare("INSERT INTO picked VALUES (?, ?, ?, ?)");
  const drop = db.prepare("DELETE FROM picked WHERE file_id = ?");
  return {
    ...rows,
    addEntry(reading, at, row) {
      rows.addEntry(reading, at, row);
      const picks = row.words ? pickWords(row.words, from) : [];
      for (const { part, words } of picks) add.run(reading.id, at.line, part, words);
    },
    clear(fileId) {
      rows.clear(fileId);
      drop.run(fileId);
    },
    forget(fileId) {
      rows.forget(fileId);
      drop.run(fileId);
    },
  };
}
