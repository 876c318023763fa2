import { readFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { updateSchemaPage } from "../../../docs/write.ts";
import { collect, indexedFixtures } from "../opened-queries.ts";

const PAGE = join(import.meta.dirname, "../../../docs/schema.md");

/** The index of the fixtures, and a separate connection to its file. */
async function opened() {
  const index = await indexedFixtures();
  const db = new SQLite(index.path, { readonly: true });
  onTestFinished(() => void db.close());
  return { index, db };
}

test("docs/schema.md is up to date with npm run docs", async () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page).toBe(await updateSchemaPage(page));
});

const examples = [...readFileSync(PAGE, "utf8").matchAll(/^```sql\n([\s\S]*?)\n```$/gm)].map(
  ([, sql]) => sql,
);

test("the examples of docs/schema.md return rows", async () => {
  const { index } = await opened();
  expect(examples.length).toBeGreaterThan(3);
  for (const sql of examples) {
    const { rows } = await index.sql(sql as string);
    expect((await collect(rows)).length, sql).toBeGreaterThan(0);
  }
});

test("every view and column has a comment and a type", async () => {
  const { index, db } = await opened();
  const views = await index.sqlViews();
  expect(views.map(({ name }) => name)).toEqual(
    "sessions entries events billed_events daily_usage models tool_calls touched_files labels tags problems".split(
      " ",
    ),
  );
  for (const { name, about, columns } of views) {
    expect(about, name).not.toBe("");
    for (const column of columns) {
      expect([name, column.name, column.about !== ""]).toEqual([name, column.name, true]);
      expect(["TEXT", "INTEGER", "REAL"], `${name}.${column.name}`).toContain(column.type);
    }
    // Values have the documented type.
    for (const row of db.prepare(`SELECT * FROM ${name}`).iterate() as Iterable<Record<string, unknown>>) {
      for (const column of columns) {
        const value = row[column.name];
        if (value === null) continue;
        expect(typeof value, `${name}.${column.name}`).toBe(column.type === "TEXT" ? "string" : "number");
      }
    }
  }
});

test("sums by day, by model and by event equal pidex usage", async () => {
  const { index, db } = await opened();
  const { total } = await index.usage({ timeZone: "UTC" });
  const sums = (view: string) =>
    db
      .prepare(
        `SELECT sum(cost_nano_usd), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
           sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(reasoning_tokens) FROM ${view}`,
      )
      .raw()
      .get();
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning } = total.tokens;
  const expected = [total.costNanoUsd, input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning];
  expect(total.costNanoUsd).toBeGreaterThan(0);
  for (const view of ["billed_events", "daily_usage", "models"]) expect(sums(view), view).toEqual(expected);
  expect(db.prepare("SELECT count(*) FROM billed_events").pluck().get()).toBe(total.events);
  expect(db.prepare("SELECT sum(billed_events) FROM daily_usage").pluck().get()).toBe(total.events);
  const { rows } = await index.usage({ by: ["day"], timeZone: "UTC" });
  const byDay = db.prepare("SELECT day, sum(cost_nano_usd) FROM daily_usage GROUP BY day").raw().all();
  const billed = rows.filter(({ events }) => events > 0);
  expect(new Map(byDay as [string, number][])).toEqual(
    new Map(billed.map(({ key, costNanoUsd }) => [key.day, costNanoUsd])),
  );
});

test("views agree with the lists", async () => {
  const { index, db } = await opened();
  const rows = new Map(
    (db.prepare("SELECT * FROM sessions").all() as Record<string, unknown>[]).map((row) => [row.path, row]),
  );
  const { sessions } = await index.listAll({ subagents: "yes" });
  expect(rows.size).toBe(sessions.length);
  for (const each of sessions) {
    expect(rows.get(each.path)).toMatchObject({
      id: each.id,
      project: each.cwd,
      name: each.name ?? null,
      modified: each.modified.toISOString(),
      modified_ms: each.modified.getTime(),
      created: Number.isNaN(each.created.getTime()) ? null : each.created.toISOString(),
      messages: each.messageCount,
      entries: each.entryCount,
      labels: each.labelCount,
      pinned: each.pinned ? 1 : 0,
      archived: each.archived ? 1 : 0,
      tags: JSON.stringify(each.tags),
      problems: each.problemCount,
      subagent: each.subagent ? 1 : 0,
    });
    const current = db.prepare("SELECT line, current FROM entries WHERE path = ? ORDER BY line").raw();
    const tree = await index.treeEntries(each.path);
    expect(current.all(each.path)).toEqual(tree.map((entry) => [entry.line, entry.onCurrentBranch ? 1 : 0]));
  }
  const count = (view: string) => db.prepare(`SELECT count(*) FROM ${view}`).pluck().get();
  expect(count("labels")).toBe((await index.labels()).length);
  expect(count("problems")).toBe((await index.problems()).length);
  expect(count("tool_calls WHERE attribution = 'owner'")).toBe((await index.stats()).toolCalls);
});

test("no view scans a table where it can use an index", async () => {
  const { db } = await opened();
  const views = "entries events billed_events tool_calls touched_files labels tags problems".split(" ");
  const queries = [
    ...views.map((view) => `SELECT * FROM ${view} WHERE path = 'x'`),
    ...views.map((view) => `SELECT * FROM ${view} WHERE path >= 'x/' AND path < 'x0'`),
    ...views.map((view) => `SELECT * FROM ${view} WHERE session_id = 'x'`),
    "SELECT * FROM sessions WHERE path = 'x'",
    "SELECT * FROM sessions WHERE id = 'x'",
    "SELECT * FROM touched_files WHERE file = 'x'",
    "SELECT * FROM events WHERE entry_row = 5",
    "SELECT * FROM tool_calls AS c JOIN sessions AS s USING (path) WHERE s.id = 'x'",
  ];
  for (const sql of queries) {
    expect(
      // `ordered` are the tags of one session.
      planSteps(db, sql).filter((step) => /^SCAN(?! ordered)|AUTOMATIC/.test(step)),
      sql,
    ).toEqual([]);
  }
  expect(planSteps(db, "SELECT cost_usd FROM billed_events WHERE agent = 'x'")).toEqual(["SCAN event"]);
});

function planSteps(db: SQLite.Database, sql: string): string[] {
  const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
  return plan.map(({ detail }) => detail);
}
