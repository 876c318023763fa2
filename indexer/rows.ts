import type SQLite from "better-sqlite3";
import type { Problem } from "../src/session/problems.ts";
import type { EntryText } from "../src/session/text.ts";
import { EXTRACTION } from "../src/store/sqlite/extraction.ts";
import { ReplacedDatabase } from "../src/store/sqlite/replaced.ts";
import type { FileTable, SessionModelTable, SessionTable } from "../src/store/sqlite/schema.ts";
import { lazyStatements } from "../src/store/sqlite/statements.ts";
import { prepareBranches } from "./branch.ts";
import { prepareErasure } from "./erase.ts";
import type { Extracted } from "./extract.ts";
import { prepareLedger } from "./ledger.ts";
import { prepareTags } from "./tag-rows.ts";
import { prepareTouches } from "./touch-rows.ts";
import { prepareVocabulary, WordCollector } from "./vocabulary.ts";

/** A file's row, as SQL gives and takes it. */
export type FileRow = Omit<FileTable, "id"> & { id: number };

const FILE_COLUMNS = [
  "path",
  "subagent",
  "extraction",
  "inode",
  "size",
  "mtime_ns",
  "ctime_ns",
  "racy",
  "cursor",
  "terminated",
  "lines",
  "parsed",
  "header",
  "version",
  "leaf_id",
  "checksums",
  "check_from",
  "unchecked",
  "unchecked_since",
] as const;

const SESSION_COLUMNS = [
  "file_id",
  "id",
  "cwd",
  "parent_session",
  "internal",
  "created",
  "last_message",
  "modified",
  "name",
  "first_message",
  "provider",
  "model",
  "entry_count",
  "message_count",
  "user_count",
  "assistant_count",
  "pinned",
  "archived",
] as const;

/**
 * The statements that write rows: prepared once and run by the thousand, which is why they are not kysely's.
 * Nothing else in pidex writes rows, but `blocks.ts`, `branch.ts`, `contested-keys.ts`, `ledger.ts`, `lineages.ts`, `reported-sums.ts`, `run-rows.ts`, `sums.ts`, `tag-rows.ts` and `touch-rows.ts` on its behalf. Every method that writes runs inside `transaction`.
 *
 * None of them is a REPLACE or an upsert: SQLite guards those with a savepoint of its own, at each of which FTS5
 * writes its memory out (a fifth of a first index's time). A row is updated, and inserted when it was not there.
 */
