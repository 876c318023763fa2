import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { collect, failure, indexed } from "../opened-queries.ts";

const HOME = join(import.meta.dirname, "../../..");
const talk = () => session({ cwd: "/p" }).user("Is it complete?").assistant("It is.");
const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

/** Ids of the query processes that a process has started. */
function children(parentPid = process.pid): string[] {
  const all = execFileSync("ps", ["-A", "-o", "ppid=,pid=,args="], { encoding: "utf8" }).split("\n");
  const ours = all.filter((line) => line.includes("sql-process")).map((line) => line.trim().split(/\s+/));
  return ours.filter(([parent]) => Number(parent) === parentPid).map(([, pid]) => pid as string);
}

test("values are text, numbers, null and blobs; integers that a number can't represent are text", async () => {
  const { index } = await indexed(talk());
  const { columns, rows } = await index.sql(
    "SELECT 'a' AS a, 1, 1.5 AS a, NULL, x'00ff', 9007199254740991, 9007199254740992, -9e999, 'é' || char(0) || '☃'",
  );
  expect(columns.slice(0, 3)).toEqual(["a", "1", "a"]);
  expect(await collect(rows)).toEqual([
    ["a", 1, 1.5, null, { blob: "00ff" }, 9007199254740991, "9007199254740992", "-Infinity", "é\0☃"],
  ]);
});

test("all rows are returned, each once", async () => {
  const { index } = await indexed(talk());
  const { rows } = await index.sql(`${ENDLESS} LIMIT 5000`);
  expect((await collect(rows)).flat()).toEqual(Array.from({ length: 5000 }, (_, n) => n + 1));
  const some = await index.sql(ENDLESS, { maxRows: 7 });
  expect(await collect(some.rows)).toHaveLength(7);
  expect(children()).toEqual([]);
});

test("the process ends when the reader stops, even before the first row", async () => {
  const { index } = await indexed(talk());
  for await (const [x] of (await index.sql(ENDLESS)).rows) if (x === 1234) break;
  expect(children()).toEqual([]);
  const { rows } = await index.sql(ENDLESS);
  expect(children()).toHaveLength(1);
  await rows.return?.();
  expect(children()).toEqual([]);
});

test("time spent waiting for the reader does not count", async () => {
  const { index } = await indexed(talk());
  const { rows } = await index.sql(`${ENDLESS} LIMIT 5000`, { timeoutMs: 1000 });
  await rows.next();
  const other = await failure(index.sql(`${ENDLESS} WHERE x < 0`, { timeoutMs: 1500 }));
  expect(other.code).toBe("SQL_TIMEOUT");
  expect(await collect(rows)).toHaveLength(4999);
});

