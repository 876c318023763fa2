import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { migrations } from "../../../migrations/index.ts";
import { searchSessions } from "../../../query/search/search.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { type Database, openDatabase } from "../../../src/store/sqlite/open.ts";
import { Reader } from "../../../src/store/sqlite/reader.ts";
import type { Scope } from "../../../src/store/sqlite/scope.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { syncFolders } from "../../indexer/index-at.ts";

/** Words that begin with e, in so many entries together that the prefix is expanded. */
const ENTRIES = 700;
const WORDS = Array.from({ length: 320 }, (_, n) => `e${n.toString(36).padStart(3, "x")}`);

let db: Database;
let scope: Scope;
const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));

beforeAll(async () => {
  const root = join(folder, "root");
  const crowd = session({ id: "crowd", timestamp: "2026-01-01T00:00:00.000Z" });
  for (let n = 0; n < ENTRIES; n++) crowd.user(WORDS.join(" "));
  crowd.writeUnder(root);
  session({ id: "rare", timestamp: "2025-01-01T00:00:00.000Z" })
    .user("zebra and elephant")
    .assistant("quick brown fox, 数据库")
    .writeUnder(root);
  db = await openDatabase({ path: join(folder, "index.db"), migrations });
  await syncFolders(db, [root]);
  scope = { roots: [toRoot(root)] };
  return async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

/** Searches, and records the full-text expressions. */
async function searched(query: string, options: Parameters<typeof searchSessions>[2] = {}) {
  const expressions: string[] = [];
  const reader = Reader.of(db.readerHandle, ({ values }) => {
    expressions.push(...values.filter((value) => typeof value === "string"));
  });
  const answer = await searchSessions(new SqliteStore(reader, scope), query, options);
  return { ...answer, ids: answer.sessions.map((each) => each.session.id), expressions };
}

describe("a prefix of one or two letters that matches too many words", () => {
  test.each(["e*", "ex*", "e* e*", "zebra OR e*", '"exx0 e"*', "(e* OR role:user) the"])(
    "is searched by its most frequent words: %s",
    async (query) => {
      const { expressions, broadPrefixes } = await searched(query);
      expect(broadPrefixes).toEqual([query.includes("ex*") ? "ex" : "e"]);
      expect(expressions.filter((each) => /e(?:x)?" \*/.test(each))).toEqual([]);
    },
  );

  test("finds the most frequent words, and highlights all words with the prefix", async () => {
    const { ids, sessions } = await searched("e*");
    expect(ids).toEqual(["crowd"]);
    expect(sessions[0]?.hits[0]?.snippet.ranges.length).toBeGreaterThan(0);
  });

  test("excludes all words with the prefix", async () => {
    const { ids, broadPrefixes } = await searched("zebra -e*", { strict: true });
    expect([ids, broadPrefixes]).toEqual([[], undefined]);
  });

  test("uses the same words on every page", async () => {
    const first = await searched("e* OR zebra", { limit: 1 });
    const second = await searched("e* OR zebra", { limit: 1, cursor: first.next });
    expect([first.ids, second.ids].flat().sort()).toEqual(["crowd", "rare"]);
  });
});

test.each(["q*", "br*", "ele*", "exx0", "数*", "数"])(
  "a prefix of fewer words or with more letters, and a plain word, are searched unchanged: %s",
  async (query) => {
    const { ids, broadPrefixes } = await searched(query);
    expect(broadPrefixes).toBeUndefined();
    expect(ids).toHaveLength(1);
  },
);
