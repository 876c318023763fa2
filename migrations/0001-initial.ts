/** The figures of an event. */
const FIGURES = `  billed         INTEGER NOT NULL,
  input          INTEGER NOT NULL,
  output         INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  reasoning      INTEGER NOT NULL,
  cost           INTEGER NOT NULL,
  provider_cost  INTEGER,`;

/** Columns that several views have. */
const FILE = `  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only; null if the file is not a session
  session.cwd AS project, -- the session's working directory; empty if its header has none`;
const LINE = `  entry.line AS line, -- line number in the file, from 1
  entry.id AS entry_row, -- the entry's row id, for joining views; changes when the file is read again`;
const time = (
  column: string,
) => `  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') AS TEXT) AS time, -- ISO 8601 in UTC; null if it has none
  ${column} AS time_ms, -- the same in Unix milliseconds`;
const CURRENT = `  CAST(coalesce((SELECT current_range.last_line FROM current_range
    WHERE current_range.file_id = entry.file_id AND current_range.first_line <= entry.line
    ORDER BY current_range.first_line DESC LIMIT 1) >= entry.line, 0) AS INTEGER) AS current`;
const CURRENT_COMMENT = `-- 1 if the entry is on the current branch: the path from the root to the session's last entry`;
/** The rest of a view of events. */
const EVENT_COLUMNS = `  event.kind AS kind, -- assistant, tool, subagent, compaction, branch_summary, session_summary, user, or usage: and its kind
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model
  event.agent AS agent, -- name of the subagent that caused it
  event.tool AS tool, -- for events of tool results: the tool
  event.stop AS stop, -- stop reason of a model response
${CURRENT}, ${CURRENT_COMMENT}
  event.input AS input_tokens, -- input tokens, not counting the cache
  event.output AS output_tokens, -- output tokens
  event.cache_read AS cache_read_tokens, -- input tokens read from the cache
  event.cache_write AS cache_write_tokens, -- input tokens written to the cache
  event.cache_write_1h AS cache_write_1h_tokens, -- the part of cache_write_tokens cached for an hour
  event.reasoning AS reasoning_tokens, -- the part of output_tokens used for reasoning
  event.cost AS cost_nano_usd, -- cost as the agent recorded it, in billionths of a US dollar, exact
  CAST(event.cost / 1e9 AS REAL) AS cost_usd, -- the same in US dollars
  event.provider_cost AS provider_cost_nano_usd, -- cost as the provider reported it; null if it reported none
  event.elapsed AS elapsed_ms -- milliseconds since the previous message in the file
FROM event LEFT JOIN entry ON entry.id = event.entry LEFT JOIN file ON file.id = event.file_id
  LEFT JOIN model ON model.id = event.model_id LEFT JOIN session ON session.file_id = event.file_id`;
const SUMS = `  CAST(sum(event.input) AS INTEGER) AS input_tokens, -- input tokens, not counting the cache
  CAST(sum(event.output) AS INTEGER) AS output_tokens, -- output tokens
  CAST(sum(event.cache_read) AS INTEGER) AS cache_read_tokens, -- input tokens read from the cache
  CAST(sum(event.cache_write) AS INTEGER) AS cache_write_tokens, -- input tokens written to the cache
  CAST(sum(event.cache_write_1h) AS INTEGER) AS cache_write_1h_tokens, -- the part of cache_write_tokens cached for an hour
  CAST(sum(event.reasoning) AS INTEGER) AS reasoning_tokens, -- the part of output_tokens used for reasoning
  CAST(sum(event.cost) AS INTEGER) AS cost_nano_usd, -- cost as the agent recorded it, in billionths of a US dollar, exact
  CAST(CAST(sum(event.cost) AS INTEGER) / 1e9 AS REAL) AS cost_usd, -- the same in US dollars`;

/**
 * The initial schema as one text: executing it takes a quarter of the time that Kysely's migrator would. Times are Unix
 * milliseconds, money is nano-dollars.
 */
