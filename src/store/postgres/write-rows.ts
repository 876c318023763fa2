import type { ClientBase } from "pg";
import type { FileRows, NewEntry } from "../file-rows.ts";
import { encodeEntryId } from "./entry-id.ts";
import { insertRows, toStorable, type Value } from "./insert-rows.ts";
import { type Posting, PostingCollector } from "./postings.ts";

/** A file that rows are written to. */
export interface TargetFile {
  shelf: number;
  id: number;
  /** Day of the last entry; 0 before the first. */
  day: number;
}

const MS_PER_DAY = 86_400_000;

/**
 * Adds the rows of some lines that follow what is indexed of a file. Runs in the caller's transaction, which must hold a lock on the
 * row of the file.
 *
 * @returns the day of the last entry
 */
export async function writeRows(client: ClientBase, file: TargetFile, rows: FileRows): Promise<number> {
  const { shelf, id } = file;
  const days = toDays(rows, file.day);
  const collector = new PostingCollector();
  const words = rows.entries.map(({ line, texts }, n) =>
    texts ? collector.add(line, days[n] as number, texts) : 0,
  );
  await insertRows(
    client,
    "entry",
    ENTRY_COLUMNS,
    rows.entries.map((entry, n) => [
      ...[shelf, id, entry.line, days[n] as number, entry.byte_offset, entry.byte_length],
      ...[encodeEntryId(entry.entry_id), encodeEntryId(entry.parent_id), toStorable(entry.type)],
      ...[storable(entry.role), entry.timestamp, storable(entry.tool), entry.failed, entry.text_hash],
      words[n] as number,
    ]),
  );
  await writePostings(client, file, collector.finish());
  await writeCalls(client, file, rows.entries);
  await writeTouches(client, file, rows.entries);
  await writeLabels(client, file, rows.entries);
  await writeModels(client, file, rows.models);
  await writeProblems(client, file, rows);
  await writeSession(client, file, rows.session);
  await writeBilling(client, file, rows);
  return days.at(-1) ?? file.day;
}

const ENTRY_COLUMNS = {
  ...{ shelf: "int", file_id: "int", line: "int", day: "int", byte_offset: "bigint", byte_length: "int" },
  ...{ entry_id: "text", parent_id: "text", type: "text", role: "text", timestamp: "bigint", tool: "text" },
  ...{ failed: "smallint", text_hash: "bigint", words: "int" },
};

const POSTING_COLUMNS = {
  ...{ shelf: "int", word: "text", day: "int", file_id: "int", first_line: "int", lines: "int" },
  places: "bytea",
};

async function writePostings(
  client: ClientBase,
  { shelf, id }: TargetFile,
  postings: readonly Posting[],
): Promise<void> {
  if (postings.length === 0) return;
  await insertRows(
    client,
    "posting",
    POSTING_COLUMNS,
    postings.map(({ word, day, firstLine, lines, places }) => [
      shelf,
      word,
      day,
      id,
      firstLine,
      lines,
      places,
    ]),
  );
  await client.query({
    name: "add words",
    text: "INSERT INTO vocabulary (shelf, word) SELECT $1, * FROM unnest($2::text[]) ON CONFLICT (shelf, word) DO NOTHING",
    // Sorted, so that transactions with the same words wait for each other instead of ending in a deadlock.
    values: [shelf, [...new Set(postings.map(({ word }) => word))].sort()],
  });
}

const BILLING_COLUMNS = {
  ...{
    shelf: "int",
    file_id: "int",
    line: "int",
    day: "int",
    has_links: "smallint",
    keys: "text",
    record: "text",
  },
};

const RUN_PATH_COLUMNS = {
  ...{ shelf: "int", path: "text", file_id: "int", line: "int", ordinal: "int", agent: "text", tool: "text" },
};

/** Writes what the ledger is computed from: see `indexer/hub-ledger.ts`. */
async function writeBilling(
  client: ClientBase,
  { shelf, id }: TargetFile,
  { entries, runPaths, lineage }: FileRows,
): Promise<void> {
  const billed = entries.flatMap(({ line, billing }) => (billing ? [{ line, ...billing }] : []));
  const rows = billed.map(({ line, day, has_links, keys, record }) => [
    ...[shelf, id, line, day, has_links, keys.join(), record],
  ]);
  await insertRows(client, "billing", BILLING_COLUMNS, rows);
  const keys = [...new Set(billed.flatMap(({ keys }) => keys))];
  if (keys.length > 0) {
    await client.query({
      name: "add event keys",
      text: "INSERT INTO event_key (shelf, key, file_id) SELECT $1, key, $2 FROM unnest($3::bigint[]) AS new (key) ORDER BY key ON CONFLICT DO NOTHING",
      values: [shelf, id, keys],
    });
  }
  const unique = new Map(runPaths.map((row) => [`${row.line} ${row.ordinal} ${row.path}`, row]));
  const paths = [...unique.values()].map(({ path, line, ordinal, agent, tool }) => [
    ...[shelf, toStorable(path), id, line, ordinal, storable(agent), storable(tool)],
  ]);
  await insertRows(client, "run_path", RUN_PATH_COLUMNS, paths);
  if (lineage.length > 0) {
    await client.query({
      name: "add lineage",
      text: `INSERT INTO lineage (shelf, name, role, file_id) SELECT $1, name, role, $2 FROM unnest($3::text[], $4::int[]) AS new (name, role)
        ON CONFLICT DO NOTHING`,
      values: [shelf, id, lineage.map(({ name }) => toStorable(name)), lineage.map(({ role }) => role)],
    });
  }
}

