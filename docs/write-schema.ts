/**
 * Writes docs/schema.md from the views that the migrations create: `npm run docs`. A test fails if the page and the
 * migrations differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrations } from "../migrations/index.ts";
import type { SqlView } from "../query/sql/sql-view.ts";
import { readViews } from "../query/sql/views.ts";
import { openDatabase } from "../src/store/sqlite/open.ts";

/** Example queries. A test runs each. */
const EXAMPLES: [string, string][] = [
  [
    "Cost of each project in a month",
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
    "The most expensive model responses, with their locations",
    `SELECT cost_usd, model, time, path || ':' || line AS location
FROM billed_events WHERE kind = 'assistant' ORDER BY cost_nano_usd DESC LIMIT 10`,
  ],
  [
    "Failure rates of tools, by model",
    `SELECT model, tool, count(*) AS calls, sum(failed) AS failed, round(100.0 * sum(failed) / count(failed), 1) AS percent
FROM tool_calls WHERE attribution = 'owner'
GROUP BY model, tool HAVING sum(failed) > 0 ORDER BY percent DESC`,
  ],
  [
    "Files edited in many sessions",
    `SELECT file, count(DISTINCT path) AS sessions, max(time) AS last
FROM touched_files WHERE action IN ('write', 'edit')
GROUP BY file ORDER BY sessions DESC, last DESC LIMIT 20`,
  ],
  [
    "Usage of each file, with copies in forks (duplicate) and subagents counted elsewhere (reported)",
    `SELECT path, attribution, count(*) AS events, round(sum(cost_usd), 4) AS usd
FROM events WHERE billed = 1 GROUP BY path, attribution ORDER BY path, attribution`,
  ],
  [
    "Sessions with a high cost per response",
    `SELECT s.modified, s.project, coalesce(s.name, s.first_message) AS title, s.assistant_messages, round(sum(b.cost_usd), 4) AS usd
FROM sessions AS s JOIN billed_events AS b USING (path)
GROUP BY s.path ORDER BY sum(b.cost_usd) / max(s.assistant_messages, 1) DESC LIMIT 10`,
  ],
];

/** The current content of the page. */
export async function schemaPage(): Promise<string> {
  const views = await viewsOfMigrations();
  return `# The views for SQL

\`\`\`sh
pidex sql "SELECT project, sum(cost_usd) AS usd FROM billed_events GROUP BY project ORDER BY usd DESC"
pidex sql --schema
\`\`\`

\`pidex sql\` runs a query in SQLite's SQL on the [index](index-file.md), for questions that no command answers: [cli.md](cli.md#sql) has
the options, [library.md](library.md) the method. The text of sessions is not in the index: use \`pidex search\` to find it, and
\`path\` and \`line\` to locate it.

The views below are stable: columns may be added, but never removed or changed in meaning. The tables
behind them, with names in the singular, are internal and change between versions.

- Views cover the whole index, regardless of \`--root\`. \`path\` identifies a session, its id does not.
- Times are text in UTC (\`2026-01-31T09:30:00.000Z\`), which sorts correctly, and Unix milliseconds in
  \`…_ms\`. \`datetime(time, 'localtime')\` converts to local time.
- Costs are those recorded by the agents, in whole billionths of a dollar (\`…_nano_usd\`, exact) and in dollars.
- Flags are 1 and 0. Unknown values are NULL.
- \`path\`, \`session_id\` and \`entry_row\` are indexed, and so is \`file\` in \`touched_files\`.

## Limits

One SELECT, WITH, VALUES or EXPLAIN statement. It runs in a separate process, on a read-only connection, and is stopped
after 10 seconds (\`--timeout\`; waiting for a slow reader does not count) or at 512 MB of memory. Memory is
checked a hundred times a second, so a query may exceed the limit by a few MB. Sorting uses that memory, never temporary files.
A query may have 100,000 characters, a row of the result 16 million.

## In other programs

The index is a plain SQLite file (\`pidex stats\` prints its path) in WAL mode: datasette, DuckDB, the \`sqlite3\` shell and
other programs with SQLite 3.37 or newer can open it, also while pidex is running. Open it read-only: pidex would overwrite changes, or
fail because of them. Some functions of DuckDB differ from SQLite's; \`sqlite_query\` runs a query in SQLite.

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
  return `## ${name}\n\n${sentence}.\n\n| column | type | meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "schema.md"), await schemaPage());
