import type { ClientBase } from "pg";
import { ByteChain, EMPTY_CHAIN } from "../../byte-chain.ts";
import type { FileState } from "../file-rows.ts";
import type { SessionTable, SqlEntryId } from "../schema.ts";
import { decodeEntryId, encodeEntryId } from "./entry-id.ts";
import { type Columns, insertRows, toStorable } from "./insert-rows.ts";

/** A session file of a machine. */
export interface MachineFile {
  shelf: number;
  /** A UUID. */
  machine: string;
  /** On that machine. */
  path: string;
  /** 1 if a subagent wrote it. */
  subagent: number;
}

/** A file as far as it is indexed. */
export interface StoredFile extends MachineFile, FileState {
  id: number;
  extraction: number;
  /** Day of its last entry; 0 without one. */
  day: number;
  machineName: string;
  /** The link of `ByteChain` before the cursor. */
  chain: Buffer;
  /** The digest of `ByteChain` at the cursor. */
  digest: string;
}

/** The digest of no bytes. */
export const EMPTY_DIGEST: string = new ByteChain().digest;

const COLUMNS =
  "id, shelf, machine, local_path AS path, subagent, extraction, version, cursor, terminated, lines, parsed, header, leaf_id, chain, encode(digest, 'hex') AS digest";

/**
 * Finds a file, or adds it without any lines, and locks its row until the end of the transaction.
 *
 * @param state of a file without lines
 */
export async function lockFile(
  client: ClientBase,
  file: MachineFile,
  state: FileState,
  extraction: number,
): Promise<StoredFile> {
  const { shelf, machine, path: givenPath, subagent } = file;
  const path = toStorable(givenPath);
  const added = client.query({
    name: "add file",
    text: `INSERT INTO file (shelf, machine, path, local_path, ledger_path, subagent, extraction, version, cursor, terminated, lines,
        parsed, header, chain, digest)
      SELECT $1, id, name || ':' || $3, $3, '/' || name || '/' || $10, $4, $5, $6, 0, 1, 0, 0, $7, $8, decode($9, 'hex') FROM machine
      WHERE id = $2 AND NOT EXISTS (SELECT 1 FROM file WHERE machine = $2 AND local_path = $3)
      -- Of any unique index: another connection adds the same file, and PostgreSQL may notice it in each of them.
      ON CONFLICT DO NOTHING`,
    values: [
      ...[shelf, machine, path, subagent, extraction, state.version, state.header],
      ...[EMPTY_CHAIN, EMPTY_DIGEST, path.replaceAll("\\", "/").replace(/^\/+/, "")],
    ],
  });
  const locked = client.query({
    name: "lock file",
    text: `SELECT ${COLUMNS}, split_part(path, ':', 1) AS "machineName", (SELECT day FROM entry WHERE entry.shelf = file.shelf AND entry.file_id = file.id
        ORDER BY line DESC LIMIT 1) AS day
      FROM file WHERE machine = $1 AND local_path = $2 FOR UPDATE OF file`,
    values: [machine, path],
  });
  const [, { rows }] = await Promise.all([added, locked]);
  if (rows.length === 0) return lockFile(client, file, state, extraction); // it was forgotten meanwhile
  const { terminated, leaf_id: leafId, day, ...row } = rows[0];
  return { ...row, terminated: terminated === 1, leaf_id: decodeEntryId(leafId), day: day ?? 0 };
}

/** Saves how far a file is read. @param modified of the machine's file, in Unix milliseconds */
export async function saveFileState(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
  { cursor, terminated, lines, parsed, header, version, leaf_id: leafId }: FileState,
  chain: ByteChain,
  modified: number,
): Promise<void> {
  await client.query({
    name: "save file state",
    text: `UPDATE file SET cursor = $3, terminated = $4, lines = $5, parsed = $6, header = $7, version = $8, leaf_id = $9, chain = $10,
        digest = decode($11, 'hex'), modified = $12
      WHERE shelf = $1 AND id = $2`,
    values: [
      shelf,
      id,
      cursor,
      terminated ? 1 : 0,
      lines,
      parsed,
      header,
      version,
      encodeEntryId(leafId),
      chain.link,
      chain.digest,
      modified,
    ],
  });
}