/** The day of each entry, in days since 1970: of its time, else of the entry before it, else of its session. */
function toDays({ entries, session }: FileRows, before: number): number[] {
  let day = before || toDay(session?.created ?? null) || 0;
  return entries.map(({ timestamp }) => {
    day = toDay(timestamp) ?? day;
    return day;
  });
}

/** Days before 1970 and after 9999 are those. */
function toDay(timestamp: number | null): number | undefined {
  if (timestamp === null) return undefined;
  return Math.min(Math.max(Math.floor(timestamp / MS_PER_DAY), 0), MAX_DAY);
}

const MAX_DAY = 2_932_896;

function storable(text: string | null): string | null {
  return text === null ? null : toStorable(text);
}

const CALL_COLUMNS = {
  ...{ shelf: "int", file_id: "int", line: "int", ordinal: "int", call: "bigint", name: "text" },
  ...{ is_error: "smallint", result: "int", caller: "int", duration: "bigint" },
};

interface Call {
  line: number;
  ordinal: number;
  call: number;
  name: string;
  isError: number | null;
  result: number | null;
  caller: number | null;
  duration: number | null;
}

/** Writes the calls, and what results say of calls that are already there. */
async function writeCalls(
  client: ClientBase,
  { shelf, id }: TargetFile,
  entries: readonly NewEntry[],
): Promise<void> {
  const added: Call[] = [];
  const byHash = new Map<number, Call>();
  for (const { line, calls, result, nested } of entries) {
    calls.forEach(({ call, name }, ordinal) => {
      const row = { line, ordinal, call, name, isError: null, result: null, caller: null, duration: null };
      added.push(row);
      byHash.set(call, row);
    });
    if (!result) continue;
    // The last call with the id, because some files have missing or repeated ids.
    const known = byHash.get(result.call);
    if (known) Object.assign(known, { isError: result.is_error, result: line, duration: result.duration });
    const caller = known?.line ?? (await finishCall(client, { shelf, id }, line, result)) ?? line;
    nested.forEach(({ call, name, is_error: isError, duration }, ordinal) => {
      added.push({
        line,
        ordinal,
        call,
        name,
        isError,
        result: isError === null ? null : line,
        caller,
        duration,
      });
    });
  }
  await insertRows(
    client,
    "tool_call",
    CALL_COLUMNS,
    added.map(({ line, ordinal, call, name, isError, result, caller, duration }): Value[] => [
      ...[shelf, id, line, ordinal, call, toStorable(name), isError, result, caller, duration],
    ]),
  );
}

/** Records the result of the last call with a hash. @returns its line, if there is one */
async function finishCall(
  client: ClientBase,
  { shelf, id }: Pick<TargetFile, "shelf" | "id">,
  line: number,
  result: NonNullable<NewEntry["result"]>,
): Promise<number | undefined> {
  const { rows } = await client.query<{ line: number }>({
    name: "finish call",
    text: `UPDATE tool_call SET is_error = $4, result = $5, duration = $6 WHERE shelf = $1 AND file_id = $2 AND (line, ordinal) = (
        SELECT line, ordinal FROM tool_call WHERE shelf = $1 AND file_id = $2 AND call = $3 AND caller IS NULL
        ORDER BY line DESC, ordinal DESC LIMIT 1)
      RETURNING line`,
    values: [shelf, id, result.call, result.is_error, line, result.duration],
  });
  return rows[0]?.line;
}

const TOUCH_COLUMNS = {
  ...{ shelf: "int", path_id: "int", file_id: "int", line: "int", ordinal: "int", action: "text" },
};

async function writeTouches(
  client: ClientBase,
  { shelf, id }: TargetFile,
  entries: readonly NewEntry[],
): Promise<void> {
  const touches = entries.flatMap(({ line, touches }) =>
    touches.map(({ path, ...touch }) => ({ line, path: toStorable(path), ...touch })),
  );
  if (touches.length === 0) return;
  const paths = [...new Set(touches.map(({ path }) => path))].sort();
  // The second SELECT sees the rows that were there before, and `added` those that are new.
  const { rows } = await client.query<{ id: number; path: string }>({
    name: "add paths",
    text: `WITH added AS (
        INSERT INTO path (shelf, path) SELECT $1, * FROM unnest($2::text[])
        ON CONFLICT (shelf, path) DO NOTHING RETURNING id, path)
      SELECT id, path FROM added UNION ALL SELECT id, path FROM path WHERE shelf = $1 AND path = ANY ($2)`,
    values: [shelf, paths],
  });
  const ids = new Map(rows.map(({ id, path }) => [path, id]));
  const missing = paths.filter((path) => !ids.has(path));
  if (missing.length > 0) {
    // Another transaction has added them since this statement began.
    const later = await client.query<{ id: number; path: string }>(
      "SELECT id, path FROM path WHERE shelf = $1 AND path = ANY ($2)",
      [shelf, missing],
    );
    for (const { id, path } of later.rows) ids.set(path, id);
  }
  await insertRows(
    client,
    "touch",
    TOUCH_COLUMNS,
    touches.map(({ path, line, ordinal, action }) => [
      shelf,
      ids.get(path) as number,
      id,
      line,
      ordinal,
      action,
    ]),
  );
}