test("an aborted query ends with the signal's reason", async () => {
  const { index } = await indexed(talk());
  const reason = new Error("enough");
  await expect(index.sql(ENDLESS, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const stop = new AbortController();
  const query = index.sql(`${ENDLESS} WHERE x < 0`, { signal: stop.signal });
  stop.abort(reason);
  await expect(query).rejects.toBe(reason);
  const later = new AbortController();
  const { rows } = await index.sql(ENDLESS, { signal: later.signal });
  later.abort(reason);
  await expect(collect(rows)).rejects.toBe(reason);
  expect(children()).toEqual([]);
});

test("the process ends when its parent is killed", async () => {
  const { index } = await indexed(talk());
  const script = join(temporaryFolder(), "query.mts");
  writeFileSync(
    script,
    `import { openIndex } from ${JSON.stringify(join(HOME, "library/index.ts"))};
     const index = await openIndex({ db: ${JSON.stringify(index.path)}, roots: [] });
     await index.sql(${JSON.stringify(ENDLESS)});
     index.sql(${JSON.stringify(`${ENDLESS} WHERE x < 0`)}, { timeoutMs: 60000 });
     console.log("started");`,
  );
  const parent = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(parent.stdout, "data");
  await expect.poll(() => children(parent.pid)).toHaveLength(2);
  const pids = children(parent.pid);
  parent.kill("SIGKILL");
  await once(parent, "close");
  const remaining = () => spawnSync("ps", ["-o", "args=", "-p", pids.join(",")], { encoding: "utf8" }).stdout;
  await expect.poll(remaining, { timeout: 10_000 }).not.toContain("sql-process");
});

test("unread rows don't keep a process running", async () => {
  const { index } = await indexed(talk());
  const script = join(temporaryFolder(), "leave.mts");
  writeFileSync(
    script,
    `import { openIndex } from ${JSON.stringify(join(HOME, "library/index.ts"))};
     const index = await openIndex({ db: ${JSON.stringify(index.path)}, roots: [] });
     await index.sql(${JSON.stringify(ENDLESS)});
     console.log("left");`,
  );
  expect(execFileSync(process.execPath, [script], { encoding: "utf8", timeout: 30_000 })).toBe("left\n");
});

test.each([
  ["SELECT * FROM sesions", "no such table: sesions (line 1, column 15)", "Did you mean sessions?"],
  ["SELECT s.pth\nFROM sessions s", "no such column: s.pth (line 1, column 8)", "Did you mean path?"],
  [
    "SELECT qqqqqq FROM labels",
    "no such column: qqqqqq (line 1, column 8)",
    "The columns of labels are path, session_id",
  ],
  ["SELECT * FROM qqqqqqqqqq", "no such table: qqqqqqqqqq (line 1, column 15)", "The views are sessions,"],
  ["SELECT 1\nFORM files", 'near "files": syntax error (line 2, column 6)', "pidex sql --schema"],
  ["SELECT 1 WHERE 'a' REGEXP 'b'", "no such function: REGEXP (line 1, column 20)", "--regex"],
  ["SELECT 1; SELECT 2", "more than one statement", "read-only"],
  ["DELETE FROM file", "only SELECT statements are allowed, not DELETE", "read-only"],
  ["EXPLAIN DELETE FROM file", "only SELECT statements are allowed, not EXPLAIN DELETE", "read-only"],
])("%j fails with its location and a hint", async (sql, message, hint) => {
  const { index } = await indexed();
  const error = await failure(index.sql(sql));
  expect(error.code).toBe("BAD_SQL");
  expect(error.message.toLowerCase()).toContain(message.toLowerCase());
  expect(error.hint).toContain(hint);
});

test("invalid times and counts are bad options", async () => {
  const { index } = await indexed();
  for (const options of [{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { maxRows: 0 }, { maxRows: 1.5 }]) {
    expect((await failure(index.sql("SELECT 1", options))).code).toBe("BAD_OPTION");
  }
});

test("a broken database is rebuilt and queried again", async () => {
  const { index, root } = await indexed(talk(), session({ id: "two" }).user("Hello"));
  const { path } = index;
  await index.close();
  const bytes = readFileSync(path);
  bytes.fill(0xaa, 4096 * 3); // the first pages contain the schema
  writeFileSync(path, bytes);
  const notices: string[] = [];
  await using again = await openIndex({ db: path, roots: [root], onNotice: (text) => notices.push(text) });
  const { rows } = await again.sql("SELECT count(*) FROM sessions");
  const counts = await collect(rows);
  expect(notices.join()).toContain("is damaged");
  if (counts[0]?.[0] === 0) await again.sync(); // the damage was found when it was opened
  expect(await collect((await again.sql("SELECT count(*) FROM sessions")).rows)).toEqual([[2]]);
});

test("the bundled library finds the SQL program", async () => {
  const { index } = await indexed(talk());
  const folder = temporaryFolder();
  symlinkSync(join(HOME, "node_modules"), join(folder, "node_modules"));
  const { library } = await import("../../../rolldown.config.ts");
  const { output, ...input } = library;
  await using bundle = await rolldown({ ...input, cwd: HOME });
  await bundle.write({ ...output, dir: join(folder, "dist") });
  const script = `const { openIndex } = await import(${JSON.stringify(join(folder, "dist/index.js"))});
    const index = await openIndex({ db: ${JSON.stringify(index.path)}, roots: [] });
    for await (const row of (await index.sql("SELECT count(*) FROM sessions")).rows) console.log(row);`;
  expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })).toBe("[ 1 ]\n");
});
