import type { ClientBase } from "pg";
import type { FileRows, NewEntry } from "../file-rows.ts";
import { encodeEntryId } from "./entry-id.ts";
import { type Columns, insertRows, type TableRows, toStorable, type Value } from "./insert-rows.ts";
import { type Posting, PostingCollector } from "./postings.ts";
import { SharedRows } from "./shared-rows.ts";

/** A file that rows are written to. */
interface TargetFile {
  shelf: number;
  id: number;
}

const MS_PER_DAY = 86_400_000;

/**
 * Writes the rows of lines that follow what is indexed of a file. Runs in the caller's transaction, which must hold a lock on the row of
 * the file. Statements that don't need each other's results are sent together, because most appends are one line.
 */
export class RowWriter {
  readonly #client: ClientBase;
  readonly #file: TargetFile;
  readonly #shared: SharedRows;
  /** Of the last entry; 0 before the first. */
  #day: number;

  constructor(client: ClientBase, file: TargetFile & { day: number }) {
    this.#client = client;
    this.#file = file;
    this.#day = file.day;
    this.#shared = new SharedRows(file);
  }

  /** Adds the rows of consecutive lines. */
  async add(rows: FileRows): Promise<void> {
    const [client, file, { entries }] = [this.#client, this.#file, rows];
    const days = toDays(rows, this.#day);
    this.#day = days.at(-1) ?? this.#day;
    const collector = new PostingCollector();
    const words = entries.map(({ line, texts }, n) =>
      texts ? collector.add(line, days[n] as number, texts) : 0,
    );
    const postings = collector.finish();
    this.#shared.add(postings, entries);
    const tables = [
      toEntryRows(file, entries, days, words),
      toPostingRows(file, postings),
      await collectCalls(client, file, entries),
      toProblemRows(file, rows.problems),
      ...toBillingRows(file, rows),
    ];
    await Promise.all([
      ...tables.map((table) => insertRows(client, table)),
      writeLabels(client, file, entries),
      addModels(client, file, rows.models),
      writeSession(client, file, rows.session),
      addLinks(client, file, rows),
    ]);
  }

  /** Adds the rows that other files share. Call it shortly before the end of the transaction, and only once. */
  finish(): Promise<void> {
    return this.#shared.write(this.#client);
  }
}

function toEntryRows(
  { shelf, id }: TargetFile,
  entries: readonly NewEntry[],
  days: readonly number[],
  words: readonly number[],
): TableRows {
  const rows = entries.map((entry, n) => [
    ...[shelf, id, entry.line, days[n] as number, entry.byte_offset, entry.byte_length],
    ...[encodeEntryId(entry.entry_id), encodeEntryId(entry.parent_id), toStorable(entry.type)],
    ...[storable(entry.role), entry.timestamp, storable(entry.tool), entry.failed, entry.has_text],
    ...[entry.text_hash, words[n] as number],
  ]);
  return { table: "entry", columns: ENTRY_COLUMNS, rows };
}

const ENTRY_COLUMNS: Columns = {
  ...{ shelf: "int", file_id: "int", line: "int", day: "int", byte_offset: "bigint", byte_length: "int" },
  ...{ entry_id: "text", parent_id: "text", type: "text", role: "text", timestamp: "bigint", tool: "text" },
  ...{ failed: "smallint", has_text: "smallint", text_hash: "bigint", words: "int" },
};

const POSTING_COLUMNS: Columns = {
  ...{ shelf: "int", word: "text", day: "int", file_id: "int", first_line: "int", lines: "int" },
  places: "bytea",
};

function toPostingRows({ shelf, id }: TargetFile, postings: readonly Posting[]): TableRows {
  const rows = postings.map(({ word, day, firstLine, lines, places }) => [
    ...[shelf, word, day, id, firstLine, lines, places],
  ]);
  return { table: "posting", columns: POSTING_COLUMNS, rows };
}

const BILLING_COLUMNS: Columns = {
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

const RUN_PATH_COLUMNS: Columns = {
  ...{ shelf: "int", path: "text", file_id: "int", line: "int", ordinal: "int", agent: "text", tool: "text" },
};

/** What the ledger is computed from: see `indexer/hub-ledger.ts`. */
function toBillingRows({ shelf, id }: TargetFile, { entries, runPaths }: FileRows): TableRows[] {
  const billed = entries.flatMap(({ line, billing }): Value[][] => {
    if (!billing) return [];
    const { day, has_links, keys, record } = billing;
    return [[shelf, id, line, day, has_links, keys.join(), record]];
  });
  const unique = new Map(runPaths.map((row) => [`${row.line} ${row.ordinal} ${row.path}`, row]));
  const paths = [...unique.values()].map(({ path, line, ordinal, agent, tool }) => [
    ...[shelf, toStorable(path), id, line, ordinal, storable(agent), storable(tool)],
  ]);
  return [
    { table: "billing", columns: BILLING_COLUMNS, rows: billed },
    { table: "run_path", columns: RUN_PATH_COLUMNS, rows: paths },
  ];
}

/** Adds what connects the file with others in the ledger. */
async function addLinks(
  client: ClientBase,
  { shelf, id }: TargetFile,
  { entries, lineage }: FileRows,
): Promise<void> {
  const keys = [...new Set(entries.flatMap(({ billing }) => billing?.keys ?? []))];
  const statements: Promise<unknown>[] = [];
  if (keys.length > 0) {
    const addKeys = client.query({
      name: "add event keys",
      text: "INSERT INTO event_key (shelf, key, file_id) SELECT $1, key, $2 FROM unnest($3::bigint[]) AS new (key) ORDER BY key ON CONFLICT DO NOTHING",
      values: [shelf, id, keys],
    });
    statements.push(addKeys);
  }
  if (lineage.length > 0) {
    const addLineage = client.query({
      name: "add lineage",
      text: `INSERT INTO lineage (shelf, name, role, file_id) SELECT $1, name, role, $2 FROM unnest($3::text[], $4::int[]) AS new (name, role)
        ON CONFLICT DO NOTHING`,
      values: [shelf, id, lineage.map(({ name }) => toStorable(name)), lineage.map(({ role }) => role)],
    });
    statements.push(addLineage);
  }
  await Promise.all(statements);
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

const CALL_COLUMNS: Columns = {
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

/** Records what results say of calls that are already there. @returns the new calls */
async function collectCalls(
  client: ClientBase,
  { shelf, id }: TargetFile,
  entries: readonly NewEntry[],
): Promise<TableRows> {
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
  const rows = added.map(({ line, ordinal, call, name, isError, result, caller, duration }): Value[] => [
    ...[shelf, id, line, ordinal, call, toStorable(name), isError, result, caller, duration],
  ]);
  return { table: "tool_call", columns: CALL_COLUMNS, rows };
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

const LABEL_COLUMNS: Columns = {
  ...{ shelf: "int", file_id: "int", target_id: "text", label: "text", timestamp: "bigint" },
};

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
  await insertRows(client, { table: "label", columns: LABEL_COLUMNS, rows: set });
}

async function addModels(
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

const PROBLEM_COLUMNS: Columns = {
  ...{ shelf: "int", file_id: "int", byte_offset: "bigint", ordinal: "int", line: "int", code: "text" },
  message: "text",
};

function toProblemRows({ shelf, id }: TargetFile, problems: FileRows["problems"]): TableRows {
  const ordinals = new Map<number, number>();
  const rows = problems.map(({ byte_offset: offset, line, code, message }): Value[] => {
    const ordinal = ordinals.get(offset) ?? 0;
    ordinals.set(offset, ordinal + 1);
    return [shelf, id, offset, ordinal, line, code, toStorable(message)];
  });
  return { table: "problem", columns: PROBLEM_COLUMNS, rows };
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
    "computed_title",
    "title_state",
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
  const [{ rows }] = await Promise.all([
    client.query<{ tag: string }>({
      name: "tags",
      text: "SELECT tag FROM tag WHERE shelf = $1 AND file_id = $2 ORDER BY ordinal",
      values: [shelf, id],
    }),
    client.query({ name: "save session", text: SAVE_SESSION, values: [shelf, id, ...values] }),
  ]);
  const tags = session.tags.map(({ tag, folded }) => ({ tag: toStorable(tag), folded: toStorable(folded) }));
  if (rows.length === tags.length && rows.every(({ tag }, n) => tag === tags[n]?.tag)) return;
  await client.query("DELETE FROM tag WHERE shelf = $1 AND file_id = $2", [shelf, id]);
  const added = tags.map(({ tag, folded }, n) => [shelf, id, n, tag, folded]);
  await insertRows(client, { table: "tag", columns: TAG_COLUMNS, rows: added });
}

const TAG_COLUMNS: Columns = { shelf: "int", file_id: "int", ordinal: "int", tag: "text", folded: "text" };
