import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { searchSessions } from "../../../query/search/search.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, syncFolders } from "../../indexer/index-at.ts";
import { temporaryFolder } from "../../temporary.ts";

/** More entries than are counted per alternative, and than fit a window. */
const MANY = 2_100;

test("the only hit of a rare alternative comes first, however many new hits the other alternative has", async () => {
  const root = temporaryFolder();
  session({ id: "rare", timestamp: "2025-01-01T00:00:00.000Z" }).user("a zebra, once").writeUnder(root);
  for (const day of [1, 2, 3]) {
    const crowd = session({ id: `crowd${day}`, timestamp: `2026-01-0${day}T00:00:00.000Z` });
    for (let n = 0; n < MANY / 3; n++) crowd.user(`common ${n}`);
    crowd.writeUnder(root);
  }
  const db = await databaseIn(temporaryFolder());
  await syncFolders(db, [root]);
  const store = new SqliteStore(db.reader, { roots: [toRoot(root)] });
  for (const query of ["zebra OR common", "common OR zebra"]) {
    for (const exact of [false, true]) {
      const { sessions } = await searchSessions(store, query, { exact });
      expect([query, exact, sessions[0]?.session.id]).toEqual([query, exact, "rare"]);
      expect(sessions).toHaveLength(4);
    }
  }
  const paged: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { sessions, next } = await searchSessions(store, "common OR zebra", {
      limit: 1,
      cursor,
    });
    paged.push(...sessions.map((each) => each.session.id));
    cursor = next;
    if (cursor === undefined) break;
  }
  expect(paged[0]).toBe("rare");
  expect(new Set(paged).size).toBe(paged.length);
  expect(paged).toHaveLength(4);
});
