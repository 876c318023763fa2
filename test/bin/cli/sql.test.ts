import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatCsvLine } from "../../../bin/format/csv.ts";
import { measureWidth } from "../../../bin/format/text.ts";
import { JSON_SCHEMA_VERSION } from "../../../library/internal.ts";
import { SqlViewJson } from "../../../query/sql/sql-view.ts";
import { cellsOf, HOME, linesOf, PI, pidexAt, strict } from "../cli.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-sql-"));
const run = pidexAt(PI, folder);
beforeAll(async () => void (await run(["index"])));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ODD = `SELECT 1 AS n, 'a,"b"' AS text, NULL AS none, x'ff' AS bytes, char(27) || '[31m' || char(10) AS evil, 2 AS n`;

test("a pipe gets one tab-separated line per row, without control characters", async () => {
  const { out, err, exit } = await run(["sql", ODD]);
  expect([exit, err]).toEqual([0, ""]);
  expect(cellsOf(out)).toEqual([["1", 'a,"b"', "", "x'ff'", "␛[31m␊", "2"]]);
});

test("--csv is RFC 4180 with a header", async () => {
  const { out } = await run(["sql", ODD, "--csv"]);
  expect(out).toBe('n,text,none,bytes,evil,n\r\n1,"a,""b""",,x\'ff\',"␛[31m\n",2\r\n');
  expect((await run(["sql", "SELECT 1 AS a WHERE 0", "--csv"])).out).toBe("a\r\n");
});

test("text that looks like a formula is escaped in CSV, and numbers stay numbers", () => {
  expect(formatCsvLine(["=1+1", "+a", "-a", "@a", "\ta", "＝a", "a=1"])).toBe(
    "'=1+1,'+a,'-a,'@a,'\ta,'＝a,a=1\r\n",
  );
  expect(formatCsvLine([-5, "-5", "-0.5", "+1", "2026-01-01", "/a", null, ""])).toBe(
    '-5,-5,-0.5,+1,2026-01-01,/a,,""\r\n',
  );
});

test("--json has columns and rows as objects, --ndjson only the objects", async () => {
  const row = { n: 1, text: 'a,"b"', none: null, bytes: { blob: "ff" }, evil: "\x1b[31m\n", n_2: 2 };
  const { out } = await run(["sql", ODD, "--json"]);
  expect(JSON.parse(out)).toEqual({ schema: JSON_SCHEMA_VERSION, columns: Object.keys(row), rows: [row] });
  expect(out).not.toContain("\x1b");
  const lines = linesOf((await run(["sql", ODD, "--ndjson"])).out).map((line) => JSON.parse(line));
  expect(lines).toEqual([{ schema: JSON_SCHEMA_VERSION, ...row }]);
  const none = await run(["sql", "SELECT 1 AS a WHERE 0", "--json"]);
  expect(JSON.parse(none.out)).toEqual({ schema: JSON_SCHEMA_VERSION, columns: ["a"], rows: [] });
});

test("a terminal gets a table that fits, with numbers at the right", async () => {
  const sql = "SELECT path, messages AS n FROM sessions ORDER BY path";
  for (const columns of [30, 80]) {
    const { out } = await run(["sql", sql], { columns });
    const lines = linesOf(out);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines[0]).toMatch(/^path +n$/);
    for (const line of lines) expect(measureWidth(line)).toBe(columns);
  }
  expect((await run(["sql", "SELECT 1 AS a WHERE 0"], { columns: 80 })).err).toBe("no rows\n");
});

test("rows too wide for a table are printed as blocks", async () => {
  for (const columns of [20, 60]) {
    const { out } = await run(["sql", "SELECT * FROM sessions LIMIT 2"], { columns });
    expect(out.split("\n\n")).toHaveLength(2);
    expect(linesOf(out)[0]).toMatch(/^path +\/|^path +…/);
    for (const line of linesOf(out)) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
  }
});

test("a terminal shows a thousand rows by default, and notes it; a pipe gets all", async () => {
  const sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n LIMIT 1001";
  const shown = await run(["sql", sql], { columns: 80 });
  expect(linesOf(shown.out)).toHaveLength(1001);
  expect(shown.err).toContain("more than 1,000 rows (--limit to show more)");
  const all = await run(["sql", sql, "--limit", "2000"], { columns: 80 });
  expect([linesOf(all.out).length, all.err]).toEqual([1002, ""]);
  expect(linesOf((await run(["sql", sql])).out)).toHaveLength(1001);
  expect(linesOf((await run(["sql", sql, "-n", "3"])).out)).toEqual(["1", "2", "3"]);
});

test("invalid SQL and options exit with 2 and a hint; a query beyond the time limit exits with 1", async () => {
  const wrong = await run(["sql", "SELECT * FROM sesions"]);
  expect([wrong.exit, wrong.out]).toEqual([2, ""]);
  expect(linesOf(wrong.err)).toEqual([
    "pidex: no such table: sesions (line 1, column 15)",
    "  Did you mean sessions?",
  ]);
  for (const timeout of ["0", "-1", "x", "1e3", "99999"]) {
    expect((await run(["sql", "SELECT 1", "--timeout", timeout])).exit).toBe(2);
  }
  const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
  const late = await run(["sql", endless, "--timeout", "0.2"]);
  expect([late.exit, late.out]).toEqual([1, ""]);
  expect(late.err).toContain("took longer than 0.2 s");
});

test("--schema lists the views and their columns", async () => {
  const { out } = await run(["sql", "--schema"]);
  expect(cellsOf(out)[0]).toEqual(["sessions", "path", "TEXT", "the session file"]);
  const { views } = JSON.parse((await run(["sql", "--schema", "--json"])).out);
  strict(SqlViewJson.array()).parse(views);
  const shown = await run(["sql", "--schema"], { columns: 60 });
  for (const line of linesOf(shown.out)) expect(measureWidth(line)).toBeLessThanOrEqual(60);
});

test("SQL is read from stdin without an argument, or with a dash", () => {
  const where = ["--root", PI, "--db", join(folder, "index.db")];
  const runWithInput = (argv: string[], input: string) =>
    spawnSync(process.execPath, [join(HOME, "bin/pidex.ts"), "sql", ...argv, ...where], {
      input,
      encoding: "utf8",
    });
  expect(runWithInput([], "SELECT 1, 'é'\n").stdout).toBe("1\té\n");
  expect(runWithInput(["-"], "SELECT 2;\n-- done\n").stdout).toBe("2\n");
  const empty = runWithInput([], "");
  expect([empty.status, empty.stderr]).toEqual([
    2,
    "pidex: the SQL is empty\n  pidex sql is read-only: it runs one SELECT, WITH, VALUES or EXPLAIN.\n",
  ]);
});
