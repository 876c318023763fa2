import { appendFileSync } from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { expect, test } from "vitest";
import { acquireLock } from "../../../src/store/sqlite/lock.ts";
import { talk } from "../../indexer/synced.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidex } from "../cli.ts";

const AT_ONCE = { timeoutMs: 0 };

/** A root with an indexed session that has grown since. */
async function createOutdated() {
  const folder = temporaryFolder();
  const [root, db] = [join(folder, "sessions"), join(folder, "index.db")];
  const path = talk({ id: "one" }).writeUnder(root);
  const flags = ["--root", root, "--db", db];
  await pidex(["index", ...flags]);
  appendFileSync(path, '{"type":"session_info","id":"0000000a","name":"Afterwards"}\n');
  return { flags, db, path };
}

test("while another process indexes, a query uses the current index, and a notice says how far behind it is", async () => {
  const { flags, db } = await createOutdated();
  const lock = await acquireLock(db, "sync", AT_ONCE);
  const { exit, out, err } = await pidex(["list", ...flags]);
  expect([exit, out.includes("Is it whole?"), out.includes("Afterwards")]).toEqual([0, true, false]);
  expect(err).toContain("another pidex process is indexing");
  expect(err).toContain("results may be out of date for 1 of 1 files");
  lock?.release();
  expect((await pidex(["list", ...flags])).out).toContain("Afterwards");
});

test("without changes, a query doesn't wait for another process that indexes, and prints no notice", async () => {
  const { flags, db } = await createOutdated();
  // Shortly after a write equal times prove nothing, so each sync compares bytes.
  const handle = new SQLite(db, { readonly: true });
  do await pidex(["index", ...flags]);
  while (handle.prepare("SELECT racy FROM file").pluck().get() === 1);
  handle.close();
  const lock = await acquireLock(db, "sync", AT_ONCE);
  const { exit, err } = await pidex(["list", ...flags]);
  expect([exit, err]).toEqual([0, ""]);
  lock?.release();
});

test("pidex index waits until the other one is done", async () => {
  const { flags, db } = await createOutdated();
  const lock = await acquireLock(db, "sync", AT_ONCE);
  const indexing = pidex(["index", ...flags]);
  const first = await Promise.race([indexing, pidex(["list", ...flags]).then(() => "listed meanwhile")]);
  expect(first).toBe("listed meanwhile");
  lock?.release();
  expect((await indexing).out).toContain("1 appended");
});
