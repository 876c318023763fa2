/** Changes that another process indexes first. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { openIndex, SessionManager } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

test("a sync reports that another handle changed the index, once", async () => {
  const root = join(temporaryFolder(), "root");
  const path = session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
  const open = async () => {
    const index = await openIndex({ db: join(root, "../index.db"), roots: [root] });
    onTestFinished(() => index.close());
    return index;
  };
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
