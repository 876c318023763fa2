/** Edits inside indexed files that size and times cannot distinguish from an append. */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import { BLOCK_BYTES } from "../../indexer/checksums.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { age, NO_CHANGES } from "./synced.ts";

const SECRET = "hunter2hunter2";
const MASKED = "**************";

/** A session of about `bytes` bytes, with a secret in the middle. Most of it is not searchable. */
function withSecret(bytes: number): Session {
  const draft = session({ id: "long" });
  const entries = 40;
  for (let n = 0; n < entries; n++) {
    if (n === entries >> 1) draft.user(`the password is ${SECRET}`);
    draft.entry({ type: "custom", customType: "filler", data: "x".repeat(bytes / entries) });
  }
  return draft;
}

/** Overwrites bytes in place: the inode and the size stay. */
function overwrite(path: string, old: string, by: string): void {
  const at = readFileSync(path).indexOf(old);
  expect(at).toBeGreaterThan(0);
  const fd = openSync(path, "r+");
  writeSync(fd, by, at);
  closeSync(fd);
}

const isFound = (db: Database, word: string): boolean =>
  db.writer.prepare("SELECT 1 FROM entry_text WHERE entry_text MATCH ?").get(`"${word}"`) !== undefined;

async function indexedSession(bytes: number) {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const draft = withSecret(bytes);
  const path = age(draft.writeUnder(root));
  const db = await databaseIn(folder);
  await syncFolders(db, root);
  await settle(db, root);
  expect(isFound(db, SECRET)).toBe(true);
  const expectFresh = async () =>
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  return { folder, root, draft, path, db, expectFresh };
}

/** Syncs until no file is compared any more. @returns the number of syncs */
async function settle(db: Database, root: string): Promise<number> {
  for (let n = 1; n < 1_000; n++) {
    const { bytesVerified, bytesRead } = await syncFolders(db, root);
    if (bytesVerified + bytesRead === 0) return n;
  }
  throw new Error("it never comes to rest");
}

describe("an edit in the middle of a session", () => {
  test("is found when a line was appended after it", async () => {
    const { root, draft, path, db, expectFresh } = await indexedSession(88_000);
    overwrite(path, SECRET, MASKED);
    draft.user("one more").appendTo(path);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, reindexed: 1 });
    expect(isFound(db, SECRET)).toBe(false);
    await expectFresh();
  });

  test("is found when the mtime was restored", async () => {
    const { root, path, db, expectFresh } = await indexedSession(88_000);
    const { atime, mtime } = statSync(path);
    overwrite(path, SECRET, MASKED);
    utimesSync(path, atime, mtime);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, reindexed: 1 });
    expect(isFound(db, SECRET)).toBe(false);
    await expectFresh();
  });

  test("is found when the mtime was restored and the file was renamed", async () => {
    const { root, path, db, expectFresh } = await indexedSession(88_000);
    const { atime, mtime } = statSync(path);
    overwrite(path, SECRET, MASKED);
    utimesSync(path, atime, mtime);
    renameSync(path, join(root, "renamed.jsonl"));
    await syncFolders(db, root);
    expect(isFound(db, SECRET)).toBe(false);
    await expectFresh();
  });

  test("is found when an editor wrote a new file over the old one", async () => {
    const { root, path, db, expectFresh } = await indexedSession(88_000);
    writeFileSync(`${path}.new`, readFileSync(path, "utf8").replace(SECRET, "nothing"));
    renameSync(`${path}.new`, path);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, reindexed: 1 });
    expect(isFound(db, SECRET)).toBe(false);
    await expectFresh();
  });

  test("is found in a large file within a day, by syncs that each read little", async () => {
    const { root, draft, path, db, expectFresh } = await indexedSession(24 * BLOCK_BYTES);
    overwrite(path, SECRET, MASKED);
    draft.user("one more").appendTo(path);
    for (let n = 0; n < 5 && isFound(db, SECRET); n++) {
      const { bytesVerified } = await syncFolders(db, root);
      expect(bytesVerified).toBeLessThanOrEqual(8 * BLOCK_BYTES);
    }
    expect(isFound(db, SECRET)).toBe(false);
    await expectFresh();
  });

  test("is found in a large file that grows before every sync", async () => {
    const { root, draft, path, db } = await indexedSession(24 * BLOCK_BYTES);
    overwrite(path, SECRET, MASKED);
    for (let n = 0; n < 5 && isFound(db, SECRET); n++) {
      draft.user(`more ${n}`).appendTo(path);
      await syncFolders(db, root);
    }
    expect(isFound(db, SECRET)).toBe(false);
  });

  test("is found by the first sync after a day, however large the file", async () => {
    const { root, draft, path, db } = await indexedSession(40 * BLOCK_BYTES);
    draft.user("one more").appendTo(path);
    await syncFolders(db, root);
    overwrite(path, SECRET, MASKED);
    draft.user("and more").appendTo(path);
    const { changes } = db.writer
      .prepare("UPDATE file SET unchecked_since = unchecked_since - 86400000 WHERE unchecked > 0")
      .run();
    expect(changes).toBe(1);
    await syncFolders(db, root);
    expect(isFound(db, SECRET)).toBe(false);
  });
});

describe("a file with unchanged bytes is not read again", () => {
  const same = { ...NO_CHANGES, skipped: 1, bytesRead: 0, linesRead: 0 };

  test.each<[string, (path: string) => void]>([
    ["when its mode changed", (path) => chmodSync(path, 0o600)],
    ["when its mtime changed", (path) => utimesSync(path, 1_700_000_000, 1_700_000_000.5)],
    [
      "when it was copied onto itself",
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path));
        renameSync(`${path}.new`, path);
      },
    ],
  ])("%s", async (_, change) => {
    const { root, path, db, expectFresh } = await indexedSession(88_000);
    change(path);
    expect(await syncFolders(db, root)).toMatchObject(same);
    await expectFresh();
    await settle(db, root);
    expect(await syncFolders(db, root)).toMatchObject({ ...same, bytesVerified: 0 });
  });

  test("if its device number changed, as after remounting", async () => {
    const { root, db, expectFresh } = await indexedSession(88_000);
    db.writer.exec("UPDATE file SET inode = '4711' || substr(inode, instr(inode, ':'))");
    expect(await syncFolders(db, root)).toMatchObject({ ...same, bytesVerified: 0 });
    await expectFresh();
    const inode = db.writer.prepare("SELECT inode FROM file").pluck();
    expect(inode.get()).not.toMatch(/^4711/);
  });

  test("after an append, except the new line", async () => {
    const { root, draft, path, db, expectFresh } = await indexedSession(88_000);
    const before = statSync(path).size;
    draft.user("one more").appendTo(path);
    expect(await syncFolders(db, root)).toMatchObject({
      ...NO_CHANGES,
      appended: 1,
      bytesRead: statSync(path).size - before,
      bytesVerified: before,
      linesRead: 1,
    });
    await expectFresh();
  });
});

test("checksums don't cover a torn last line", async () => {
  const { root, draft, path, db, expectFresh } = await indexedSession(BLOCK_BYTES);
  const line = `${draft.user("torn").lines.at(-1)}\n`;
  appendFileSync(path, line.slice(0, 20));
  await syncFolders(db, root);
  await expectFresh();
  appendFileSync(path, line.slice(20));
  expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, appended: 1, linesRead: 1 });
  await expectFresh();
});