export function prepareRows(handle: SQLite.Database) {
  const db = lazyStatements(handle);
  const versionNow = db.prepare("PRAGMA user_version").pluck();
  const version = versionNow.get();
  const filesBelow = db.prepare<[string, string], FileRow>(
    "SELECT * FROM file WHERE path BETWEEN ? AND ? || char(1114111)", // no name goes on with the last code point
  );
  const fileByPath = db.prepare<[string], FileRow>("SELECT * FROM file WHERE path = ?");
  const fileById = db.prepare<[number], string>("SELECT path FROM file WHERE id = ?").pluck();
  const insertFile = db.prepare(insertSql("file", FILE_COLUMNS));
  const updateFile = db.prepare(updateSql("file", FILE_COLUMNS, "id"));
  const finishFile = db.prepare("UPDATE file SET extraction = ? WHERE id = ?");
  const deleteFile = db.prepare("DELETE FROM file WHERE id = ?");
  const deleteText = db.prepare(
    "DELETE FROM entry_text WHERE rowid IN (SELECT id FROM entry WHERE file_id = ?)",
  );
  const clearFile = ["session", "entry", "current_range", "label", "tag", "session_model", "problem"].map(
    (table) => db.prepare(`DELETE FROM ${table} WHERE file_id = ?`),
  );
  const deleteProblems = db.prepare("DELETE FROM problem WHERE file_id = ? AND byte_offset >= ?");
  const insertProblem = db.prepare("INSERT INTO problem VALUES (?, ?, ?, ?, ?)");
  const session = db.prepare<[number], SessionTable>("SELECT * FROM session WHERE file_id = ?");
  const insertSession = db.prepare(insertSql("session", SESSION_COLUMNS));
  const updateSession = db.prepare(updateSql("session", SESSION_COLUMNS, "file_id"));
  const insertEntry = db.prepare(
    `INSERT INTO entry (file_id, line, byte_offset, byte_length, entry_id, parent_id, type, role, timestamp,
       tool, failed, text_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertText = db.prepare(
    "INSERT INTO entry_text (rowid, output, called, thought, said) VALUES (?, ?, ?, ?, ?)",
  );
  const entriesOf = db
    .prepare<[number], number>("SELECT id FROM entry WHERE file_id = ? ORDER BY id")
    .pluck();
  const insertCall = db.prepare("INSERT INTO tool_call VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)");
  const insertNested = db.prepare("INSERT INTO tool_call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const calls = new RecentCalls();
  const touches = prepareTouches(db);
  const tags = prepareTags(db);
  const vocabulary = prepareVocabulary(db);
  const erasure = prepareErasure(db);
  let collector = new WordCollector();
  const ledger = prepareLedger(db);
  const lastCall = db.prepare<[number, number], PlacedCall>(
    `SELECT tool_call.entry, tool_call.ordinal, event.time
     FROM tool_call LEFT JOIN event ON event.entry = tool_call.entry AND event.ordinal = 0
     WHERE tool_call.file_id = +? AND call = +? AND tool_call.caller IS NULL
     ORDER BY tool_call.entry DESC, tool_call.ordinal DESC LIMIT 1`,
  );
  const finishCall = db.prepare(
    "UPDATE tool_call SET is_error = ?, result = ?, duration = ? WHERE entry = ? AND ordinal = ?",
  );
  const updateLabel = db.prepare(
    "UPDATE label SET label = ?, timestamp = ? WHERE file_id = ? AND target_id = ?",
  );
  const insertLabel = db.prepare(
    "INSERT INTO label (label, timestamp, file_id, target_id) VALUES (?, ?, ?, ?)",
  );
  const clearLabel = db.prepare("DELETE FROM label WHERE file_id = ? AND target_id = ?");
  const updateModel = db.prepare(
    "UPDATE session_model SET messages = messages + ? WHERE file_id = ? AND provider = ? AND model = ?",
  );
  const insertModel = db.prepare(
    "INSERT INTO session_model (messages, file_id, provider, model) VALUES (?, ?, ?, ?)",
  );

  /** Updates with the parameters, or inserts with them when there was nothing to update. */
  function put(update: SQLite.Statement, insert: SQLite.Statement, ...parameters: unknown[]): void {
    if (update.run(...parameters).changes === 0) insert.run(...parameters);
  }

  function addEntry(
    { id: fileId, path, sessionId, parent, created, version, elapsed }: Reading,
    at: EntryPlace,
    row: Extracted,
  ): void {
    const { line, offset, length } = at;
    const { id: entryId, parentId, type, role, timestamp, tool, textHash, time } = row;
    const failed = row.failed ? 1 : 0;
    const id = Number(
      insertEntry.run(
        fileId,
        line,
        offset,
        length,
        entryId,
        parentId,
        type,
        role,
        timestamp,
        tool,
        failed,
        textHash,
      ).lastInsertRowid,
    );
    if (row.words) {
      addWords(id, row.words);
      collector.add(row.words);
    }
    row.toolCalls.forEach(({ call, name }, n) => {
      insertCall.run(id, n, fileId, call, name);
      calls.of(fileId).set(call, { entry: id, ordinal: n, time });
    });
    if (row.toolResult) {
      // The last call of that id alone: ids are missing or used again in some files.
      const call = calls.of(fileId).get(row.toolResult.call) ?? lastCall.get(fileId, row.toolResult.call);
      if (call) {
        const { isError, duration } = row.toolResult;
        finishCall.run(isError ? 1 : 0, id, duration, call.entry, call.ordinal);
        ledger.finished(fileId, call.time);
      }
      const caller = call?.entry ?? id;
      row.nestedCalls.forEach(({ call, name, isError, duration }, n) => {
        const [failed, result] = isError === null ? [null, null] : [isError ? 1 : 0, id];
        insertNested.run(id, n, fileId, call, name, failed, result, caller, duration);
      });
    }
    touches.add(id, row.touches);
    if (row.subagents.length > 0) {
      const session = { path, id: sessionId, parent, created };
      ledger.addRuns({ entry: id, fileId, time: timestamp }, session, row.subagents);
    }
    ledger.add({ entry: id, entryId, version, fileId, path, created, time, elapsed }, row.events);
    if (row.own) ledger.correct({ fileId, path, created, version }, row.own);
    if (row.label?.label) {
      put(updateLabel, insertLabel, row.label.label, timestamp, fileId, row.label.targetId);
    } else if (row.label) clearLabel.run(fileId, row.label.targetId);
  }

  function addWords(entry: number, { said, thought, called, output }: EntryText): void {
    insertText.run(entry, output, called, thought, said);
  }

  const beginNow = db.prepare("BEGIN IMMEDIATE");
  const commitNow = db.prepare("COMMIT");

  /**
   * Begins a transaction. What is remembered of rows is forgotten first, since others may have changed them.
   *
   * @throws ReplacedDatabase when a newer pidex migrated the database: these statements are for the tables as they were
   */
  function begin(): void {
    beginNow.run();
    if (versionNow.get() !== version) throw new ReplacedDatabase();
    calls.drop();
    touches.forgetIds();
    collector = new WordCollector(); // another process may have dropped words that no entry had any more
    ledger.begin();
  }

  /** Ends it: all events have their owners, and sums are right. */
  function commit(): void {
    ledger.settle();
    vocabulary.add(collector.take());
    commitNow.run();
  }

  /** Ends it, where one is open, as if it had never been. */
  function rollBack(): void {
    if (handle.inTransaction) handle.exec("ROLLBACK");
    collector = new WordCollector(); // it remembers words as written that are not
  }

  const eraseText = (fileId: number): void => {
    if (deleteText.run(fileId).changes > 0) erasure.note();
  };
  return {
    begin,
    commit,
    rollBack,
    /** Does work in a transaction of its own. */
    transaction<T>(work: () => T): T {
      try {
        begin();
        const result = work();
        commit();
        return result;
      } catch (error) {
        rollBack();
        throw error;
      }
    },
    /** The files the index knows whose path starts with a prefix. */
    filesBelow: (prefix: string) => filesBelow.all(prefix, prefix),
    /** What the index knows of one file, as of this transaction. */
    file: (path: string) => fileByPath.get(path),
    /** Adds a file's row, or brings it up to date when it has an id, and says its id. */
    saveFile(row: Omit<FileRow, "id"> & { id?: number }): number {
      if (row.id === undefined) {
        const id = Number(insertFile.run(row).lastInsertRowid);
        ledger.appeared(row.path);
        return id;
      }
      updateFile.run(row);
      return row.id;
    },
    /** Says that a file has all its rows now. */
    finishFile: (fileId: number) => finishFile.run(EXTRACTION, fileId),
    /** Drops every row made of a file's lines, and keeps the file's own. */
    clear(fileId: number): void {
      calls.drop();
      const paths = touches.pathsOf(fileId);
      ledger.leave(fileId);
      eraseText(fileId);
      for (const statement of clearFile) statement.run(fileId);
      touches.deleteUntouched(paths);
    },
    /** Drops a file with all that was made of it. */
    forget(fileId: number): void {
      calls.drop();
      const paths = touches.pathsOf(fileId);
      ledger.leave(fileId);
      ledger.disappeared(fileById.get(fileId) ?? "");
      eraseText(fileId);
      deleteFile.run(fileId); // the rest cascades
      touches.deleteUntouched(paths);
    },
    session: (fileId: number) => session.get(fileId),
    saveSession(row: SessionTable): void {
      if (updateSession.run(row).changes > 0) return;
      insertSession.run(row);
      ledger.addLineage(row.file_id, row);
    },
    tags,
    /** Adds to the number of a session's assistant messages that came from a model. */
    countModel(fileId: number, { provider, model, messages }: Omit<SessionModelTable, "file_id">): void {
      put(updateModel, insertModel, messages, fileId, provider, model);
    },
    addEntry,
    /** Adds the words of an entry that was added without. */
    addWords,
    /** Drops the words of a file's entries. */
    clearWords: eraseText,
    /** The entries of a file, in the order of its lines. */
    entriesOf: (fileId: number) => entriesOf.all(fileId),
    branches: prepareBranches(db),
    ledger,
    addProblem(fileId: number, { byteOffset, line, code, message }: Problem): void {
      insertProblem.run(fileId, byteOffset, line, code, message);
    },
    /** Drops the problems from a byte offset on: what comes there is about to be read again. */
    dropProblems: (fileId: number, from: number) => deleteProblems.run(fileId, from),
  };
}

export type Rows = ReturnType<typeof prepareRows>;

/** Where an entry stands in its file: the bytes of its line, and its number from 1. */
export interface EntryPlace {
  line: number;
  offset: number;
  length: number;
}

/** The file that is being read, as far as its entries' rows need to know. */
export interface Reading {
  id: number;
  path: string;
  /** The id in its header. */
  sessionId: string;
  /** The path of the session that it was forked from, as its header has it. */
  parent: string | null;
  /** When its session was begun, in Unix milliseconds, or null. */
  created: number | null;
  /** The version of its format. */
  version: number;
  /** Milliseconds since the message before the entry that is added; null when that is not known. */
  elapsed: number | null;
}

interface PlacedCall {
  entry: number;
  ordinal: number;
  /** When its answer came. */
  time: number | null;
}

/**
 * The tool calls of the file that is being ingested, by their hash: a result mostly comes right after its call,
 * and looking each call up again took a seventh of a first index's time.
 */
class RecentCalls {
  #fileId: number | undefined;
  readonly #calls = new Map<number, PlacedCall>();

  of(fileId: number): Map<number, PlacedCall> {
    if (fileId !== this.#fileId) this.drop();
    this.#fileId = fileId;
    return this.#calls;
  }

  drop(): void {
    this.#calls.clear();
  }
}

function insertSql(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`;
}

function updateSql(table: string, columns: readonly string[], key: string): string {
  const set = columns.filter((name) => name !== key).map((name) => `${name} = @${name}`);
  return `UPDATE ${table} SET ${set.join(", ")} WHERE ${key} = @${key}`;
}
