import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { session } from "../fixtures/builder.ts";
import { type Index, openIndex } from "../library/index.ts";
import { acquireLock } from "../src/store/sqlite/lock.ts";
import { talk } from "./indexer/synced.ts";
import { collect, failure } from "./query/opened-queries.ts";
import { temporaryFolder } from "./temporary.ts";

const CHILD = join(import.meta.dirname, "replaced-child.ts");

/** A root with sessions that get other row ids in a new index, because the oldest was indexed last. */
async function createWorkspace(turns = 3) {
  const folder = temporaryFolder();
  const [root, db] = [join(folder, "sessions"), join(folder, "index.db")];
  const notices: string[] = [];
  const open = async () => {
    const index = await openIndex({ db, roots: [root], onNotice: (text) => notices.push(text) });
    onTestFinished(() => index.close());
    return index;
  };
  const write = (id: string) => {
    const draft = session({ id });
    for (let n = 0; n < turns; n++) draft.user(`needle ${n} of ${id}`).assistant("It cost that.");
    return draft.writeUnder(root);
  };
  const index = await open();
  for (const id of ["b", "c"]) write(id);
  await index.sync();
  utimesSync(write("a"), 1e9, 1e9);
  await index.sync();
  return { db, root, index, open, notices };
}

describe("while an index is rebuilt by another process", () => {
  test("a running stream ends with an error instead of other rows' content", async () => {
    const { index, open } = await createWorkspace(400);
    const other = await open();
    const outcomeOf = async (pieces: AsyncGenerator<unknown>) => {
      await pieces.next();
      await other.rebuild();
      return failure(collect(pieces));
    };
    for (const pieces of [index.usageEvents(), index.scan({ substring: "needle" })]) {
      expect(await outcomeOf(pieces)).toMatchObject({
        code: "FILE_CHANGED",
        hint: expect.stringContaining("Sync the index"),
      });
    }
    expect(await collect(index.usageEvents())).toHaveLength(1_200);
  });

  test("a page from before has no next page", async () => {
    const { index } = await createWorkspace();
    const pages: ((cursor?: string) => Promise<{ next?: string }>)[] = [
      (cursor) => index.listAll({ limit: 1, cursor }),
      (cursor) => index.search("needle", { limit: 1, cursor }),
      (cursor) => index.searchEntries("needle", { limit: 1, cursor }),
    ];
    const nexts = await Promise.all(pages.map(async (page) => (await page()).next as string));
    for (const [n, page] of pages.entries()) await page(nexts[n]);
    await index.rebuild();
    for (const [n, page] of pages.entries()) {
      const error = await failure(page(nexts[n]));
      expect(error).toMatchObject({ code: "BAD_CURSOR", message: expect.stringContaining("was rebuilt") });
    }
    expect((await failure(index.listAll({ cursor: "no.cursor" }))).code).toBe("BAD_CURSOR");
  });

  test("a session's entries are complete because they come from its file", async () => {
    const { index } = await createWorkspace();
    const entries = index.entries("b");
    await entries.next();
    await index.rebuild();
    expect(await collect(entries)).toHaveLength(5);
  });
});

describe("a database that is deleted", () => {
  const ids = async (index: Index) => (await index.listAll()).sessions.map(({ id }) => id).sort();

  /** A process that has the index open, and queries it on command. */
  async function holder(db: string, root: string) {
    const child = spawn(process.execPath, [CHILD, db, root], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    return child;
  }
  const request = async (child: ChildProcess): Promise<unknown> => {
    child.send("list");
    return (await once(child, "message"))[0];
  };

  test.each([
    ["alone", [""]],
    ["with its log", ["", "-wal", "-shm"]],
  ])("%s, while two processes have it open: both use the same new one", async (_, sides) => {
    const { db, root, index } = await createWorkspace();
    const child = await holder(db, root);
    expect(await request(child)).toEqual(["a", "b", "c"]);
    for (const side of sides) rmSync(db + side, { force: true });
    talk({ id: "d" }).writeUnder(root);
    await index.sync();
    expect(await ids(index)).toEqual(["a", "b", "c", "d"]);
    expect(await request(child)).toEqual(["a", "b", "c", "d"]);
    const report = await index.verify();
    expect(report.differences).toEqual([]);
  });

  test("while another process builds a new one: missing files are reported", async () => {
    const { db, index, notices } = await createWorkspace();
    const lock = await acquireLock(db, "sync", { timeoutMs: 0 });
    renameSync(db, `${db}.gone`);
    expect(await ids(index)).toEqual([]);
    expect(notices).toEqual([expect.stringContaining("3 of 3 files are not indexed yet")]);
    lock?.release();
    await index.sync();
    expect(await ids(index)).toEqual(["a", "b", "c"]);
  });
});

test("closing an index ends its watches, and later calls fail because it is closed", async () => {
  const { index } = await createWorkspace();
  const watch = await index.watch();
  await index.close();
  await watch.closed;
  expect(await failure(index.listAll())).toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    hint: expect.stringContaining("Open"),
  });
  expect(await failure(index.sync())).toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});
