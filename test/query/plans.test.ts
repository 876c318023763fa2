import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import type { SearchOptions } from "../../library/index.ts";
import type { RankingWindows } from "../../query/search/prepare-search.ts";
import { searchEntries, searchSessions } from "../../query/search/search.ts";
import { toRoot } from "../../src/session/locations.ts";
import type { Statement as RecordedStatement } from "../../src/store/sql.ts";
import { CREATE_INDEXED_WORDS } from "../../src/store/sqlite/indexed-words.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, openThrowaway, syncFolders } from "../indexer/index-at.ts";
import { temporaryFolder } from "../temporary.ts";
import { FIXTURES } from "./opened-queries.ts";

/** A statement as SQLite runs it: its steps and number of rows. */
interface Statement {
  sql: string;
  values: readonly unknown[];
  steps: string[];
  rows: number;
}

/** Records the statements of searches over some folders. Plans do not depend on the size of the index, which has no statistics. */
function recordingSearches(database: Database, folders: readonly string[]) {
  const recorded: RecordedStatement[] = [];
  const db = Reader.of(database.readerHandle, (statement) => void recorded.push(statement));
  const store = new SqliteStore(db, { roots: folders.map(toRoot) });
  const statements = (): Statement[] =>
    recorded.splice(0).map(({ sql, values }) => {
      const all = <Row>(text: string) => database.readerHandle.prepare<unknown[], Row>(text).all(...values);
      const steps = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail);
      return { sql, values, steps, rows: all(sql).length };
    });
  return {
    sessions: async (query: string, options: SearchOptions = {}, windows?: RankingWindows) => {
      const { hitCount } = await searchSessions(store, query, options, windows);
      return { hitCount, statements: statements() };
    },
    entries: async (query: string, options: SearchOptions = {}) => {
      const { hitCount } = await searchEntries(store, query, options);
      return { hitCount, statements: statements() };
    },
  };
}

/** What is scanned completely: a table, or the words of all entries. */
function scanned(statements: readonly Statement[]): string[] {
  return statements.flatMap(({ steps }) =>
    steps.flatMap((step) => {
      const [, table = "", how = ""] = /^SCAN (\w+)\b ?(.*)$/.exec(step) ?? [];
      const isPart = steps.some(
        (other) => other === `CO-ROUTINE ${table}` || other === `MATERIALIZE ${table}`,
      );
      const isList = ["json_each", "requested", "candidate"].includes(table);
      const isLookedUp = /^VIRTUAL TABLE INDEX \d+:M/.test(how);
      if (table === "indexed_word" && !/INDEX 0:/.test(how)) return []; // a range of words
      if (table === "tag") return []; // whether there are any: one row
      return table === "" || table === "CONSTANT" || isPart || isList || isLookedUp ? [] : [table];
    }),
  );
}

const FOLDERS = [join(FIXTURES, "pi"), join(FIXTURES, "atomic")];

describe("no table is scanned", () => {
  let folder: string;
  let database: Database;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    database = await openThrowaway(join(folder, "index.db"));
    await syncFolders(database, FOLDERS);
    database.readerHandle.exec(CREATE_INDEXED_WORDS); // searches create it temporarily
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["a word", "tax", {}],
    ["a word that nothing holds", "qwertzuiop", {}],
    ["two words", "tax total", {}],
    ["words that only a session holds together", "receipt shop", {}],
    ["a phrase", '"the tax"', {}],
    ["a beginning", "ta*", {}],
    ["a pair of characters", "数据", {}],
    ["a word and what is left out", "tax -total", {}],
    ["a word, counted by facets", "tax", { facets: true }],
    ["the newest of a word", "tax", { sort: "newest" }],
    ["a word of one role", "tax", { role: "user" }],
    ["a word in one folder", "tax", { cwd: "/home/ada/shop" }],
    ["a word since a day", "tax", { since: "2026-01-01" }],
  ] as [string, string, SearchOptions][])("for %s", async (_, query, options) => {
    const index = recordingSearches(database, FOLDERS);
    const { statements } = await index.sessions(query, options);
    expect(scanned([...statements, ...(await index.entries(query, options)).statements])).toEqual([]);
    // SQLite replans a statement whenever such a parameter is bound.
    for (const { sql } of statements) expect(sql).not.toContain("LIMIT ?");
  });
});

describe("a search", () => {
  const over = async (talks: readonly Session[]) => {
    const root = temporaryFolder();
    for (const talk of talks) talk.writeUnder(root);
    const database = await databaseIn(temporaryFolder());
    await syncFolders(database, root);
    return recordingSearches(database, [root]);
  };
  const talks = (count: number) =>
    Array.from({ length: count }, (_, n) => {
      const timestamp = new Date(Date.UTC(2026, 0, 1, n)).toISOString();
      return session({ id: `talk${n}`, timestamp })
        .user("a needle in the hay")
        .assistant("the hay alone");
    });

  test("runs five statements, however many sessions have hits", async () => {
    for (const count of [1, 12]) {
      const index = await over(talks(count));
      const { hitCount, statements } = await index.sessions("needle", { strict: true });
      expect({ hitCount, statements: statements.length }).toEqual({ hitCount: count, statements: 5 });
    }
  });

  test("as you type reads no list of all words with a prefix, however many there are", async () => {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const words = letters.flatMap((a) => letters.map((b) => `needle${a}${b}`));
    const index = await over([...talks(3), session({ id: "words" }).user(words.join(" "))]);
    const { hitCount, statements } = await index.sessions("need*", { quick: true });
    expect(hitCount).toBe(4);
    expect(JSON.stringify(statements.map(({ values }) => values))).not.toContain("*");
  });

  test("reads only the hits of a window", async () => {
    const index = await over(talks(40));
    const { hitCount, statements } = await index.sessions("hay", { limit: 3 }, { first: 10, wide: 30 });
    expect(hitCount).toBe(10);
    const most = Math.max(...statements.map(({ rows }) => rows));
    expect(most).toBe(11); // the extra one shows that there are more
  });

  test("by a filter of many sessions reads the newest entries in order; of few, those of the sessions", async () => {
    const index = await over(talks(70));
    const sorted = async (query: string) => {
      const { hitCount, statements } = await index.sessions(query);
      expect(hitCount).toBeGreaterThan(0);
      const finding = statements.filter(({ sql }) => /AS words FROM entry JOIN/.test(sql));
      expect(finding.length).toBeGreaterThan(0);
      return finding.some(({ steps }) => steps.includes("USE TEMP B-TREE FOR ORDER BY"));
    };
    expect(await sorted("messages:>1 role:user")).toBe(false);
    expect(await sorted("session:talk7 role:user")).toBe(true);
  });

  test("reads more hits if a page is not full, each once", async () => {
    const index = await over(talks(40));
    const { hitCount, statements } = await index.sessions("hay", { limit: 8 }, { first: 10, wide: 30 });
    expect(hitCount).toBe(20);
    const windows = statements.filter(({ sql }) => sql.includes("FROM entry_text CROSS JOIN entry"));
    expect(windows.map(({ rows }) => rows)).toEqual([11, 11]);
  });
});
