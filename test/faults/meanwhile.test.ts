/** Changes of files and folders while they are read: at a certain entry of a session that takes several reads. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { getRowWriter } from "../../indexer/apply-changes.ts";
import { discover } from "../../indexer/discover.ts";
import { compareWithDisk } from "../../indexer/find-changes.ts";
import { syncChanges } from "../../indexer/sync.ts";
import { toRoot } from "../../src/session/locations.ts";
import { dumpTables } from "../indexer/dump.ts";
import { databaseIn, rebuilt, syncFolders } from "../indexer/index-at.ts";
import { age, countOf, pathsIn, talk } from "../indexer/synced.ts";
import { broken, createWorkspace } from "./run-faults.ts";

/** Larger than one read, so that a change in the middle affects a later read. */
const READ_BYTES = 1 << 20;

function long(id = "long") {
  const draft = broken({ id });
  for (let n = 0; n < 40; n++) draft.user(`said ${n} ${"x".repeat(READ_BYTES / 10)}`);
  return draft;
}

/**
 * Syncs, and does something when some entry of a file has been read. Afterwards the neighbors are known, and the next
 * sync leaves the rows that a new index would have.
 */
async function syncWhile(act: (path: string) => void, atEntry = 3) {
  const { folder, root } = createWorkspace();
  const path = age(long().writeUnder(root));
  const db = await databaseIn(folder);
  const comparison = await compareWithDisk(db, [toRoot(root)]);
  let read = 0;
  const rowWriter = getRowWriter(db);
  const { addEntry } = rowWriter;
  rowWriter.addEntry = (file, ...rest) => {
    addEntry(file, ...rest);
    if (file.path === path && ++read === atEntry) act(path);
  };
  await syncChanges(db, comparison);
  rowWriter.addEntry = addEntry;
  expect(read).toBeGreaterThanOrEqual(atEntry);
  const known = db.writer.prepare("SELECT id FROM session WHERE entry_count = 5 ORDER BY id").pluck().all();
  expect(known).toEqual(["newer", "older"]);
  await syncFolders(db, root);
  expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  return { db, root, path };
}

const entriesOf = (db: Awaited<ReturnType<typeof databaseIn>>): number => countOf(db, "entry") - 2 * 5;

describe("while a file is read, it", () => {
  test("grows: the next sync reads the rest", async () => {
    const { db, path } = await syncWhile((path) =>
      appendFileSync(path, `${long().user("more").lines.at(-1)}\n`),
    );
    expect(readFileSync(path, "utf8")).toContain('"more"');
    expect(entriesOf(db)).toBe(41);
  });

  test("grows by half a line", async () => {
    const { db } = await syncWhile((path) => appendFileSync(path, '{"type":"message","id":"half'));
    expect(entriesOf(db)).toBe(40);
    expect(countOf(db, "problem")).toBe(1);
  });

  test.each([
    ["to the part that was read", 12],
    ["to less", 2],
    ["to nothing", 0],
  ])("shrinks, %s", async (_, lines) => {
    const { db } = await syncWhile((path) => {
      const kept = long()
        .lines.slice(0, lines)
        .map((line) => `${line}\n`);
      truncateSync(path, Buffer.byteLength(kept.join("")));
    });
    expect(entriesOf(db)).toBe(Math.max(0, lines - 1));
  });

  test("shrinks, then grows to the same size with other lines", async () => {
    const { db } = await syncWhile((path) => {
      const bytes = readFileSync(path, "utf8");
      truncateSync(path, 1_000);
      writeFileSync(path, bytes.replaceAll("said", "sent"));
    });
    expect(entriesOf(db)).toBe(40);
  });

  test("is rewritten in place", async () => {
    const { db } = await syncWhile((path) => writeFileSync(path, talk({ id: "replacement" }).text()));
    expect(entriesOf(db)).toBe(2);
  });

  test("is replaced", async () => {
    const { db } = await syncWhile((path) => {
      talk({ id: "other" }).write(`${path}.new`);
      renameSync(`${path}.new`, path);
    });
    expect(entriesOf(db)).toBe(2);
  });

  test("is deleted, with its folder", async () => {
    const { db } = await syncWhile((path) => {
      const moved = join(dirname(path), "..", "away");
      renameSync(dirname(path), moved);
      rmSync(join(moved, path.slice(dirname(path).length + 1)));
      renameSync(moved, dirname(path));
    });
    expect(entriesOf(db)).toBe(0);
  });

  test("becomes a dangling link", async () => {
    const { db, path } = await syncWhile((path) => {
      rmSync(path);
      symlinkSync("nowhere", path);
    });
    expect(
      db.writer.prepare("SELECT code FROM problem JOIN file ON file.id = file_id WHERE path = ?").all(path),
    ).toEqual([{ code: "unreadable" }]);
  });
});

describe("while folders are walked,", () => {
  /** Enough folders that a walk yields to the event loop in between. */
  const FOLDERS = 700;

  function many() {
    const workspace = createWorkspace();
    const folders = Array.from({ length: FOLDERS }, (_, n) => join(workspace.root, `--${n}--`));
    for (const [n, folder] of folders.entries()) {
      mkdirSync(folder, { recursive: true });
      if (n % 50 === 0) talk({ id: `talk-${n}` }).write(join(folder, "talk.jsonl"));
    }
    return { ...workspace, folders };
  }

  test("they are removed: the others are found, without a problem", async () => {
    const { folder, root, folders } = many();
    const db = await databaseIn(folder);
    await syncFolders(db, root);
    const walk = discover([toRoot(root)]);
    for (const each of folders) rmSync(each, { recursive: true });
    const { files, unlisted } = await walk;
    expect(unlisted).toEqual([]);
    expect(files.length).toBeGreaterThanOrEqual(2);
    expect(files.length).toBeLessThan(2 + FOLDERS / 50); // some were deleted before
    await syncFolders(db, root);
    expect(pathsIn(db)).toHaveLength(2);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("they are removed before files are read", async () => {
    const { folder, root, folders } = many();
    const db = await databaseIn(folder);
    const comparison = await compareWithDisk(db, [toRoot(root)]);
    for (const each of folders) rmSync(each, { recursive: true });
    expect(await syncChanges(db, comparison)).toMatchObject({ added: 2, faulty: 0, unlisted: [] });
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });
});
