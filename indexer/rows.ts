import type SQLite from "better-sqlite3";
import type { Problem } from "../src/session/problems.ts";
import type { EntryText } from "../src/session/text.ts";
import { EXTRACTION } from "../src/store/extraction.ts";
import type { FileTable, SessionModelTable, SessionTable } from "../src/store/schema.ts";
import { DatabaseReplacedError } from "../src/store/sqlite/replaced-database.ts";
import { lazyStatements, type StatementPreparer } from "../src/store/sqlite/statements.ts";
import { prepareBranches } from "./branch.ts";
import type { ReadEntry } from "./chunks.ts";
import type { EntryIds } from "./entry-order.ts";
import { prepareErasure } from "./erase.ts";
import { prepareLedger } from "./ledger.ts";
import type { ReportingSession } from "./run-paths.ts";
import { prepareTags } from "./tag-rows.ts";
import { prepareTouches } from "./touch-rows.ts";
import { WordCollector } from "./vocabulary.ts";

/**
 * The statements that write rows. Not kysely's, because they are prepared once and run thousands of times. All other modules
 * that write rows of sessions (`branch.ts`, `erase.ts`, `ledger.ts` and the modules that it prepares, `tag-rows.ts`
 * and `touch-rows.ts`) are called from here. Every method that writes must run in a transaction.
 *
 * @param vocabulary whether new words are added to the vocabulary now, or by the caller at the end, which takes a third of the time
 *
 * No statement is a REPLACE or an upsert: SQLite wraps each of those in a savepoint, at which FTS5 flushes its memory (a fifth of
 * the time of a first index). Rows are updated, or inserted if they don't exist.
 */
