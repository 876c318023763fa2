/** Types of columns: times are Unix milliseconds, money is nano-dollars, flags are 0 and 1, ids of entries are JSON (5 is not "5"). */
const text = 'text COLLATE "C"';

/**
 * Every table with content of sessions starts its key with the shelf, which says who may see it. Readers run as `pidex_reader`, who
 * sees only the rows on the shelves that `pidex.shelves` lists.
 */
const SHELVED = [
  "file",
  "segment",
  "session",
  "entry",
  "current_range",
  "label",
  "tag",
  "session_model",
  "problem",
  "path",
  "touch",
  "tool_call",
  "posting",
  "vocabulary",
  "billing",
  "event_key",
  "event_state",
  "run_path",
  "shelf_series",
  "usage_day",
] as const;

export const SCHEMA = `
-- People of the team that the hub serves. One who was removed stays, because files of the team's projects name their machines.
CREATE TABLE person (
  id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    ${text} NOT NULL UNIQUE,
  role    ${text} NOT NULL CHECK (role IN ('owner', 'member', 'figures', 'auditor')),
  created bigint NOT NULL,
  removed bigint
);

-- A computer of a person, and the SHA-256 of the token that it signs in with. Its name begins the paths of its files.
CREATE TABLE machine (
  id        uuid PRIMARY KEY,
  person    integer NOT NULL REFERENCES person (id),
  name      ${text} NOT NULL UNIQUE,
  token     bytea NOT NULL,
  created   bigint NOT NULL,
  last_seen bigint,
  revoked   bigint
);
CREATE INDEX machine_token ON machine (token);

-- An invitation signs in one machine: of a new person, or another one of \`person\`. \`code\` is the SHA-256 of its text.
CREATE TABLE invitation (
  id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  code    bytea NOT NULL UNIQUE,
  name    ${text} NOT NULL,
  role    ${text} NOT NULL CHECK (role IN ('owner', 'member', 'figures', 'auditor')),
  person  integer REFERENCES person (id) ON DELETE CASCADE,
  expires bigint NOT NULL
);

-- Who read, pushed, deleted or changed what. Its rows name people and machines, because these may be deleted later.
CREATE TABLE audit (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time    bigint NOT NULL,
  person  ${text} NOT NULL,
  machine ${text} NOT NULL,
  action  ${text} NOT NULL,
  target  ${text} NOT NULL
);
CREATE INDEX audit_time ON audit (time);

-- Sessions of a person that are not accepted again, because they were deleted on request: see library/hub/forgotten-keys.ts.
CREATE TABLE forgotten (
  person       integer NOT NULL REFERENCES person (id),
  key          bytea NOT NULL,
  time         bigint NOT NULL,
  -- Who deleted the session: the person, or an owner.
  forgotten_by integer NOT NULL REFERENCES person (id),
  -- 1 if it was on the person's private shelf: then owners have no say in it.
  private      smallint NOT NULL,
  PRIMARY KEY (person, key)
);

-- Private sessions of one person, or the sessions of one project of the team.
CREATE TABLE shelf (
  id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person         integer REFERENCES person (id),
  project        ${text},
  -- Sessions without a message for so long are forgotten; null keeps them.
  retention_days integer,
  CHECK ((person IS NULL) <> (project IS NULL)),
  UNIQUE NULLS NOT DISTINCT (person, project)
);

-- A session file of a machine, and how far it is indexed.
CREATE TABLE file (
  shelf      integer NOT NULL REFERENCES shelf (id),
  id         integer GENERATED ALWAYS AS IDENTITY,
  machine    uuid NOT NULL REFERENCES machine (id),
  -- Unique: the machine's name, a colon, and the path on the machine.
  path       ${text} NOT NULL,
  local_path ${text} NOT NULL,
  -- As the ledger compares it: see toLedgerPath in src/machine-path.ts.
  ledger_path ${text} NOT NULL,
  subagent   smallint NOT NULL,
  extraction integer NOT NULL,
  version    smallint NOT NULL,
  -- The state after the last line, as in ReadState.
  cursor     bigint NOT NULL,
  lines      integer NOT NULL,
  parsed     integer NOT NULL,
  terminated smallint NOT NULL,
  header     ${text} NOT NULL,
  leaf_id    ${text},
  -- Of the bytes before the cursor: see src/byte-chain.ts.
  chain      bytea NOT NULL,
  digest     bytea NOT NULL,
  -- When the machine's file was modified.
  modified   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (shelf, id),
  UNIQUE (machine, local_path)
);
CREATE UNIQUE INDEX file_path ON file (shelf, path);
CREATE INDEX file_local_path ON file (shelf, local_path);
CREATE INDEX file_ledger_path ON file (shelf, ledger_path);

-- The lines of a file as they were sent, compressed.
CREATE TABLE segment (
  shelf      integer NOT NULL,
  file_id    integer NOT NULL,
  first_line integer NOT NULL,
  start      bigint NOT NULL,
  bytes      integer NOT NULL,
  body       bytea NOT NULL,
  PRIMARY KEY (shelf, file_id, start)
);
ALTER TABLE segment ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE session (
  shelf           integer NOT NULL,
  file_id         integer NOT NULL,
  id              ${text} NOT NULL,
  cwd             ${text} NOT NULL,
  parent_session  ${text},
  internal        smallint NOT NULL,
  created         bigint,
  last_message    bigint,
  modified        bigint NOT NULL,
  name            ${text},
  first_message   ${text},
  computed_title  ${text},
  title_state     ${text},
  provider        ${text},
  model           ${text},
  entry_count     integer NOT NULL,
  message_count   integer NOT NULL,
  user_count      integer NOT NULL,
  assistant_count integer NOT NULL,
  pinned          smallint NOT NULL,
  archived        smallint NOT NULL,
  PRIMARY KEY (shelf, file_id)
);
CREATE INDEX session_modified ON session (shelf, modified DESC, file_id DESC);
CREATE INDEX session_id ON session (shelf, id);

CREATE TABLE entry (
  shelf       integer NOT NULL,
  file_id     integer NOT NULL,
  line        integer NOT NULL,
  -- Days since 1970 of its time, or of the entry before it.
  day         integer NOT NULL,
  byte_offset bigint NOT NULL,
  byte_length integer NOT NULL,
  entry_id    ${text},
  parent_id   ${text},
  type        ${text} NOT NULL,
  role        ${text},
  timestamp   bigint,
  tool        ${text},
  failed      smallint NOT NULL,
  has_text    smallint NOT NULL,
  text_hash   bigint,
  -- Number of indexed words.
  words       integer NOT NULL,
  PRIMARY KEY (shelf, file_id, line)
);
CREATE INDEX entry_id ON entry (shelf, entry_id, timestamp);
-- The order of a search.
CREATE INDEX entry_day ON entry (shelf, day, file_id, line);

CREATE TABLE current_range (
  shelf      integer NOT NULL,
  file_id    integer NOT NULL,
  first_line integer NOT NULL,
  last_line  integer NOT NULL,
  PRIMARY KEY (shelf, file_id, first_line)
);

CREATE TABLE label (
  shelf     integer NOT NULL,
  file_id   integer NOT NULL,
  target_id ${text} NOT NULL,
  label     ${text} NOT NULL,
  timestamp bigint,
  PRIMARY KEY (shelf, file_id, target_id)
);

CREATE TABLE tag (
  shelf   integer NOT NULL,
  file_id integer NOT NULL,
  ordinal integer NOT NULL,
  tag     ${text} NOT NULL,
  folded  ${text} NOT NULL,
  PRIMARY KEY (shelf, file_id, ordinal)
);
CREATE INDEX tag_folded ON tag (shelf, folded);

CREATE TABLE session_model (
  shelf    integer NOT NULL,
  file_id  integer NOT NULL,
  provider ${text} NOT NULL,
  model    ${text} NOT NULL,
  messages integer NOT NULL,
  PRIMARY KEY (shelf, file_id, provider, model)
);

CREATE TABLE problem (
  shelf       integer NOT NULL,
  file_id     integer NOT NULL,
  byte_offset bigint NOT NULL,
  ordinal     integer NOT NULL,
  line        integer NOT NULL,
  code        ${text} NOT NULL,
  message     ${text} NOT NULL,
  PRIMARY KEY (shelf, file_id, byte_offset, ordinal)
);

CREATE TABLE path (
  shelf integer NOT NULL,
  id    integer GENERATED ALWAYS AS IDENTITY,
  path  ${text} NOT NULL,
  PRIMARY KEY (shelf, id),
  UNIQUE (shelf, path)
);

CREATE TABLE touch (
  shelf   integer NOT NULL,
  path_id integer NOT NULL,
  file_id integer NOT NULL,
  line    integer NOT NULL,
  ordinal integer NOT NULL,
  action  ${text} NOT NULL,
  PRIMARY KEY (shelf, path_id, file_id, line, ordinal, action)
);
CREATE INDEX touch_entry ON touch (shelf, file_id, line);

CREATE TABLE tool_call (
  shelf    integer NOT NULL,
  file_id  integer NOT NULL,
  line     integer NOT NULL,
  ordinal  integer NOT NULL,
  call     bigint NOT NULL,
  name     ${text} NOT NULL,
  is_error smallint,
  -- Lines of its result, and of the call that made it.
  result   integer,
  caller   integer,
  duration bigint,
  PRIMARY KEY (shelf, file_id, line, ordinal)
);
CREATE INDEX tool_call_name ON tool_call (shelf, name);
CREATE INDEX tool_call_call ON tool_call (shelf, file_id, call) WHERE caller IS NULL;
CREATE INDEX tool_call_caller ON tool_call (shelf, file_id, caller) WHERE caller IS NOT NULL;

-- Where a word occurs in some lines of a file that have the same day: see src/store/postgres/postings.ts. In this order, the newest
-- occurrences of a word are read backwards at a cost that does not grow with the older ones.
CREATE TABLE posting (
  shelf      integer NOT NULL,
  word       ${text} NOT NULL,
  day        integer NOT NULL,
  file_id    integer NOT NULL,
  first_line integer NOT NULL,
  lines      integer NOT NULL,
  places     bytea NOT NULL,
  PRIMARY KEY (shelf, word, day, file_id, first_line) INCLUDE (lines)
);
-- To forget a file. Equal keys are stored once, so it takes a few bytes per row.
CREATE INDEX posting_file ON posting (shelf, file_id);

-- The words of the postings, for prefixes and corrections.
CREATE TABLE vocabulary (
  shelf integer NOT NULL,
  word  ${text} NOT NULL,
  PRIMARY KEY (shelf, word)
);

-- The ledger: see docs/decisions/0026-postgresql.md. What an entry records of tokens and costs, as JSON: see indexer/billing.ts.
CREATE TABLE billing (
  shelf     integer NOT NULL,
  file_id   integer NOT NULL,
  line      integer NOT NULL,
  -- The UTC day of its time, in days since 1970; -104166667 without a time.
  day       integer NOT NULL,
  -- 1 if it reports subagent runs, or corrects another entry.
  has_links smallint NOT NULL,
  -- Of its events, separated by commas.
  keys      ${text} NOT NULL,
  record    ${text} NOT NULL,
  PRIMARY KEY (shelf, file_id, line)
);
CREATE INDEX billing_day ON billing (shelf, day, file_id);

-- The files with events that have a key: copies of an event have the same one.
CREATE TABLE event_key (
  shelf   integer NOT NULL,
  key     bigint NOT NULL,
  file_id integer NOT NULL,
  -- 1 if files on other shelves have it too.
  shared  smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (shelf, key, file_id)
);
CREATE INDEX event_key_key ON event_key (key);
CREATE INDEX event_key_shared ON event_key (shelf, key) WHERE shared = 1;
CREATE INDEX event_key_file ON event_key (shelf, file_id);

-- Events that do not count as their entry records them: the columns of \`event\` in the local index that differ.
CREATE TABLE event_state (
  shelf       integer NOT NULL,
  file_id     integer NOT NULL,
  line        integer NOT NULL,
  ordinal     integer NOT NULL,
  attribution smallint NOT NULL,
  instance    integer NOT NULL,
  -- The key and the figures, as JSON, if a session of its own counts a part of them.
  corrected   ${text},
  PRIMARY KEY (shelf, file_id, line, ordinal)
);

-- Every path that the session of a subagent run may have, and the entry that reports the run.
CREATE TABLE run_path (
  shelf   integer NOT NULL,
  path    ${text} NOT NULL,
  file_id integer NOT NULL,
  line    integer NOT NULL,
  ordinal integer NOT NULL,
  agent   ${text},
  tool    ${text},
  PRIMARY KEY (shelf, path, file_id, line, ordinal)
);
CREATE INDEX run_path_file ON run_path (shelf, file_id);

-- Names that connect the files of related sessions, as in the local index.
CREATE TABLE lineage (
  shelf   integer NOT NULL,
  name    ${text} NOT NULL,
  role    smallint NOT NULL,
  file_id integer NOT NULL,
  PRIMARY KEY (shelf, name, role, file_id)
);
CREATE INDEX lineage_file ON lineage (shelf, file_id);

-- The dimensions of sums besides file and time, as in the local index. One row for all shelves, so that packed sums can be
-- added up; readers see those of their shelves.
CREATE TABLE usage_series (
  id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind     ${text} NOT NULL,
  provider ${text} NOT NULL,
  model    ${text} NOT NULL,
  agent    ${text} NOT NULL,
  tool     ${text} NOT NULL,
  stop     ${text} NOT NULL,
  current  smallint NOT NULL,
  context  smallint NOT NULL,
  UNIQUE (kind, provider, model, agent, tool, stop, current, context)
);
CREATE TABLE shelf_series (
  shelf  integer NOT NULL,
  series integer NOT NULL,
  PRIMARY KEY (shelf, series)
);

-- Sums of the events that count, by file and UTC day, packed as in the local index.
CREATE TABLE usage_day (
  shelf   integer NOT NULL,
  file_id integer NOT NULL,
  day     integer NOT NULL,
  totals  ${text} NOT NULL,
  rows    ${text} NOT NULL,
  PRIMARY KEY (shelf, file_id, day)
);
CREATE INDEX usage_day_day ON usage_day (shelf, day);

-- Files with events that are attributed depending on other files: see indexer/hub-ledger.ts.
CREATE TABLE linked_file (
  shelf   integer NOT NULL,
  file_id integer NOT NULL,
  PRIMARY KEY (shelf, file_id)
);

-- Files with lines that the ledger does not cover yet, and the first of them.
CREATE TABLE unsettled (
  shelf     integer NOT NULL,
  file_id   integer NOT NULL,
  from_line integer NOT NULL,
  PRIMARY KEY (shelf, file_id)
);

-- The machines and people that have the files on the shelves of a reader, who cannot read the tables of machines and people.
CREATE VIEW file_origin WITH (security_barrier) AS
  SELECT file.shelf, file.id AS file_id, machine.name AS machine, person.name AS person
  FROM file JOIN machine ON machine.id = file.machine JOIN person ON person.id = machine.person
  WHERE file.shelf = ANY (current_setting('pidex.shelves', true)::integer[]);

DO $$ BEGIN
  CREATE ROLE pidex_reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
${SHELVED.map(
  (table) => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON ${table} FOR SELECT TO pidex_reader
  USING (shelf = ANY (current_setting('pidex.shelves', true)::integer[]));
GRANT SELECT ON ${table} TO pidex_reader;`,
).join("\n")}

GRANT SELECT ON file_origin TO pidex_reader;
ALTER TABLE usage_series ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON usage_series FOR SELECT TO pidex_reader
  USING (EXISTS (SELECT 1 FROM shelf_series WHERE shelf_series.series = usage_series.id));
GRANT SELECT ON usage_series TO pidex_reader;
`;
