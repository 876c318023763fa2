/**
 * The schema that a new index begins with, as one text: executing it costs a quarter of what Kysely's migrator would.
 * Times are Unix milliseconds, money is nano-dollars.
 */
export const SCHEMA = `
-- What Kysely's migrator keeps.
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);

CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);

CREATE TABLE session (
  file_id         INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  id              TEXT    NOT NULL,
  cwd             TEXT    NOT NULL,
  parent_session  TEXT,
  internal        INTEGER NOT NULL,
  created         INTEGER,
  last_message    INTEGER,
  modified        INTEGER NOT NULL,
  name            TEXT,
  first_message   TEXT,
  provider        TEXT,
  model           TEXT,
  entry_count     INTEGER NOT NULL,
  message_count   INTEGER NOT NULL,
  user_count      INTEGER NOT NULL,
  assistant_count INTEGER NOT NULL,
  pinned          INTEGER NOT NULL DEFAULT 0,
  archived        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_modified ON session (modified, file_id);
CREATE INDEX session_id ON session (id);
CREATE INDEX session_cwd ON session (cwd);

CREATE TABLE label (
  file_id   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  target_id ANY     NOT NULL,
  label     TEXT    NOT NULL,
  timestamp INTEGER,
  PRIMARY KEY (file_id, target_id)
) STRICT, WITHOUT ROWID;

-- Calls of tools. Those that a tool made itself, as scripts do, belong to the entry of the result that records them:
-- caller is the entry of the model response that called the script, or else that result; null for calls of a model.
CREATE TABLE tool_call (
  entry    INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal  INTEGER NOT NULL,
  file_id  INTEGER NOT NULL,
  call     INTEGER NOT NULL,
  name     TEXT    NOT NULL,
  is_error INTEGER,
  result   INTEGER,
  caller   INTEGER,
  duration INTEGER,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_call_call ON tool_call (file_id, call);

CREATE TABLE session_model (
  file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  provider TEXT    NOT NULL,
  model    TEXT    NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (file_id, provider, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE subagent_run (
  entry        INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal      INTEGER NOT NULL,
  agent        TEXT,
  session_file TEXT,
  artifact     TEXT,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE problem (
  file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  byte_offset INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  code        TEXT    NOT NULL,
  message     TEXT    NOT NULL
) STRICT;
CREATE INDEX problem_file ON problem (file_id, byte_offset);

-- A session file, and the cursor: how far its lines are in the other tables. checksums are of all blocks before it.
-- Of large files a sync compares some blocks: check_from is the next one, unchecked how many are left since the file
-- last changed, unchecked_since when the first of them began to wait. Ids are never given again (AUTOINCREMENT): a page of
-- hits goes on from the ids of the page before. An entry's id is ANY: 5 and "5" are two ids.
CREATE TABLE file (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  path        TEXT    NOT NULL UNIQUE,
  subagent    INTEGER NOT NULL,
  extraction  INTEGER NOT NULL,
  inode       TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ns    TEXT    NOT NULL,
  ctime_ns    TEXT    NOT NULL,
  racy        INTEGER NOT NULL,
  cursor      INTEGER NOT NULL,
  terminated  INTEGER NOT NULL,
  lines       INTEGER NOT NULL,
  parsed      INTEGER NOT NULL,
  header      TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  leaf_id     ANY,
  checksums   TEXT    NOT NULL,
  check_from  INTEGER NOT NULL DEFAULT 0,
  unchecked   INTEGER NOT NULL DEFAULT 0,
  unchecked_since INTEGER
) STRICT;

CREATE TABLE entry (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  line        INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  byte_length INTEGER NOT NULL,
  entry_id    ANY,
  parent_id   ANY,
  type        TEXT    NOT NULL,
  role        TEXT,
  timestamp   INTEGER,
  tool        TEXT,
  failed      INTEGER NOT NULL,
  text_hash   INTEGER
) STRICT;
CREATE INDEX entry_file ON entry (file_id);
CREATE INDEX entry_entry_id ON entry (entry_id, file_id);

-- The current branch as ranges of lines: a conversation that only goes on has one, and a new entry moves its end.
CREATE TABLE current_range (
  file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  PRIMARY KEY (file_id, first_line)
) STRICT, WITHOUT ROWID;

-- Paths that entries touched. touch.ordinal is that of the tool call, or -1 where the entry names the file itself.
CREATE TABLE path (
  id   INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE touch (
  entry   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  path_id INTEGER NOT NULL REFERENCES path (id),
  action  TEXT    NOT NULL,
  PRIMARY KEY (entry, ordinal, path_id, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX touch_path ON touch (path_id);

CREATE TABLE model (
  id       INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  model    TEXT NOT NULL,
  UNIQUE (provider, model)
) STRICT;

-- The ledger: a row for each place in a session that records a billable event. key and instance are the same for copies
-- of one event, and one of these has standing 0: see docs/decisions/0012-the-ledger.md.
CREATE TABLE event (
  entry          INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL,
  file_id        INTEGER NOT NULL,
  time           INTEGER,
  key            INTEGER,
  standing       INTEGER NOT NULL,
  kind           TEXT    NOT NULL,
  model_id       INTEGER NOT NULL REFERENCES model (id),
  run            INTEGER,
  agent          TEXT,
  tool           TEXT,
  stop           TEXT,
  billed         INTEGER NOT NULL,
  input          INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  reasoning      INTEGER NOT NULL,
  cost           INTEGER NOT NULL,
  provider_cost  INTEGER,
  elapsed        INTEGER,
  instance       INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_key ON event (key, standing);
CREATE INDEX event_file ON event (file_id, time);

-- What the sums of the roll-up are told apart by, besides file and time: '' where nothing was recorded.
CREATE TABLE usage_series (
  id       INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL,
  model_id INTEGER NOT NULL,
  agent    TEXT    NOT NULL,
  tool     TEXT    NOT NULL,
  stop     TEXT    NOT NULL,
  current  INTEGER NOT NULL,
  UNIQUE (kind, model_id, agent, tool, stop, current)
) STRICT;

-- What events with standing 0 add up to, by file and UTC day, packed: see src/store/sqlite/usage-rollup.ts.
CREATE TABLE usage_rollup (
  file_id INTEGER NOT NULL,
  day     INTEGER NOT NULL,
  rows    BLOB    NOT NULL,
  PRIMARY KEY (file_id, day)
) STRICT;
CREATE INDEX usage_rollup_day ON usage_rollup (day, file_id);

-- Every path under which the session of a subagent's run may lie.
CREATE TABLE run_file (
  entry   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  path    TEXT    NOT NULL,
  PRIMARY KEY (entry, ordinal, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_file_path ON run_file (path);

-- A table and no JSON in session, so that a tag is found by an index and counted by a GROUP BY. folded is what tag:
-- compares: SQLite knows upper and lower case of ASCII only.
CREATE TABLE tag (
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  tag     TEXT    NOT NULL,
  folded  TEXT    NOT NULL,
  PRIMARY KEY (file_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_folded ON tag (folded, file_id);

-- Which database this is: row ids mean nothing in another one. unerased says whether words of deleted entries are still in
-- the full-text index: 0 no, 1 yes, 2 their merge has begun, 3 as 2 and more were deleted since.
CREATE TABLE generation (id TEXT NOT NULL, unerased INTEGER NOT NULL DEFAULT 0) STRICT;

-- Contentless: the text itself stays in the files. FTS5 stores a column number with each word except in the first column,
-- so the column with the most words comes first.
CREATE VIRTUAL TABLE entry_text USING fts5 (
  output, called, thought, said,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE INDEX file_subagent ON file (path) WHERE subagent = 1;
CREATE INDEX file_extraction ON file (extraction);

-- Every word that the full-text index has or had, for spelling and other forms of words. FTS5's own list counts the entries
-- of each word, which is a hundred times slower. A word stays when its last entry goes.
CREATE TABLE vocabulary (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Names by which the files of related sessions find each other: role 0 a session's own id, path and file name, 1 those of the
-- session it was forked from.
CREATE TABLE lineage (
  name    TEXT    NOT NULL,
  role    INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  PRIMARY KEY (name, role, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_file ON lineage (file_id);

-- Keys of events whose places do not all have one entry id: they are compared again when a family of sessions changes.
CREATE TABLE contested_key (
  key     INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  PRIMARY KEY (key, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contested_key_file ON contested_key (file_id);

-- The figures of an event as its tool result reports them, where event has less because other sessions report a part.
CREATE TABLE reported_sum (
  entry          INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL,
  billed         INTEGER NOT NULL,
  input          INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  reasoning      INTEGER NOT NULL,
  cost           INTEGER NOT NULL,
  provider_cost  INTEGER,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_call_caller ON tool_call (caller) WHERE caller IS NOT NULL;

-- The views for user SQL. docs/schema.md is written from their comments, which SQLite keeps. A CAST gives a column the type that
-- other programs expect; columns that an index is searched for have none. Joins are LEFT although all find their row: SQLite
-- leaves out those that a query does not need. A + keeps it from an unsuitable index. Columns are added, never removed.
CREATE VIEW sessions AS -- session files: header, and what the entries add up to
SELECT
  file.path AS path, -- the session file
  session.id AS id, -- from its header; unique within a working directory only
  session.cwd AS project, -- its working directory; empty when the header has none
  session.name AS name, -- the name the user gave it last
  CAST(substr(session.first_message, 1, 1000) AS TEXT) AS first_message, -- the first text of the user, 1,000 characters of it at most
  session.parent_session AS parent_path, -- the session it was forked from, as its header says
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', session.created / 1000.0, 'unixepoch') AS TEXT) AS created, -- the header's time, ISO 8601 in UTC
  session.created AS created_ms, -- the same in Unix milliseconds
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', session.modified / 1000.0, 'unixepoch') AS TEXT) AS modified, -- time of the newest user or assistant message, else the header's, else the file's
  session.modified AS modified_ms, -- the same in Unix milliseconds
  session.provider AS provider, -- of the last model
  session.model AS model, -- the last model
  session.entry_count AS entries, -- entries of every type
  session.message_count AS messages, -- entries of type message, tool results included
  session.user_count AS user_messages, -- messages of people
  session.assistant_count AS assistant_messages, -- answers of models
  CAST((SELECT count(*) FROM label WHERE label.file_id = file.id) AS INTEGER) AS labels, -- entries that carry a label now
  CAST((SELECT count(*) FROM problem WHERE problem.file_id = file.id) AS INTEGER) AS problems, -- things that are wrong in the file
  session.pinned AS pinned, -- 1 when its owner pinned it
  session.archived AS archived, -- 1 when its owner archived it: pidex list leaves it out
  CAST((SELECT json_group_array(given.tag) FROM (SELECT tag.tag FROM tag
    WHERE tag.file_id = file.id ORDER BY tag.ordinal) AS given) AS TEXT) AS tags, -- its tags as a JSON array, in the order given; one by one in the view tags
  file.subagent AS subagent, -- 1 when a subagent wrote it
  session.internal AS internal, -- 1 when the agent kept it for itself, as Atomic's workflows do
  file.version AS version, -- version of the session format: 1, 2 or 3
  file.size AS bytes -- size of the file
FROM file JOIN session ON session.file_id = file.id;

CREATE VIEW entries AS -- lines of session files behind the header; what they say stays in the files
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's number in the index, by which views are joined; another when the file is read again
  entry.byte_offset AS byte_offset, -- where the line starts in the file
  entry.byte_length AS byte_length, -- how long it is
  CAST(entry.entry_id AS TEXT) AS entry_id, -- its id, unique within the file only
  CAST(entry.parent_id AS TEXT) AS parent_id, -- the id of the entry it hangs from
  entry.type AS type, -- message, compaction, model_change, …
  entry.role AS role, -- of messages: user, assistant, toolResult, bashExecution, …
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', entry.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null when it has none
  entry.timestamp AS time_ms, -- the same in Unix milliseconds
  entry.tool AS tool, -- the tool whose result it is
  entry.failed AS failed, -- 1 when it tells of a failure: a tool's, a command's, a model's
  CAST(coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0) AS INTEGER) AS current -- 1 on the path from the root to the session's last entry
FROM entry LEFT JOIN file ON file.id = entry.file_id LEFT JOIN session ON session.file_id = entry.file_id;

CREATE VIEW events AS -- what sessions tell of acts (turns, answers, compactions, all that was billed), copies in forks included: what adds up is in billed_events
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's number in the index, by which views are joined; another when the file is read again
  event.ordinal AS ordinal, -- which of the entry's events, from 0
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', event.time / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null when it has none
  event.time AS time_ms, -- the same in Unix milliseconds
  CAST(CASE WHEN event.key IS NOT NULL THEN printf('%016x', event.key) || iif(event.instance = 0, '', '-' || event.instance) END AS TEXT) AS key, -- copies of an act have the same, others never; null without a time
  CAST(CASE event.standing WHEN 0 THEN 'own' WHEN 1 THEN 'inherited' ELSE 'told' END AS TEXT) AS standing, -- own: it counts here; inherited: an earlier session has it too; told: the subagent's own file has it
  event.billed AS billed, -- 1 when tokens or money are told
  event.kind AS kind, -- assistant, tool, subagent, compaction, branch_summary, session_summary, user, or usage: and its kind
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model
  event.agent AS agent, -- the subagent that spent it, by its name
  event.tool AS tool, -- the tool whose result told it
  event.stop AS stop, -- why an answer ended
  CAST(coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0) AS INTEGER) AS current, -- 1 on the path from the root to the session's last entry
  event.input AS input_tokens, -- tokens that went in, neither from nor to the cache
  event.output AS output_tokens, -- tokens that came out
  event.cache_read AS cache_read_tokens, -- tokens that went in from the cache
  event.cache_write AS cache_write_tokens, -- tokens that went in and to the cache
  event.cache_write_1h AS cache_write_1h_tokens, -- those of cache_write_tokens that are kept for an hour
  event.reasoning AS reasoning_tokens, -- those of output_tokens that were thought
  event.cost AS cost_nano_usd, -- billionths of a US dollar as the agent recorded them, exact
  CAST(event.cost / 1e9 AS REAL) AS cost_usd, -- the same in US dollars
  event.provider_cost AS provider_cost_nano_usd, -- what the provider itself reported, where it did
  event.elapsed AS elapsed_ms -- milliseconds since the message before it in the file
FROM event LEFT JOIN entry ON entry.id = event.entry LEFT JOIN file ON file.id = event.file_id
  LEFT JOIN model ON model.id = event.model_id LEFT JOIN session ON session.file_id = event.file_id;

CREATE VIEW billed_events AS -- acts that cost tokens or money, each once, in the session that spent it: sums of this are what pidex usage says
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's number in the index, by which views are joined; another when the file is read again
  event.ordinal AS ordinal, -- which of the entry's events, from 0
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', event.time / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null when it has none
  event.time AS time_ms, -- the same in Unix milliseconds
  event.kind AS kind, -- assistant, tool, subagent, compaction, branch_summary, session_summary, user, or usage: and its kind
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model
  event.agent AS agent, -- the subagent that spent it, by its name
  event.tool AS tool, -- the tool whose result told it
  event.stop AS stop, -- why an answer ended
  CAST(coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0) AS INTEGER) AS current, -- 1 on the path from the root to the session's last entry
  event.input AS input_tokens, -- tokens that went in, neither from nor to the cache
  event.output AS output_tokens, -- tokens that came out
  event.cache_read AS cache_read_tokens, -- tokens that went in from the cache
  event.cache_write AS cache_write_tokens, -- tokens that went in and to the cache
  event.cache_write_1h AS cache_write_1h_tokens, -- those of cache_write_tokens that are kept for an hour
  event.reasoning AS reasoning_tokens, -- those of output_tokens that were thought
  event.cost AS cost_nano_usd, -- billionths of a US dollar as the agent recorded them, exact
  CAST(event.cost / 1e9 AS REAL) AS cost_usd, -- the same in US dollars
  event.provider_cost AS provider_cost_nano_usd, -- what the provider itself reported, where it did
  event.elapsed AS elapsed_ms -- milliseconds since the message before it in the file
FROM event LEFT JOIN entry ON entry.id = event.entry LEFT JOIN file ON file.id = event.file_id
  LEFT JOIN model ON model.id = event.model_id LEFT JOIN session ON session.file_id = event.file_id
WHERE +event.standing = 0 AND event.billed = 1;

CREATE VIEW daily_usage AS -- billed_events by UTC day and model, summed up
SELECT
  CAST(date(event.time / 1000.0, 'unixepoch') AS TEXT) AS day, -- 2026-01-31 in UTC; null for events without a time
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model
  CAST(sum(event.input) AS INTEGER) AS input_tokens, -- tokens that went in, neither from nor to the cache
  CAST(sum(event.output) AS INTEGER) AS output_tokens, -- tokens that came out
  CAST(sum(event.cache_read) AS INTEGER) AS cache_read_tokens, -- tokens that went in from the cache
  CAST(sum(event.cache_write) AS INTEGER) AS cache_write_tokens, -- tokens that went in and to the cache
  CAST(sum(event.cache_write_1h) AS INTEGER) AS cache_write_1h_tokens, -- those of cache_write_tokens that are kept for an hour
  CAST(sum(event.reasoning) AS INTEGER) AS reasoning_tokens, -- those of output_tokens that were thought
  CAST(sum(event.cost) AS INTEGER) AS cost_nano_usd, -- billionths of a US dollar as the agent recorded them, exact
  CAST(CAST(sum(event.cost) AS INTEGER) / 1e9 AS REAL) AS cost_usd, -- the same in US dollars
  CAST(sum(event.billed) AS INTEGER) AS billed_events -- how many
FROM event JOIN model ON model.id = event.model_id
WHERE +event.standing = 0 AND event.billed = 1
GROUP BY 1, 2, 3;

CREATE VIEW models AS -- models that were used, and what was spent on each, copies in forks counted once
SELECT
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider; null where it is not recorded
  CAST(nullif(model.model, '') AS TEXT) AS model, -- its name; null where it is not recorded
  CAST(sum(event.kind = 'assistant') AS INTEGER) AS answers, -- answers it gave
  CAST(sum(event.billed) AS INTEGER) AS billed_events, -- acts that cost tokens or money
  CAST(sum(event.input) AS INTEGER) AS input_tokens, -- tokens that went in, neither from nor to the cache
  CAST(sum(event.output) AS INTEGER) AS output_tokens, -- tokens that came out
  CAST(sum(event.cache_read) AS INTEGER) AS cache_read_tokens, -- tokens that went in from the cache
  CAST(sum(event.cache_write) AS INTEGER) AS cache_write_tokens, -- tokens that went in and to the cache
  CAST(sum(event.cache_write_1h) AS INTEGER) AS cache_write_1h_tokens, -- those of cache_write_tokens that are kept for an hour
  CAST(sum(event.reasoning) AS INTEGER) AS reasoning_tokens, -- those of output_tokens that were thought
  CAST(sum(event.cost) AS INTEGER) AS cost_nano_usd, -- billionths of a US dollar as the agent recorded them, exact
  CAST(CAST(sum(event.cost) AS INTEGER) / 1e9 AS REAL) AS cost_usd, -- the same in US dollars
  CAST(date(min(event.time) / 1000.0, 'unixepoch') AS TEXT) AS first_day, -- the first UTC day it was used
  CAST(date(max(event.time) / 1000.0, 'unixepoch') AS TEXT) AS last_day -- the last
FROM event JOIN model ON model.id = event.model_id
WHERE +event.standing = 0 AND event.kind <> 'user'
GROUP BY event.model_id;

CREATE VIEW tool_calls AS -- calls of tools, copies in forks included: those that standing calls own are each once
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's number in the index, by which views are joined; another when the file is read again
  tool_call.ordinal AS ordinal, -- which of the entry's calls, from 0
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', entry.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null when it has none
  entry.timestamp AS time_ms, -- the same in Unix milliseconds
  tool_call.name AS tool, -- the tool
  tool_call.is_error AS failed, -- 1 when its result is an error, 0 when not; null when there is none
  result.line AS result_line, -- line of the result in the file; null when there is none
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', result.timestamp / 1000.0, 'unixepoch') AS TEXT) AS result_time, -- the result's time, ISO 8601 in UTC
  CAST(coalesce(tool_call.duration,
    CASE WHEN tool_call.caller IS NULL THEN result.timestamp - entry.timestamp END) AS INTEGER) AS elapsed_ms, -- milliseconds the call took as the file says, else from the call to its result
  CAST(tool_call.caller IS NOT NULL AS INTEGER) AS nested, -- 1 when a tool made the call itself, as codemode scripts do; line is the line of that tool's result
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- provider of the model that called
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model that called
  CAST(coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0) AS INTEGER) AS current, -- 1 on the path from the root to the session's last entry
  CAST(CASE event.standing WHEN 0 THEN 'own' WHEN 1 THEN 'inherited' ELSE 'told' END AS TEXT) AS standing -- own, inherited or told, as in events
FROM tool_call LEFT JOIN entry ON entry.id = tool_call.entry LEFT JOIN file ON file.id = tool_call.file_id
  LEFT JOIN entry AS result ON result.id = tool_call.result
  LEFT JOIN event ON event.entry = coalesce(tool_call.caller, tool_call.entry) AND event.ordinal = 0
  LEFT JOIN model ON model.id = event.model_id
  LEFT JOIN session ON session.file_id = tool_call.file_id;

CREATE VIEW touched_files AS -- files on the disk that entries read, wrote, edited or otherwise touched, copies in forks included
SELECT
  path.path AS file, -- the touched file: absolute, where the session's working directory is known
  touch.action AS action, -- read, write, edit, delete, search, or use where no more is known
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's number in the index, by which views are joined; another when the file is read again
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', entry.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null when it has none
  entry.timestamp AS time_ms, -- the same in Unix milliseconds
  tool_call.name AS tool, -- the tool that did it; null where the entry itself names the file
  CAST(coalesce(tool_call.is_error, entry.failed) AS INTEGER) AS failed, -- 1 when the call or command failed
  CAST(coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0) AS INTEGER) AS current -- 1 on the path from the root to the session's last entry
FROM touch JOIN entry ON entry.id = touch.entry LEFT JOIN path ON path.id = touch.path_id
  LEFT JOIN file ON file.id = entry.file_id
  LEFT JOIN tool_call ON tool_call.entry = touch.entry AND tool_call.ordinal = touch.ordinal
  LEFT JOIN session ON session.file_id = entry.file_id;

CREATE VIEW labels AS -- labels in force
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  CAST(label.target_id AS TEXT) AS entry_id, -- the entry it stands on
  CAST((SELECT max(entry.line) FROM entry WHERE entry.file_id = label.file_id AND entry.entry_id = label.target_id) AS INTEGER) AS line, -- that entry's line; null when there is no such entry
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', label.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null when it has none
  label.timestamp AS time_ms, -- the same in Unix milliseconds
  label.label AS label -- what it says
FROM label LEFT JOIN file ON file.id = label.file_id LEFT JOIN session ON session.file_id = label.file_id;

CREATE VIEW tags AS -- tags of sessions, one a row
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only
  session.cwd AS project, -- the session's working directory; empty when its header has none
  tag.tag AS tag, -- the tag
  tag.ordinal AS ordinal -- which of the session's tags, from 0
FROM tag LEFT JOIN file ON file.id = tag.file_id LEFT JOIN session ON session.file_id = tag.file_id;

CREATE VIEW problems AS -- what is wrong in session files: docs/problems.md
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null in a file that is no session
  session.cwd AS project, -- the session's working directory; empty when its header has none
  problem.line AS line, -- line number from 1, or 0 for the file as a whole
  problem.byte_offset AS byte_offset, -- where that line starts in the file
  problem.code AS code, -- what kind of problem
  problem.message AS message -- the problem in a sentence
FROM problem LEFT JOIN file ON file.id = problem.file_id LEFT JOIN session ON session.file_id = problem.file_id;
INSERT INTO generation (id) VALUES (lower(hex(randomblob(6))));
INSERT INTO kysely_migration_lock (id, is_locked) VALUES ('migration_lock', 0);
`;
