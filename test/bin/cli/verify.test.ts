import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { VerifyJson } from "../../../indexer/verify/verify-answer.ts";
import { acquireLock } from "../../../src/store/sqlite/lock.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { talk } from "../../indexer/synced.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { cellsOf, linesOf, pidexAt, strict } from "../cli.ts";

/** An index of one session, which tests then corrupt. */
async function indexed() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const path = talk().name("\u001b[31mTill").writeUnder(root);
  const pidex = pidexAt(root, folder);
  expect((await pidex(["index"])).exit).toBe(0);
  const changeIndex = (sql: string) => {
    const db = new DatabaseSync(join(folder, "index.db"));
    db.exec(sql);
    db.close();
  };
  return { pidex, path, root, folder, changeIndex };
}

test("an index that equals the files exits with 0, and reports it on a terminal only", async () => {
  const { pidex } = await indexed();
  expect(await pidex(["verify"])).toEqual({ exit: 0, out: "", err: "" });
  const { out, exit } = await pidex(["verify"], { columns: 80 });
  expect([exit, out]).toEqual([0, "compared 1 of 1 files, 3 entries: no differences\n"]);
});

test("differences are reported with exit 1; once repaired, exit 0", async () => {
  const { pidex, path, changeIndex } = await indexed();
  const wrong = "UPDATE session SET name = char(27) || 'elsewhere', entry_count = 7";
  changeIndex(wrong);
  const piped = await pidex(["verify"]);
  expect(piped.exit).toBe(1);
  expect(cellsOf(piped.out)).toEqual([
    [path, "", "session", "name", "differs", "␛elsewhere", "␛[31mTill"],
    [path, "", "session", "entry_count", "differs", "7", "3"],
  ]);
  expect(piped.err).toContain("pidex verify --repair");

  const shown = await pidex(["verify", "--repair"], { columns: 80 });
  expect(shown).toMatchObject({ exit: 0, err: "" });
  expect(shown.out).toContain("no differences\n\nrepaired 1 file, which had these differences:\n");
  expect(shown.out).toContain("  session.entry_count is 7, expected 3\n");
  expect(shown.out).not.toContain("\u001b");
});

test("its JSON matches the schema", async () => {
  const { pidex, path, changeIndex } = await indexed();
  changeIndex("DELETE FROM event; UPDATE entry SET role = NULL");
  const { exit, out } = await pidex(["verify", "--json"]);
  const { schema, verification } = JSON.parse(out);
  expect([exit, schema]).toEqual([1, 1]);
  expect(strict(VerifyJson).parse(verification)).toMatchObject({
    compared: 1,
    differenceCount: 4,
  });
  const lines = (await pidex(["verify", "--ndjson"])).out.split("\n").slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).path)).toEqual([path, path, path, path]);

  const repaired = JSON.parse((await pidex(["verify", "--json", "--repair"])).out).verification;
  expect(strict(VerifyJson).parse(repaired)).toMatchObject({ differenceCount: 0, repairedFiles: 1 });
});

test("appended lines are indexed first, except with --no-sync", async () => {
  const { pidex, path } = await indexed();
  appendFileSync(path, `${talk().lines.at(-1)}\n`);
  const behind = await pidex(["verify", "--no-sync"]);
  expect(behind.exit).toBe(1);
  expect(cellsOf(behind.out)).toContainEqual([path, "5", "entry", "", "missing", "", ""]);
  expect((await pidex(["verify"])).exit).toBe(0);
  expect((await pidex(["verify", "--no-sync"])).exit).toBe(0);
});

test("Ctrl+C ends it at once, also during a statement of SQLite, and leaves no unfinished index", async () => {
  const { pidex, path, root, folder } = await indexed();
  const file = join(folder, "index.db");
  appendFileSync(path, `${talk().lines.at(-1)}\n`);
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE"); // the statement that waits for it blocks its thread for ten seconds
  const isLocked = async () => {
    const lock = await acquireLock(file, "sync", { timeoutMs: 0 });
    lock?.release();
    return !lock;
  };
  const child = spawn(process.execPath, [BUILT_PIDEX, "verify", "--root", root, "--db", file]);
  let err = "";
  child.stderr.on("data", (data) => {
    err += data;
  });
  const closed = once(child, "close");
  await waitUntil("it syncs", isLocked);
  const pressedAt = performance.now();
  child.kill("SIGINT");
  const [code] = await closed;
  expect(performance.now() - pressedAt).toBeLessThan(2_000);
  expect([code, linesOf(err)]).toEqual([130, ["pidex: interrupted before all files were compared"]]);
  other.exec("COMMIT");
  other.close();
  await waitUntil("the other process has ended", async () => !(await isLocked()));
  expect(existsSync(`${file}.rebuild`)).toBe(false);
  expect((await pidex(["verify"])).exit).toBe(0);
}, 30_000);

test("words without an entry are repaired too", async () => {
  const { pidex, changeIndex } = await indexed();
  changeIndex("INSERT INTO entry_text (rowid, said) SELECT id, 'twice' FROM entry LIMIT 1");
  const { exit, err } = await pidex(["verify"]);
  expect(exit).toBe(1);
  expect(err).toContain("pidex rebuild");
  expect((await pidex(["verify", "--repair"])).exit).toBe(0);
  expect((await pidex(["verify"])).exit).toBe(0);
});

test("a word that may be a key is masked", async () => {
  const { pidex, changeIndex } = await indexed();
  changeIndex(
    `INSERT INTO entry_text (rowid, said) SELECT id, '${"aB3x9Q".repeat(6)} it whole' FROM entry LIMIT 1`,
  );
  const { out } = await pidex(["verify"]);
  expect(out).toContain("[redacted]: 1 in 1 entries");
  expect(out).not.toMatch(/aB3x9Q/i);
});

test("no format of the result contains a secret, truncated or complete", async () => {
  const body = "aB3x9Q".repeat(6);
  const key = ["gh", "p_", body].join("");
  const long = `${"a ".repeat(20)}${key}`;
  const url = `see redis://:${"8fj3kd92".repeat(8)}@cache`;
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  for (const [n, name] of [key, long, url, `\u001b[31m${key}`].entries()) {
    talk()
      .name(name)
      .write(join(root, `--p--/${n}.jsonl`));
  }
  talk().user(`use ${key}`).write(join(root, "--p--/words.jsonl"));
  const run = pidexAt(root, folder);
  await run(["index"]);
  const wrong = `UPDATE session SET name = 'DB_PASSWORD=${["tr0ub", "4dor3"].join("")}' WHERE name IS NOT NULL;
    DELETE FROM entry_text; INSERT INTO entry_text (rowid, said) SELECT id, 'other' FROM entry`;
  const db = new DatabaseSync(join(folder, "index.db"));
  db.exec(wrong);
  db.close();
  expect((await run(["verify"])).out).toContain("[redacted github]");
  const forms = [[], ["--json"], ["--ndjson"]];
  for (const form of [...forms, ["--json", "--repair"]]) {
    for (const surface of [{}, { columns: 200 }]) {
      const { out, err } = await run(["verify", ...form], surface);
      expect(out + err).not.toMatch(/aB3x9Q|8fj3kd92|tr0ub/i);
    }
  }
});
