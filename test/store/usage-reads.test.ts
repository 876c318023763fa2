import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { toRoot } from "../../src/session/locations.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openThrowaway, syncFolders } from "../indexer/index-at.ts";
import { temporaryFolder } from "../temporary.ts";

/** Reads of an index of ten sessions in `inside`, and one in another folder, which the reader may not see. */
async function openReads() {
  const folder = temporaryFolder();
  const [inside, outside] = [join(folder, "inside"), join(folder, "outside")];
  for (let n = 0; n < 10; n++)
    session({ id: `s-${n}` })
      .user(`Question ${n}.`)
      .writeUnder(inside);
  session({ id: "hidden" }).user("A secret question.").writeUnder(outside);
  const database = await openThrowaway(join(folder, "index.db"));
  onTestFinished(() => database.close());
  await syncFolders(database, [inside, outside]);
  return new SqliteStore(database.reader, { roots: [toRoot(inside)] }).usage();
}

test.each([1, 10])("returns the names of the requested sessions (%i of 10)", async (count) => {
  const reads = await openReads();
  const files = (await reads.members()).slice(0, count).map(({ file }) => file);
  const names = await reads.sessionNames(files);
  expect(names.map(({ file_id }) => file_id).sort()).toEqual(files.sort());
  for (const { id, first_message } of names) expect(first_message).toBe(`Question ${id.slice(2)}.`);
});

test("a reader sees only the sessions and events in scope", async () => {
  const reads = await openReads();
  expect(await reads.members()).toHaveLength(10);
  const sessions: string[] = [];
  for await (const page of reads.events({ withTurns: true, matches: () => true })) {
    sessions.push(...page.map(({ session_id }) => session_id));
  }
  expect(sessions.sort()).toEqual(Array.from({ length: 10 }, (_, n) => `s-${n}`));
});
