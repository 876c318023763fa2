/** Changes that another process indexes first. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { openIndex, SessionManager } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

/** A session, and a function that opens its index once more. */
function writeIndexed() {
  const root = join(temporaryFolder(), "root");
  const path = session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
  const open = async () => {
    const index = await openIndex({ db: join(root, "../index.db"), roots: [root] });
    onTestFinished(() => index.close());
    return index;
  };
  return { path, open };
}

test("the first sync reports what another handle changed since the index was opened", async () => {
  const { path, open } = writeIndexed();
  const other = await open();
  await other.sync();
  const mine = await open();
  SessionManager.open(path).setPinned(true);
  await other.syncFiles([path]); // after `mine` may have read the list
  expect(await mine.sync()).toMatchObject({ appended: 0, changedElsewhere: true });
});

test("a first index is its own change, also if it is written on a connection of its own", async () => {
  const root = join(temporaryFolder(), "root");
  for (let n = 0; n < 2000; n++)
    session({ id: `s${n}` })
      .user("Why?")
      .writeUnder(root);
  const index = await openIndex({ db: join(root, "../index.db"), roots: [root] });
  onTestFinished(() => index.close());
  const first = await index.sync();
  expect(first.added).toBe(2000);
  expect(first.changedElsewhere).toBeUndefined();
});

test("a sync reports that another handle changed the index, once", async () => {
  const { path, open } = writeIndexed();
  const [mine, other] = [await open(), await open()];
  expect((await mine.sync()).changedElsewhere).toBeUndefined();
  expect((await mine.sync()).changedElsewhere).toBeUndefined();
  SessionManager.open(path).setPinned(true);
  await other.syncFiles([path]);
  expect(await mine.sync()).toMatchObject({ appended: 0, changedElsewhere: true });
  expect((await mine.sync()).changedElsewhere).toBeUndefined();
  // Its own changes are not from elsewhere.
  SessionManager.open(path).setPinned(false);
  const own = await mine.syncFiles([path]);
  expect(own).toMatchObject({ appended: 1 });
  expect(own.changedElsewhere).toBeUndefined();
  expect((await mine.sync()).changedElsewhere).toBeUndefined();
  // A sync of some files, as a watch makes it.
  SessionManager.open(path).setPinned(true);
  await other.syncFiles([path]);
  expect(await mine.syncFiles([path])).toMatchObject({ appended: 0, changedElsewhere: true });
});
