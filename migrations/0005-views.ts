import { type Kysely, sql } from "kysely";

/**
 * What people may ask by SQL: views that stay as they are while tables change. docs/schema.md is written from the
 * comments in them, which SQLite keeps: one behind the view's name, one behind each column's.
 *
 * A CAST gives a column the type that other programs look for; columns that an index is searched for go without one,
 * since they have the type of their table's. Joins are LEFT where they can be, though all find their row: SQLite leaves
 * those out that a question does not need (but in sums). A + keeps it from an index that is no good.
 *
 * A later migration that makes a table anew drops the views before, and makes them again behind it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const view of [
    SESSIONS,
    ENTRIES,
    EVENTS,
    BILLED_EVENTS,
    DAILY_USAGE,
    MODELS,
    TOOL_CALLS,
    TOUCHED_FILES,
    LABELS,
    PROBLEMS,
  ]) {
    await sql.raw(view).execute(db);
  }
}

/** Unix milliseconds as text. */
const iso = (ms: string) => `CAST(strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch') AS TEXT)`;

/** The UTC day of a quarter of an hour: null for the one that stands for no time. */
const day = (quarter: string) => `CAST(date(${quarter} * 900, 'unixepoch') AS TEXT)`;

/** Billionths of a dollar as dollars. */
const dollars = (nano: string) => `CAST(${nano} / 1e9 AS REAL)`;

const integer = (expression: string) => `CAST(${expression} AS INTEGER)`;
const text = (expression: string) => `CAST(${expression} AS TEXT)`;

/** Whether the line of `entry` is on the current branch: 1 or 0. */
const CURRENT = integer(`coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0)`);

const STANDING = text("CASE event.standing WHEN 0 THEN 'own' WHEN 1 THEN 'inherited' ELSE 'told' END");

/** Columns that say in which session something stands. */
const PLACE = `
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none`;

/** Columns that say which line of the session. */
const LINE = `${PLACE}
  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's number in the index, by which views are joined; another when the file is read again`;

const timeColumns = (ms: string) => `
  ${iso(ms)} AS time, -- ISO 8601 in UTC; null when it has none
  ${ms} AS time_ms, -- the same in Unix milliseconds`;

const TOKENS = [
  ["input", "tokens that went in, neither from nor to the cache"],
  ["output", "tokens that came out"],
  ["cache_read", "tokens that went in from the cache"],
  ["cache_write", "tokens that went in and to the cache"],
  ["cache_write_1h", "those of cache_write_tokens that are kept for an hour"],
  ["reasoning", "those of output_tokens that were thought"],
] as const;

const tokenColumns = (of: (column: string) => string) =>
  TOKENS.map(([column, about]) => `\n  ${of(column)} AS ${column}_tokens, -- ${about}`).join("");

const costColumns = (cost: string) => `
  ${cost} AS cost_nano_usd, -- billionths of a US dollar as the agent recorded them, exact
  ${dollars(cost)} AS cost_usd, -- the same in US dollars`;

const sum = (column: string) => integer(`sum(spending.${column})`);

const SESSIONS = `CREATE VIEW sessions AS -- session files: header, and what the entries add up to
SELECT
  file.path AS path, -- the session file
  session.id AS id, -- from its header; unique within a working directory only
  session.cwd AS project, -- its working directory; empty when the header has none
  session.name AS name, -- the name the user gave it last
  ${text("substr(session.first_message, 1, 1000)")} AS first_message, -- the first text of the user, 1,000 characters of it at most
  session.parent_session AS parent_path, -- the session it was forked from, as its header says
  ${iso("session.created")} AS created, -- the header's time, ISO 8601 in UTC
  session.created AS created_ms, -- the same in Unix milliseconds
  ${iso("session.modified")} AS modified, -- time of the newest user or assistant message, else the header's, else the file's
  session.modified AS modified_ms, -- the same in Unix milliseconds
  session.provider AS provider, -- of the last model
  session.model AS model, -- the last model
  session.entry_count AS entries, -- entries of every type
  session.message_count AS messages, -- entries of type message, tool results included
  session.user_count AS user_messages, -- messages of people
  session.assistant_count AS assistant_messages, -- answers of models
  ${integer("(SELECT count(*) FROM label WHERE label.file_id = file.id)")} AS labels, -- entries that carry a label now
  ${integer("(SELECT count(*) FROM problem WHERE problem.file_id = file.id)")} AS problems, -- things that are wrong in the file
  file.subagent AS subagent, -- 1 when a subagent wrote it
  session.internal AS internal, -- 1 when the agent kept it for itself, as Atomic's workflows do
  file.version AS version, -- version of the session format: 1, 2 or 3
  file.size AS bytes -- size of the file
FROM file JOIN session ON session.file_id = file.id`;

