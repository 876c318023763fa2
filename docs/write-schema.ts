/**
 * Writes docs/schema.md from the views that the migrations make: `npm run docs`. A test fails while the page and the
 * migrations differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrations } from "../migrations/index.ts";
import type { SqlView } from "../query/sql/sql-view.ts";
import { readViews } from "../query/sql/views.ts";
import { openDatabase } from "../src/store/sqlite/open.ts";

/** What people ask, and how. A test runs each. */
const EXAMPLES: [string, string][] = [
  [
    "What each project cost in a month",
    `SELECT project, round(sum(cost_usd), 2) AS usd, count(*) AS events
FROM billed_events
WHERE time >= '2026-01-01' AND time < '2026-02-01'
GROUP BY project ORDER BY usd DESC`,
  ],
  [
    "A running total by day",
    `SELECT day, round(sum(cost_usd), 4) AS usd, round(sum(sum(cost_usd)) OVER (ORDER BY day), 4) AS so_far
FROM daily_usage WHERE day IS NOT NULL GROUP BY day ORDER BY day`,
  ],
  [
    "The dearest answers, and where they stand",
    `SELECT cost_usd, model, time, path || ':' || line AS place
FROM billed_events WHERE kind = 'assistant' ORDER BY cost_nano_usd DESC LIMIT 10`,
  ],
  [
    "Which tools fail, by model",
    `SELECT model, tool, count(*) AS calls, sum(failed) AS failed, round(100.0 * sum(failed) / count(failed), 1) AS percent
FROM tool_calls WHERE standing = 'own'
GROUP BY model, tool HAVING sum(failed) > 0 ORDER BY percent DESC`,
  ],
  [
    "Files that are edited in many sessions",
    `SELECT file, count(DISTINCT path) AS sessions, max(time) AS last
FROM touched_files WHERE action IN ('write', 'edit')
GROUP BY file ORDER BY sessions DESC, last DESC LIMIT 20`,
  ],
  [
    "What forks hold copies of: own, inherited and told side by side",
    `SELECT path, standing, count(*) AS events, round(sum(cost_usd), 4) AS usd
FROM events WHERE billed = 1 GROUP BY path, standing ORDER BY path, standing`,
  ],
  [
    "Sessions that cost much and said little",
    `SELECT s.modified, s.project, coalesce(s.name, s.first_message) AS title, s.assistant_messages, round(sum(b.cost_usd), 4) AS usd
FROM sessions AS s JOIN billed_events AS b USING (path)
GROUP BY s.path ORDER BY sum(b.cost_usd) / max(s.assistant_messages, 1) DESC LIMIT 10`,
  ],
];

/** The page, as it should be. */
export async function schemaPage(): Promise<string> {
  const views = await viewsOfMigrations();
  return `# The views for SQL

\`\`\`sh
pidex sql "SELECT project, sum(cost_usd) AS usd FROM billed_events GROUP BY project ORDER BY usd DESC"
pidex sql --schema
\`\`\`

\`pidex sql\` asks the [index](index-file.md) in SQLite's SQL, for what no command was made for: [cli.md](cli.md#sql) has
the options, [library.md](library.md) the method. What sessions say is not in the index: \`pidex search\` finds it,
\`path\` and \`line\` tell where it stands.

The views below are stable: columns may be added, but none is taken away or comes to mean something else. The tables
under them, whose names are in the singular, are not; they change as pidex does.

- Views see all that the index knows, whatever \`--root\` says. \`path\` tells sessions apart, ids do not.
- Times are text in UTC (\`2026-01-31T09:30:00.000Z\`), so that they compare as they are, beside Unix milliseconds in
  \`…_ms\`. \`datetime(time, 'localtime')\` is your own time.
- Money is what the agents recorded, in whole billionths of a dollar (\`…_nano_usd\`, exact) and in dollars.
- Flags are 1 and 0. What is not known is NULL.
- \`path\`, \`session_id\` and \`entry_row\` are found by an index, and \`file\` in \`touched_files\`.

## What may be asked

One SELECT, WITH, VALUES or EXPLAIN. It runs in a process of its own, on a database that is opened read-only, and is killed
after 10 seconds (\`--timeout\`; time in which nobody reads the rows it found does not count) or at 512 MB of memory. Memory is
looked at a hundred times a second, so it may be some MB more. Sorting is done in that memory, never in temporary files.
SQL may have 100,000 characters, a row of the answer 16 million.

## In other programs

The index is a plain SQLite file (\`pidex stats\` says where) in WAL mode: datasette, DuckDB, the \`sqlite3\` shell and
others with SQLite 3.37 or newer open it as it is, also while pidex runs. Open it read-only: pidex would undo, or trip
over, what others write. DuckDB runs a view in SQLite where its own functions differ; \`sqlite_query\` makes sure of it.

\`\`\`
sqlite3 -readonly ~/.cache/pidex/index.db "SELECT * FROM daily_usage"
datasette ~/.cache/pidex/index.db
duckdb -c "ATTACH '$HOME/.cache/pidex/index.db' AS pidex (TYPE sqlite, READ_ONLY);
  SELECT * FROM sqlite_query('pidex', 'SELECT * FROM daily_usage')"
\`\`\`

## Examples

${EXAMPLES.map(([about, sql]) => `${about}:\n\n\`\`\`sql\n${sql}\n\`\`\`\n`).join("\n")}
${views.map(section).join("\n")}
This page is written from \`migrations/\` by \`npm run docs\`.
`;
}

async function viewsOfMigrations(): Promise<SqlView[]> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-docs-"));
  try {
    const database = await openDatabase({ path: join(folder, "index.db"), migrations });
    const views = readViews(database.readerHandle);
    await database.close();
    return views;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function section({ name, about, columns }: SqlView): string {
  const rows = columns.map((column) => `| \`${column.name}\` | ${column.type} | ${column.about} |\n`);
  const sentence = about.charAt(0).toUpperCase() + about.slice(1);
  return `## ${name}\n\n${sentence}.\n\n| column | type | what it says |\n| --- | --- | --- |\n${rows.join("")}`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "schema.md"), await schemaPage());