/** Sets and removes labels in the order of their lines. */
async function writeLabels(
  client: ClientBase,
  { shelf, id }: TargetFile,
  entries: readonly NewEntry[],
): Promise<void> {
  const last = new Map<string, { label: string | null; timestamp: number | null }>();
  for (const { label, timestamp } of entries) {
    if (label) last.set(encodeEntryId(label.target) as string, { label: storable(label.label), timestamp });
  }
  if (last.size === 0) return;
  await client.query("DELETE FROM label WHERE shelf = $1 AND file_id = $2 AND target_id = ANY ($3)", [
    shelf,
    id,
    [...last.keys()],
  ]);
  const set = [...last].flatMap(([target, { label, timestamp }]): Value[][] =>
    label === null ? [] : [[shelf, id, target, label, timestamp]],
  );
  const columns = { shelf: "int", file_id: "int", target_id: "text", label: "text", timestamp: "bigint" };
  await insertRows(client, "label", columns, set);
}

async function writeModels(
  client: ClientBase,
  { shelf, id }: TargetFile,
  models: FileRows["models"],
): Promise<void> {
  if (models.length === 0) return;
  await client.query({
    name: "count models",
    text: `INSERT INTO session_model (shelf, file_id, provider, model, messages)
        SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::int[])
      ON CONFLICT (shelf, file_id, provider, model) DO UPDATE SET messages = session_model.messages + excluded.messages`,
    values: [
      ...[shelf, id],
      models.map(({ provider }) => toStorable(provider)),
      models.map(({ model }) => toStorable(model)),
      models.map(({ messages }) => messages),
    ],
  });
}

async function writeProblems(
  client: ClientBase,
  { shelf, id }: TargetFile,
  { problems }: FileRows,
): Promise<void> {
  const columns = {
    ...{ shelf: "int", file_id: "int", byte_offset: "bigint", ordinal: "int", line: "int", code: "text" },
    message: "text",
  };
  const ordinals = new Map<number, number>();
  const rows = problems.map(({ byte_offset: offset, line, code, message }): Value[] => {
    const ordinal = ordinals.get(offset) ?? 0;
    ordinals.set(offset, ordinal + 1);
    return [shelf, id, offset, ordinal, line, code, toStorable(message)];
  });
  await insertRows(client, "problem", columns, rows);
}

const SESSION_COLUMNS = [
  ...[
    "id",
    "cwd",
    "parent_session",
    "internal",
    "created",
    "last_message",
    "modified",
    "name",
    "first_message",
  ],
  ...[
    "provider",
    "model",
    "entry_count",
    "message_count",
    "user_count",
    "assistant_count",
    "pinned",
    "archived",
  ],
] as (keyof NonNullable<FileRows["session"]>)[];

const SAVE_SESSION = `INSERT INTO session (shelf, file_id, ${SESSION_COLUMNS.join(", ")})
  VALUES (${Array.from({ length: SESSION_COLUMNS.length + 2 }, (_, n) => `$${n + 1}`).join(", ")})
  ON CONFLICT (shelf, file_id) DO UPDATE SET ${SESSION_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;

async function writeSession(
  client: ClientBase,
  { shelf, id }: TargetFile,
  session: FileRows["session"],
): Promise<void> {
  if (!session) return;
  const values = SESSION_COLUMNS.map((name) => {
    const value = session[name] as string | number | null;
    return typeof value === "string" ? toStorable(value) : value;
  });
  await client.query({ name: "save session", text: SAVE_SESSION, values: [shelf, id, ...values] });
  const { rows } = await client.query<{ tag: string }>({
    name: "tags",
    text: "SELECT tag FROM tag WHERE shelf = $1 AND file_id = $2 ORDER BY ordinal",
    values: [shelf, id],
  });
  const tags = session.tags.map(({ tag, folded }) => ({ tag: toStorable(tag), folded: toStorable(folded) }));
  if (rows.length === tags.length && rows.every(({ tag }, n) => tag === tags[n]?.tag)) return;
  await client.query("DELETE FROM tag WHERE shelf = $1 AND file_id = $2", [shelf, id]);
  const columns = { shelf: "int", file_id: "int", ordinal: "int", tag: "text", folded: "text" };
  await insertRows(
    client,
    "tag",
    columns,
    tags.map(({ tag, folded }, n) => [shelf, id, n, tag, folded]),
  );
}