export const SCHEMA = `
-- The tables of Kysely's migrator.
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
  computed_title  TEXT,
  title_state     TEXT,
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

-- Tool calls. Calls made by a tool itself, as scripts do, belong to the entry of the result that records them: caller is the
-- entry of the model response that called the script, or else that result; null for calls made by a model.
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

-- A session file, and the cursor: how far it is indexed. checksums covers all blocks before the cursor. A sync compares only
-- some blocks of a large file: check_from is the next one, unchecked the number left since the file last changed, and
-- unchecked_since when the first of them started to wait. Ids are never reused (AUTOINCREMENT), because a page of hits continues
-- after the ids of the previous page. entry_id is ANY because 5 and "5" are different ids.
CREATE TABLE file (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  path        TEXT    NOT NULL UNIQUE,
  subagent    INTEGER NOT NULL,
  compressed  INTEGER NOT NULL,
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
  has_text    INTEGER NOT NULL,
  text_hash   INTEGER
) STRICT;
CREATE INDEX entry_file ON entry (file_id);
CREATE INDEX entry_entry_id ON entry (entry_id, file_id);

-- The current branch as ranges of lines. A conversation without branches has one range, and a new entry extends it.
CREATE TABLE current_range (
  file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  PRIMARY KEY (file_id, first_line)
) STRICT, WITHOUT ROWID;

-- Paths that entries touched. touch.ordinal is that of the tool call, or -1 if the entry itself names the file. file_id and time
-- are those of the entry: touches are counted without reading entries, which are spread over the whole table.
CREATE TABLE path (
  id   INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE touch (
  entry   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  path_id INTEGER NOT NULL REFERENCES path (id),
  action  TEXT    NOT NULL,
  file_id INTEGER NOT NULL,
  time    INTEGER,
  PRIMARY KEY (entry, ordinal, path_id, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX touch_path ON touch (path_id, time, file_id);
CREATE INDEX touch_time ON touch (time, file_id); -- finds touches that may be copied in another file

CREATE TABLE model (
  id       INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  model    TEXT NOT NULL,
  UNIQUE (provider, model)
) STRICT;

-- The ledger: a row for each occurrence of a billable event in a session. Copies of one event have the same key and instance,
-- and at most one of them has attribution 0 (owner): see docs/decisions/0012-the-ledger.md.
CREATE TABLE event (
  entry          INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL,
  file_id        INTEGER NOT NULL,
  time           INTEGER,
  key            INTEGER,
  attribution    INTEGER NOT NULL,
  kind           TEXT    NOT NULL,
  model_id       INTEGER NOT NULL REFERENCES model (id),
  run            INTEGER,
  agent          TEXT,
  tool           TEXT,
  stop           TEXT,
${FIGURES}
  elapsed        INTEGER,
  instance       INTEGER NOT NULL DEFAULT 0,
  context        INTEGER NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_key ON event (key, attribution);
CREATE INDEX event_file ON event (file_id, time);

-- The dimensions of the roll-up besides file and time. '' means that nothing was recorded.
CREATE TABLE usage_series (
  id       INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL,
  model_id INTEGER NOT NULL,
  agent    TEXT    NOT NULL,
  tool     TEXT    NOT NULL,
  stop     TEXT    NOT NULL,
  current  INTEGER NOT NULL,
  context  INTEGER NOT NULL,
  UNIQUE (kind, model_id, agent, tool, stop, current, context)
) STRICT;

-- Sums of the events with attribution 0 (owner), by file (0: all files, -1: all files and days) and UTC day, packed: see src/store/usage-rollup.ts.
CREATE TABLE usage_rollup (
  file_id INTEGER NOT NULL,
  day     INTEGER NOT NULL,
  totals  TEXT    NOT NULL,
  rows    TEXT    NOT NULL,
  PRIMARY KEY (file_id, day)
) STRICT;
CREATE INDEX usage_rollup_day ON usage_rollup (day, file_id);

-- Every path that the session of a subagent run may have.
CREATE TABLE run_file (
  entry   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  path    TEXT    NOT NULL,
  PRIMARY KEY (entry, ordinal, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_file_path ON run_file (path);

-- A table rather than JSON in session, so that an index finds a tag and a GROUP BY counts it. The filter tag: compares folded,
-- because SQLite ignores case for ASCII only.
CREATE TABLE tag (
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  tag     TEXT    NOT NULL,
  folded  TEXT    NOT NULL,
  PRIMARY KEY (file_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_folded ON tag (folded, file_id);

-- Identifies this database: row ids mean nothing in another one. unerased: whether the full-text index still has words of deleted
-- entries: 0 no, 1 yes, 2 their merge has started, 3 as 2, and more were deleted since.
CREATE TABLE generation (id TEXT NOT NULL, unerased INTEGER NOT NULL DEFAULT 0) STRICT;

-- Contentless: the text stays in the files. FTS5 stores a column number with each word except in the first column, so the column
-- with the most words is first.
CREATE VIRTUAL TABLE entry_text USING fts5 (
  output, called, thought, said,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE INDEX file_subagent ON file (path) WHERE subagent = 1;
CREATE INDEX file_extraction ON file (extraction);

-- Every word that the full-text index has or had, for spelling corrections and word forms. FTS5's own list counts the entries of
-- each word, which is a hundred times slower. A word stays when its last entry is deleted.
CREATE TABLE vocabulary (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Names that connect the files of related sessions: with role 0 a session's own id, path and file name, with role 1 those of the
-- session it was forked from.
CREATE TABLE lineage (
  name    TEXT    NOT NULL,
  role    INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  PRIMARY KEY (name, role, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_file ON lineage (file_id);

-- Keys of events with different entry ids. They are compared again when a fork family changes.
CREATE TABLE contested_key (
  key     INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  PRIMARY KEY (key, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contested_key_file ON contested_key (file_id);

-- The figures of an event as its tool result reports them, if event has less because the runs' own sessions count a part.
CREATE TABLE reported_sum (
  entry          INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL,
${FIGURES}
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_call_caller ON tool_call (caller) WHERE caller IS NOT NULL;

-- The views for user SQL. docs/schema.md is generated from their comments, which SQLite stores. A CAST gives a column the type
-- that other programs expect; columns looked up by an index have none. Joins are LEFT although every row has a match, because
-- SQLite omits the ones that a query does not need. A + prevents an unsuitable index. Columns are added, never removed.
CREATE VIEW sessions AS -- sessions: one row for each session file
SELECT
  file.path AS path, -- the session file
  session.id AS id, -- from its header; unique within a working directory only
  session.cwd AS project, -- its working directory; empty if the header has none
  session.name AS name, -- its current name
  CAST(coalesce(session.name, session.computed_title) AS TEXT) AS title, -- the title that lists show: its name, else the computed one
  CAST(substr(session.first_message, 1, 1000) AS TEXT) AS first_message, -- the first text of the user, up to 1,000 characters
  session.parent_session AS parent_path, -- the session it was forked from, from its header
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', session.created / 1000.0, 'unixepoch') AS TEXT) AS created, -- time in the header, ISO 8601 in UTC
  session.created AS created_ms, -- the same in Unix milliseconds
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', session.modified / 1000.0, 'unixepoch') AS TEXT) AS modified, -- time of the newest user or assistant message, else of the header, else of the file
  session.modified AS modified_ms, -- the same in Unix milliseconds
  session.provider AS provider, -- provider of the last model
  session.model AS model, -- the last model
  session.entry_count AS entries, -- number of entries of all types
  session.message_count AS messages, -- number of entries of type message, including tool results
  session.user_count AS user_messages, -- number of the user's messages
  session.assistant_count AS assistant_messages, -- number of model responses
  CAST((SELECT count(*) FROM label WHERE label.file_id = file.id) AS INTEGER) AS labels, -- number of entries with a label
  CAST((SELECT count(*) FROM problem WHERE problem.file_id = file.id) AS INTEGER) AS problems, -- number of problems in the file
  session.pinned AS pinned, -- 1 if it is pinned
  session.archived AS archived, -- 1 if it is archived: pidex list omits it
  CAST((SELECT json_group_array(ordered.tag) FROM (SELECT tag.tag FROM tag
    WHERE tag.file_id = file.id ORDER BY tag.ordinal) AS ordered) AS TEXT) AS tags, -- its tags as a JSON array, in the order they were added; the view tags has one row for each
  file.subagent AS subagent, -- 1 if a subagent wrote it
  session.internal AS internal, -- 1 if the agent wrote it for internal use, as Atomic's workflows do
  file.version AS version, -- version of the session format: 1, 2 or 3
  file.size AS bytes -- size of the file in bytes
FROM file JOIN session ON session.file_id = file.id;

CREATE VIEW entries AS -- entries: the lines of session files after the header; their content stays in the files
SELECT
${FILE}
${LINE}
  entry.byte_offset AS byte_offset, -- where the line starts in the file, in bytes
  entry.byte_length AS byte_length, -- length of the line in bytes
  CAST(entry.entry_id AS TEXT) AS entry_id, -- its id, unique within the file only
  CAST(entry.parent_id AS TEXT) AS parent_id, -- the id of its parent entry
  entry.type AS type, -- message, compaction, model_change, …
  entry.role AS role, -- for messages: user, assistant, toolResult, bashExecution, …
${time("entry.timestamp")}
  entry.tool AS tool, -- for tool results: the tool
  entry.failed AS failed, -- 1 if it records a failure of a tool, a command or a model
${CURRENT} ${CURRENT_COMMENT}
FROM entry LEFT JOIN file ON file.id = entry.file_id LEFT JOIN session ON session.file_id = entry.file_id;

CREATE VIEW events AS -- billable events and turns in sessions, including copies in forks; for sums use billed_events
SELECT
${FILE}
${LINE}
  event.ordinal AS ordinal, -- number of the event within the entry, from 0
${time("event.time")}
  CAST(CASE WHEN event.key IS NOT NULL THEN printf('%016x', event.key) || iif(event.instance = 0, '', '-' || event.instance) END AS TEXT) AS key, -- the same for all copies of an event, and only for these; null without a time
  CAST(CASE event.attribution WHEN 0 THEN 'owner' WHEN 1 THEN 'duplicate' ELSE 'reported' END AS TEXT) AS attribution, -- owner: counted here; duplicate: a copy, counted in an earlier session; reported: counted in the subagent's own session
  event.billed AS billed, -- 1 if it has tokens or a cost
${EVENT_COLUMNS};

CREATE VIEW billed_events AS -- events with tokens or a cost, each counted once, in the session that caused it; the sums equal those of pidex usage
SELECT
${FILE}
${LINE}
  event.ordinal AS ordinal, -- number of the event within the entry, from 0
${time("event.time")}
${EVENT_COLUMNS}
WHERE +event.attribution = 0 AND event.billed = 1;

CREATE VIEW daily_usage AS -- sums of billed_events by UTC day and model
SELECT
  CAST(date(event.time / 1000.0, 'unixepoch') AS TEXT) AS day, -- 2026-01-31 in UTC; null for events without a time
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model
${SUMS}
  CAST(sum(event.billed) AS INTEGER) AS billed_events -- number of billed events
FROM event JOIN model ON model.id = event.model_id
WHERE +event.attribution = 0 AND event.billed = 1
GROUP BY 1, 2, 3;

CREATE VIEW models AS -- models and their usage; copies in forks count once
SELECT
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- the model's provider; null if it was not recorded
  CAST(nullif(model.model, '') AS TEXT) AS model, -- its name; null if it was not recorded
  CAST(sum(event.kind = 'assistant') AS INTEGER) AS answers, -- number of its responses
  CAST(sum(event.billed) AS INTEGER) AS billed_events, -- number of events with tokens or a cost
${SUMS}
  CAST(date(min(event.time) / 1000.0, 'unixepoch') AS TEXT) AS first_day, -- first UTC day it was used
  CAST(date(max(event.time) / 1000.0, 'unixepoch') AS TEXT) AS last_day -- last UTC day it was used
FROM event JOIN model ON model.id = event.model_id
WHERE +event.attribution = 0 AND event.kind <> 'user'
GROUP BY event.model_id;

CREATE VIEW tool_calls AS -- tool calls, including copies in forks; those with attribution owner are distinct
SELECT
${FILE}
${LINE}
  tool_call.ordinal AS ordinal, -- number of the call within the entry, from 0
${time("entry.timestamp")}
  tool_call.name AS tool, -- the tool
  tool_call.is_error AS failed, -- 1 if its result is an error, 0 if not; null without a result
  result.line AS result_line, -- line of the result in the file; null without a result
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', result.timestamp / 1000.0, 'unixepoch') AS TEXT) AS result_time, -- time of the result, ISO 8601 in UTC
  CAST(coalesce(tool_call.duration,
    CASE WHEN tool_call.caller IS NULL THEN result.timestamp - entry.timestamp END) AS INTEGER) AS elapsed_ms, -- duration in milliseconds, as recorded, else from the call to its result
  CAST(tool_call.caller IS NOT NULL AS INTEGER) AS nested, -- 1 if a tool made the call, as codemode scripts do; line is then the line of that tool's result
  CAST(nullif(model.provider, '') AS TEXT) AS provider, -- provider of the model that called
  CAST(nullif(model.model, '') AS TEXT) AS model, -- the model that called
${CURRENT}, ${CURRENT_COMMENT}
  CAST(CASE event.attribution WHEN 0 THEN 'owner' WHEN 1 THEN 'duplicate' ELSE 'reported' END AS TEXT) AS attribution -- owner, duplicate or reported, as in events
FROM tool_call LEFT JOIN entry ON entry.id = tool_call.entry LEFT JOIN file ON file.id = tool_call.file_id
  LEFT JOIN entry AS result ON result.id = tool_call.result
  LEFT JOIN event ON event.entry = coalesce(tool_call.caller, tool_call.entry) AND event.ordinal = 0
  LEFT JOIN model ON model.id = event.model_id
  LEFT JOIN session ON session.file_id = tool_call.file_id;

CREATE VIEW touched_files AS -- files on disk that entries read, wrote, edited or otherwise touched, including copies in forks
SELECT
  path.path AS file, -- the touched file; absolute if the session's working directory is known
  touch.action AS action, -- read, write, edit, delete, search, or use if the tool is not known well enough
${FILE}
${LINE}
${time("entry.timestamp")}
  tool_call.name AS tool, -- the tool; null if the entry itself names the file
  CAST(coalesce(tool_call.is_error, entry.failed) AS INTEGER) AS failed, -- 1 if the call or command failed
${CURRENT} ${CURRENT_COMMENT}
FROM touch JOIN entry ON entry.id = touch.entry LEFT JOIN path ON path.id = touch.path_id
  LEFT JOIN file ON file.id = entry.file_id
  LEFT JOIN tool_call ON tool_call.entry = touch.entry AND tool_call.ordinal = touch.ordinal
  LEFT JOIN session ON session.file_id = entry.file_id;

CREATE VIEW labels AS -- current labels of entries
SELECT
${FILE}
  CAST(label.target_id AS TEXT) AS entry_id, -- the labeled entry
  CAST((SELECT max(entry.line) FROM entry WHERE entry.file_id = label.file_id AND entry.entry_id = label.target_id) AS INTEGER) AS line, -- that entry's line; null if there is no such entry
${time("label.timestamp")}
  label.label AS label -- the label
FROM label LEFT JOIN file ON file.id = label.file_id LEFT JOIN session ON session.file_id = label.file_id;

CREATE VIEW tags AS -- tags of sessions, one per row
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only
  session.cwd AS project, -- the session's working directory; empty if its header has none
  tag.tag AS tag, -- the tag
  tag.ordinal AS ordinal -- number of the tag within the session, from 0
FROM tag LEFT JOIN file ON file.id = tag.file_id LEFT JOIN session ON session.file_id = tag.file_id;

CREATE VIEW problems AS -- problems in session files: see docs/problems.md
SELECT
${FILE}
  problem.line AS line, -- line number from 1, or 0 for the file as a whole
  problem.byte_offset AS byte_offset, -- where the line starts in the file, in bytes
  problem.code AS code, -- kind of the problem
  problem.message AS message -- description of the problem
FROM problem LEFT JOIN file ON file.id = problem.file_id LEFT JOIN session ON session.file_id = problem.file_id;
INSERT INTO generation (id) VALUES (lower(hex(randomblob(6))));
INSERT INTO kysely_migration_lock (id, is_locked) VALUES ('migration_lock', 0);
`;
