import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn, syncFolders } from "./index-at.ts";

/** A session with tags in its own folder, and its index. */
async function createTagged() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const talk = session()
    .user("Hello.")
    .custom("pidex", { pinned: true, tags: ["Später", "b"] });
  const path = talk.writeUnder(root);
  const db = await databaseIn(folder);
  await syncFolders(db, root);
  const readMetadata = () => ({
    session: db.writer.prepare("SELECT pinned, archived FROM session").raw().get(),
    tags: db.writer.prepare("SELECT ordinal, tag, folded FROM tag ORDER BY ordinal").raw().all(),
  });
  return { db, root, talk, path, readMetadata };
}

test("a session's metadata becomes rows", async () => {
  const { readMetadata } = await createTagged();
  expect(readMetadata()).toEqual({
    session: [1, 0],
    tags: [
      [0, "Später", "später"],
      [1, "b", "b"],
    ],
  });
});

test("a later line changes the metadata, and only that line is read", async () => {
  const { db, root, talk, path, readMetadata } = await createTagged();
  const before = talk.bytes().length;
  talk.custom("pidex", { archived: true, tags: ["b", "c"] }).appendTo(path);
  const { bytesRead, linesRead, appended } = await syncFolders(db, root);
  expect({ bytesRead, linesRead, appended }).toEqual({
    bytesRead: talk.bytes().length - before,
    linesRead: 1,
    appended: 1,
  });
  expect(readMetadata()).toEqual({
    session: [1, 1],
    tags: [
      [0, "b", "b"],
      [1, "c", "c"],
    ],
  });
});

test("a later line without metadata keeps it, also on an abandoned branch", async () => {
  const { db, root, talk, path, readMetadata } = await createTagged();
  const before = readMetadata();
  talk
    .branch(null)
    .user("Something else.")
    .custom("pidex", { pinned: "no", tags: [5] })
    .appendTo(path);
  await syncFolders(db, root);
  expect(readMetadata()).toEqual(before);
  talk.custom("pidex", { tags: [] }).appendTo(path);
  await syncFolders(db, root);
  expect(readMetadata()).toEqual({ ...before, tags: [] });
});

test("tags are deleted with their file", async () => {
  const { db, root, talk, path, readMetadata } = await createTagged();
  session({ id: talk.id }).user("Anew.").write(path);
  await syncFolders(db, root);
  expect(readMetadata()).toEqual({ session: [0, 0], tags: [] });
});