/** The session of a file with its tags, if it has a header. */
export async function readSession(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
): Promise<(Omit<SessionTable, "file_id"> & { tags: string[] }) | undefined> {
  const { rows } = await client.query({
    name: "session",
    text: `SELECT *, ARRAY(SELECT tag FROM tag WHERE tag.shelf = $1 AND tag.file_id = $2 ORDER BY ordinal) AS tags
      FROM session WHERE shelf = $1 AND file_id = $2`,
    values: [shelf, id],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { shelf: _, file_id: __, ...session } = row;
  return session;
}

/** Deletes the problems at or after a byte offset, which is read again. */
export async function dropProblems(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
  from: number,
): Promise<void> {
  await client.query({
    name: "drop problems",
    text: "DELETE FROM problem WHERE shelf = $1 AND file_id = $2 AND byte_offset >= $3",
    values: [shelf, id, from],
  });
}

/** The time of a file's last message with a time, in Unix milliseconds. */
export async function readLastMessageTime(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
): Promise<number | null> {
  const { rows } = await client.query<{ timestamp: number }>({
    name: "last message time",
    text: `SELECT timestamp FROM entry WHERE shelf = $1 AND file_id = $2 AND type = 'message' AND timestamp IS NOT NULL
      ORDER BY line DESC LIMIT 1`,
    values: [shelf, id],
  });
  return rows[0]?.timestamp ?? null;
}

/** The tables with rows of a file, except `file` itself. */
const TABLES = [
  ...["posting", "segment", "session", "entry", "current_range", "label", "tag", "session_model", "problem"],
  ...["touch", "tool_call", "billing", "event_key", "event_state", "run_path", "lineage", "usage_day"],
  ...["linked_file", "unsettled"],
];

/** Deletes a file with all its rows. */
export async function forgetFile(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
): Promise<void> {
  // Each word is looked up, in the order of the index. ORDER BY and LIMIT, because PostgreSQL would join the words with all postings
  // of the shelf, or read the table until it finds one.
  await client.query(
    `WITH words AS MATERIALIZED (SELECT DISTINCT word FROM posting WHERE shelf = $1 AND file_id = $2 ORDER BY word)
     DELETE FROM vocabulary WHERE shelf = $1 AND word IN (
       SELECT words.word FROM words LEFT JOIN LATERAL (
         SELECT TRUE AS found FROM posting WHERE posting.shelf = $1 AND posting.word = words.word AND file_id <> $2
         ORDER BY day LIMIT 1) AS other ON TRUE
       WHERE other.found IS NULL)`,
    [shelf, id],
  );
  const { rows: paths } = await client.query<{ path_id: number }>(
    "SELECT DISTINCT path_id FROM touch WHERE shelf = $1 AND file_id = $2",
    [shelf, id],
  );
  for (const table of TABLES) {
    await client.query(`DELETE FROM ${table} WHERE shelf = $1 AND file_id = $2`, [shelf, id]);
  }
  await client.query(
    `DELETE FROM path WHERE shelf = $1 AND id = ANY ($2)
       AND NOT EXISTS (SELECT 1 FROM touch WHERE touch.shelf = path.shelf AND touch.path_id = path.id)`,
    [shelf, paths.map(({ path_id: id }) => id)],
  );
  await client.query("DELETE FROM file WHERE shelf = $1 AND id = $2", [shelf, id]);
}

/**
 * Deletes all rows of a file, its bytes too, and sets it back to a file without lines of this extraction. Words and paths that no
 * other file has stay, because the file will have most of them again.
 */
export async function resetFile(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
  state: FileState,
  extraction: number,
): Promise<void> {
  for (const table of TABLES) {
    await client.query(`DELETE FROM ${table} WHERE shelf = $1 AND file_id = $2`, [shelf, id]);
  }
  const { rows } = await client.query<{ modified: number }>(
    "UPDATE file SET extraction = $3 WHERE shelf = $1 AND id = $2 RETURNING modified",
    [shelf, id, extraction],
  );
  await saveFileState(client, { shelf, id }, state, new ByteChain(), rows[0]?.modified ?? 0);
}

/** A range of lines, inclusive. */
interface LineRange {
  first: number;
  last: number;
}

/** The last range of lines on the current branch of a file. */
export async function readLastRange(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
): Promise<LineRange | undefined> {
  const { rows } = await client.query<LineRange>({
    name: "last range",
    text: `SELECT first_line AS first, last_line AS last FROM current_range WHERE shelf = $1 AND file_id = $2
      ORDER BY first_line DESC LIMIT 1`,
    values: [shelf, id],
  });
  return rows[0];
}

/** Those of the ids that entries of a file have. */
export async function filterEntryIds(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
  ids: readonly SqlEntryId[],
): Promise<SqlEntryId[]> {
  const { rows } = await client.query<{ entry_id: string }>({
    name: "known entry ids",
    text: "SELECT DISTINCT entry_id FROM entry WHERE shelf = $1 AND file_id = $2 AND entry_id = ANY ($3)",
    values: [shelf, id, ids.map(encodeEntryId)],
  });
  return rows.map(({ entry_id: stored }) => decodeEntryId(stored));
}

/** The line of an entry, and its links in the tree. */
interface EntryLinks {
  line: number;
  id: SqlEntryId;
  parentId: SqlEntryId;
}

/** The links of all entries of a file, in file order. */
export async function readEntryLinks(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
): Promise<EntryLinks[]> {
  const { rows } = await client.query<{ line: number; entry_id: string; parent_id: string }>(
    "SELECT line, entry_id, parent_id FROM entry WHERE shelf = $1 AND file_id = $2 ORDER BY line",
    [shelf, id],
  );
  return rows.map(({ line, entry_id, parent_id }) => ({
    line,
    id: decodeEntryId(entry_id),
    parentId: decodeEntryId(parent_id),
  }));
}

/** Extends the last range of a file, or adds it. */
export async function saveLastRange(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
  { first, last }: LineRange,
): Promise<void> {
  await client.query({
    name: "save last range",
    text: `INSERT INTO current_range (shelf, file_id, first_line, last_line) VALUES ($1, $2, $3, $4)
      ON CONFLICT (shelf, file_id, first_line) DO UPDATE SET last_line = excluded.last_line`,
    values: [shelf, id, first, last],
  });
}

const RANGE_COLUMNS: Columns = { shelf: "int", file_id: "int", first_line: "int", last_line: "int" };

/** Replaces all ranges of a file. */
export async function replaceRanges(
  client: ClientBase,
  { shelf, id }: Pick<StoredFile, "shelf" | "id">,
  ranges: readonly LineRange[],
): Promise<void> {
  await client.query("DELETE FROM current_range WHERE shelf = $1 AND file_id = $2", [shelf, id]);
  const rows = ranges.map(({ first, last }) => [shelf, id, first, last]);
  await insertRows(client, { table: "current_range", columns: RANGE_COLUMNS, rows });
}