const ENTRIES = `CREATE VIEW entries AS -- lines of session files behind the header; what they say stays in the files
SELECT${LINE}
  entry.byte_offset AS byte_offset, -- where the line starts in the file
  entry.byte_length AS byte_length, -- how long it is
  ${text("entry.entry_id")} AS entry_id, -- its id, unique within the file only
  ${text("entry.parent_id")} AS parent_id, -- the id of the entry it hangs from
  entry.type AS type, -- message, compaction, model_change, …
  entry.role AS role, -- of messages: user, assistant, toolResult, bashExecution, …${timeColumns("entry.timestamp")}
  entry.tool AS tool, -- the tool whose result it is
  entry.failed AS failed, -- 1 when it tells of a failure: a tool's, a command's, a model's
  ${CURRENT} AS current -- 1 on the path from the root to the session's last entry
FROM entry LEFT JOIN file ON file.id = entry.file_id LEFT JOIN session ON session.file_id = entry.file_id`;

const EVENT_FROM = `FROM event LEFT JOIN entry ON entry.id = event.entry LEFT JOIN file ON file.id = event.file_id
  LEFT JOIN model ON model.id = event.model_id LEFT JOIN session ON session.file_id = event.file_id`;

const EVENT_COLUMNS = `
  event.kind AS kind, -- assistant, tool, subagent, compaction, branch_summary, session_summary, user, or usage: and its kind
  ${text("nullif(model.provider, '')")} AS provider, -- the model's provider
  ${text("nullif(model.model, '')")} AS model, -- the model
  event.agent AS agent, -- the subagent that spent it, by its name
  event.tool AS tool, -- the tool whose result told it
  event.stop AS stop, -- why an answer ended
  ${CURRENT} AS current, -- 1 on the path from the root to the session's last entry${tokenColumns((column) => `event.${column}`)}${costColumns("event.cost")}
  event.provider_cost AS provider_cost_nano_usd, -- what the provider itself reported, where it did
  event.elapsed AS elapsed_ms -- milliseconds since the message before it in the file`;

const EVENTS = `CREATE VIEW events AS -- what sessions tell of acts (turns, answers, compactions, all that was billed), copies in forks included: what adds up is in billed_events
SELECT${LINE}
  event.ordinal AS ordinal, -- which of the entry's events, from 0${timeColumns("event.time")}
  ${text("CASE WHEN event.key IS NOT NULL THEN printf('%016x', event.key) END")} AS key, -- copies of an act have the same, others never; null without a time
  ${STANDING} AS standing, -- own: it counts here; inherited: an earlier session has it too; told: the subagent's own file has it
  event.billed AS billed, -- 1 when tokens or money are told${EVENT_COLUMNS}
${EVENT_FROM}`;

const BILLED_EVENTS = `CREATE VIEW billed_events AS -- acts that cost tokens or money, each once, in the session that spent it: sums of this are what pidex usage says
SELECT${LINE}
  event.ordinal AS ordinal, -- which of the entry's events, from 0${timeColumns("event.time")}${EVENT_COLUMNS}
${EVENT_FROM}
WHERE +event.standing = 0 AND event.billed = 1`;

const DAILY_USAGE = `CREATE VIEW daily_usage AS -- billed_events by UTC day and model, summed up beforehand: the quick way to sums
SELECT
  ${day("spending.quarter")} AS day, -- 2026-01-31 in UTC; null for events without a time
  ${text("nullif(model.provider, '')")} AS provider, -- the model's provider
  ${text("nullif(model.model, '')")} AS model, -- the model${tokenColumns(sum)}${costColumns(sum("cost"))}
  ${sum("billed")} AS billed_events -- how many
FROM spending JOIN model ON model.id = spending.model_id
WHERE spending.standing = 0 AND spending.billed > 0
GROUP BY 1, 2, 3`;