export function prepareRowWriter(handle: SQLite.Database, vocabulary: "now" | "later" = "now") {
  const db = lazyStatements(handle);
  const versionNow = db.prepare("PRAGMA user_version").pluck();
  const version = versionNow.get();
  const filesBelow = db.prepare<[string, string], FileTable>(
    "SELECT * FROM file WHERE path BETWEEN ? AND ? || char(1114111)", // no name contains the last code point
  );
  const fileByPath = db.prepare<[string], FileTable>("SELECT * FROM file WHERE path = ?");
  const fileById = db.prepare<[number], string>("SELECT path FROM file WHERE id = ?").pluck();
  const { insert: insertFile, update: updateFile } = prepareWholeRows(handle, db, "file", "id");
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
  const { insert: insertSession, update: updateSession } = prepareWholeRows(handle, db, "session", "file_id");
  const insertEntry = db.prepare(
    `INSERT INTO entry (id, file_id, line, byte_offset, byte_length, entry_id, parent_id, type, role, timestamp,
       tool, failed, has_text, text_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  /** The ids of new entries; undefined for those after the highest one. */
  let ids: EntryIds | undefined;
  const insertText = db.prepare(
    "INSERT INTO entry_text (rowid, output, called, thought, said) VALUES (?, ?, ?, ?, ?)",
  );
  const entriesOf = db
    .prepare<[number], number>("SELECT id FROM entry WHERE file_id = ? ORDER BY id")
    .pluck();
  const insertCall = db.prepare("INSERT INTO tool_call VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)");
  const insertNested = db.prepare("INSERT INTO tool_call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  /** The tool calls of this transaction, by hash: looking up each result's call took a seventh of the time of a first index. */
  const calls = new Map<number, StoredCall & { fileId: number }>();
  const touches = prepareTouches(db);
  const tags = prepareTags(db);
  const insertWords = db.prepare("INSERT OR IGNORE INTO vocabulary (word) SELECT value FROM json_each(?)");
  const erasure = prepareErasure(db);
  let collector = new WordCollector();
  const ledger = prepareLedger(db);
  const lastCall = db.prepare<[number, number], StoredCall>(
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

  /** Updates a row, or inserts it if it doesn't exist. */
  function put(update: SQLite.Statement, insert: SQLite.Statement, ...parameters: unknown[]): void {
    if (update.run(...parameters).changes === 0) insert.run(...parameters);
  }

  function addEntry(
    file: IngestedFile,
    { line, offset, length, elapsed: elapsedMs, extracted: row }: ReadEntry,
  ): void {
    const { fileId } = file;
    const { id: entryId, parentId, type, role, timestamp, tool, textHash, time } = row;
    const failed = row.isFailed ? 1 : 0;
    const id = Number(
      insertEntry.run(
        ids && ids.next < ids.before ? ids.next++ : null,
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
        row.hasText ? 1 : 0,
        textHash,
      ).lastInsertRowid,
    );
    if (row.words) {
      addWords(id, row.words);
      if (vocabulary === "now") collector.add(row.words);
    }
    row.toolCalls.forEach(({ call, name }, n) => {
      insertCall.run(id, n, fileId, call, name);
      calls.set(call, { entry: id, ordinal: n, time, fileId });
    });
    if (row.toolResult) {
      // The last call with the id, because some files have missing or repeated ids.
      const recent = calls.get(row.toolResult.call);
      const call = recent?.fileId === fileId ? recent : lastCall.get(fileId, row.toolResult.call);
      if (call) {
        const { isError, duration } = row.toolResult;
        finishCall.run(isError ? 1 : 0, id, duration, call.entry, call.ordinal);
        ledger.onCallFinished(fileId, call.time);
      }
      const caller = call?.entry ?? id;
      row.nestedCalls.forEach(({ call, name, isError, duration }, n) => {
        const [failed, result] = isError === null ? [null, null] : [isError ? 1 : 0, id];
        insertNested.run(id, n, fileId, call, name, failed, result, caller, duration);
      });
    }
    touches.add({ id, fileId, timestamp }, row.touches);
    if (row.subagents.length > 0) ledger.addRuns({ entry: id, fileId, time: timestamp }, file, row.subagents);
    ledger.add({ ...file, entry: id, entryId, time, elapsedMs }, row.events);
    if (row.ownFigures) ledger.correct(file, row.ownFigures);
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
   * Begins a transaction and clears the caches, because other processes may have changed rows.
   *
   * @throws DatabaseReplacedError if a newer pidex migrated the database: these statements are for the old tables
   */
  function begin(): void {
    beginNow.run();
    if (versionNow.get() !== version) throw new DatabaseReplacedError();
    calls.clear();
    touches.forgetIds();
    collector = new WordCollector(); // another process may have deleted unused words
    ledger.begin();
  }

  /** Attributes all events, updates the roll-up and commits. */
  function commit(): void {
    ledger.settle();
    const words = collector.take();
    if (words.length > 0) insertWords.run(JSON.stringify(words));
    commitNow.run();
  }

  /** Rolls back the transaction, if one is open. */
  function rollBack(): void {
    if (handle.inTransaction) handle.exec("ROLLBACK");
    collector = new WordCollector(); // the words that it considers written are rolled back
  }

  const eraseText = (fileId: number): void => {
    if (deleteText.run(fileId).changes > 0) erasure.note();
  };

  function deleteRows(fileId: number, work: () => void): void {
    calls.clear();
    const paths = touches.pathsOf(fileId);
    ledger.beforeRowsDeleted(fileId);
    eraseText(fileId);
    work();
    touches.deleteUntouched(paths);
  }

  return {
    begin,
    commit,
    rollBack,
    /** Runs `work` in a transaction. */
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
    /** The rows of the files with a path that starts with a prefix. */
    filesBelow: (prefix: string) => filesBelow.all(prefix, prefix),
    file: (path: string) => fileByPath.get(path),
    /** Inserts a file's row, or updates it if it has an id. Returns the id. */
    saveFile(row: Omit<FileTable, "id"> & { id?: number }): number {
      if (row.id === undefined) {
        const id = Number(insertFile.run({ ...row, id: null }).lastInsertRowid);
        ledger.onFileAdded(row.path);
        return id;
      }
      updateFile.run(row);
      return row.id;
    },
    /** Marks a file as completely indexed. */
    finishFile: (fileId: number) => finishFile.run(EXTRACTION, fileId),
    /** Deletes all rows made from a file's lines, and keeps its row in `file`. */
    clear(fileId: number): void {
      deleteRows(fileId, () => {
        for (const statement of clearFile) statement.run(fileId);
      });
    },
    /** Deletes all rows of a file. */
    forget(fileId: number): void {
      deleteRows(fileId, () => {
        ledger.beforeFileDeleted(fileById.get(fileId) ?? "");
        deleteFile.run(fileId); // the rest cascades
      });
    },
    session: (fileId: number) => session.get(fileId),
    saveSession(row: SessionTable): void {
      if (updateSession.run(row).changes > 0) return;
      insertSession.run(row);
      ledger.onSessionAdded(row.file_id, row);
    },
    tags,
    /** Adds to the number of a session's assistant messages by model. */
    countModel(fileId: number, { provider, model, messages }: Omit<SessionModelTable, "file_id">): void {
      put(updateModel, insertModel, messages, fileId, provider, model);
    },
    addEntry,
    /** Sets the ids of the entries that are added from now on; undefined for those after the highest one. */
    placeEntries(placed: EntryIds | undefined): void {
      ids = placed;
    },
    /** Adds the words of an entry that was added without them. */
    addWords,
    /** Deletes the words of a file's entries. */
    clearWords: eraseText,
    /** The row ids of a file's entries, in line order. */
    entriesOf: (fileId: number) => entriesOf.all(fileId),
    branches: prepareBranches(db),
    ledger,
    addProblem(fileId: number, { byteOffset, line, code, message }: Problem): void {
      insertProblem.run(fileId, byteOffset, line, code, message);
    },
    /** Deletes the problems at or after a byte offset, which is read again. */
    dropProblems: (fileId: number, from: number) => deleteProblems.run(fileId, from),
  };
}

export type RowWriter = ReturnType<typeof prepareRowWriter>;

/** What the rows of entries depend on in the file that is being read, and in its header. */
export interface IngestedFile extends ReportingSession {
  fileId: number;
  /** The version of its format. */
  version: number;
}

interface StoredCall {
  entry: number;
  ordinal: number;
  /** Time of its model response. */
  time: number | null;
}

/** The statements that insert and update whole rows of a table, which are objects with all its columns. */
function prepareWholeRows(handle: SQLite.Database, db: StatementPreparer, table: string, key: string) {
  const columns = handle
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
    .pluck()
    .all(table);
  const values = columns.map((name) => `@${name}`);
  const changes = columns.filter((name) => name !== key).map((name) => `${name} = @${name}`);
  return {
    insert: db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values.join(", ")})`),
    update: db.prepare(`UPDATE ${table} SET ${changes.join(", ")} WHERE ${key} = @${key}`),
  };
}