const MODELS = `CREATE VIEW models AS -- models that were used, and what was spent on each, copies in forks counted once
SELECT
  ${text("nullif(model.provider, '')")} AS provider, -- the model's provider; null where it is not recorded
  ${text("nullif(model.model, '')")} AS model, -- its name; null where it is not recorded
  ${sum("messages")} AS answers, -- answers it gave
  ${sum("billed")} AS billed_events, -- acts that cost tokens or money${tokenColumns(sum)}${costColumns(sum("cost"))}
  ${day("min(nullif(spending.quarter, -10000000000))")} AS first_day, -- the first UTC day it was used
  ${day("max(nullif(spending.quarter, -10000000000))")} AS last_day -- the last
FROM spending JOIN model ON model.id = spending.model_id
WHERE spending.standing = 0 AND spending.kind <> 'user'
GROUP BY spending.model_id`;

const TOOL_CALLS = `CREATE VIEW tool_calls AS -- calls of tools, copies in forks included: those that standing calls own are each once
SELECT${LINE}
  tool_call.ordinal AS ordinal, -- which of the entry's calls, from 0${timeColumns("entry.timestamp")}
  tool_call.name AS tool, -- the tool
  tool_call.is_error AS failed, -- 1 when its result is an error, 0 when not; null when there is none
  result.line AS result_line, -- line of the result in the file; null when there is none
  ${iso("result.timestamp")} AS result_time, -- the result's time, ISO 8601 in UTC
  ${integer("result.timestamp - entry.timestamp")} AS elapsed_ms, -- milliseconds from the call to its result
  ${text("nullif(model.provider, '')")} AS provider, -- provider of the model that called
  ${text("nullif(model.model, '')")} AS model, -- the model that called
  ${CURRENT} AS current, -- 1 on the path from the root to the session's last entry
  ${STANDING} AS standing -- own, inherited or told, as in events
FROM tool_call LEFT JOIN entry ON entry.id = tool_call.entry LEFT JOIN file ON file.id = tool_call.file_id
  LEFT JOIN entry AS result ON result.id = tool_call.result
  LEFT JOIN event ON event.entry = tool_call.entry AND event.ordinal = 0
  LEFT JOIN model ON model.id = event.model_id
  LEFT JOIN session ON session.file_id = tool_call.file_id`;

const TOUCHED_FILES = `CREATE VIEW touched_files AS -- files on the disk that entries read, wrote, edited or otherwise touched, copies in forks included
SELECT
  path.path AS file, -- the touched file: absolute, where the session's working directory is known
  touch.action AS action, -- read, write, edit, delete, search, or use where no more is known${LINE}${timeColumns("entry.timestamp")}
  tool_call.name AS tool, -- the tool that did it; null where the entry itself names the file
  ${integer("coalesce(tool_call.is_error, entry.failed)")} AS failed, -- 1 when the call or command failed
  ${CURRENT} AS current -- 1 on the path from the root to the session's last entry
FROM touch JOIN entry ON entry.id = touch.entry LEFT JOIN path ON path.id = touch.path_id
  LEFT JOIN file ON file.id = entry.file_id
  LEFT JOIN tool_call ON tool_call.entry = touch.entry AND tool_call.ordinal = touch.ordinal
  LEFT JOIN session ON session.file_id = entry.file_id`;

const LABELS = `CREATE VIEW labels AS -- labels in force
SELECT${PLACE}
  ${text("label.target_id")} AS entry_id, -- the entry it stands on
  ${integer("(SELECT max(entry.line) FROM entry WHERE entry.file_id = label.file_id AND entry.entry_id = label.target_id)")} AS line, -- that entry's line; null when there is no such entry${timeColumns("label.timestamp")}
  label.label AS label -- what it says
FROM label LEFT JOIN file ON file.id = label.file_id LEFT JOIN session ON session.file_id = label.file_id`;

const PROBLEMS = `CREATE VIEW problems AS -- what is wrong in session files: docs/problems.md
SELECT${PLACE}
  problem.line AS line, -- line number from 1, or 0 for the file as a whole
  problem.byte_offset AS byte_offset, -- where that line starts in the file
  problem.code AS code, -- what kind of problem
  problem.message AS message -- the problem in a sentence
FROM problem LEFT JOIN file ON file.id = problem.file_id LEFT JOIN session ON session.file_id = problem.file_id`;
