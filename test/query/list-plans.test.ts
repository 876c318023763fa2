import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Index, openIndex, USAGE_DIMENSIONS } from "../../library/index.ts";
import { measureSqlite, type SqliteWork } from "../bench/statements.ts";
import { FIXTURES } from "./opened-queries.ts";

let folder: string;
let index: Index;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  const roots = ["pi", "atomic", "flat", "broken"].map((root) => join(FIXTURES, root));
  index = await openIndex({ db: join(folder, "index.db"), roots });
  await index.sync();
});

afterAll(async () => {
  await index.close();
  rmSync(folder, { recursive: true });
});

/** The tables that grow with entries, not only with sessions. */
const BIG = /\b(entry|event|entry_text|touch|tool_call)\b/;

/** The names of tables that were scanned. */
function scanned({ plans }: SqliteWork): string[] {
  return [...plans].flatMap(([sql, steps]) =>
    steps.flatMap((step) => {
      const alias = /^SCAN (\w+)/.exec(step)?.[1];
      if (alias === undefined || step.includes("VIRTUAL TABLE") || steps.includes(`CO-ROUTINE ${alias}`)) {
        return [];
      }
      return new RegExp(`(?:FROM|JOIN) (\\w+) AS ${alias}\\b`).exec(sql)?.[1] ?? alias;
    }),
  );
}

/** How a query accesses the session table. */
function wayToSessions({ plans }: SqliteWork): string[] {
  return [...plans.values()]
    .map((steps) => steps.find((step) => /^(SCAN|SEARCH) session /.test(step)))
    .filter((step) => step !== undefined);
}

const SORTS = ["modified", "created", "messages", "cost", "name", "size"] as const;
const QUERIES: [what: string, run: () => Promise<unknown>][] = [
  ["a list", () => index.listAll()],
  ["a list of all there are", () => index.listAll({ subagents: "yes", archived: "yes" })],
  ...SORTS.map((sort): [string, () => Promise<unknown>] => [
    `a page by ${sort}`,
    () => index.listAll({ sort, order: "oldest", limit: 3 }),
  ]),
  ["a page with pins first", () => index.listAll({ pinnedFirst: true, limit: 3 })],
  ["a list with every filter", () => index.listAll({ ...FILTERS })],
  ["the list of a directory", () => index.list("/home/ada/shop")],
  ["the last session", () => index.find("@last")],
  ["a session by the start of its id", () => index.find("fork-a").catch(() => undefined)],
  ["files", () => index.files("*.ts", { limit: 3 })],
  ["labels", () => index.labels()],
  ["problems", () => index.problems()],
  ["stats", () => index.stats()],
  ...USAGE_DIMENSIONS.map((by): [string, () => Promise<unknown>] => [
    `usage by ${by}`,
    () => index.usage({ by: [by] }),
  ]),
];
const FILTERS = {
  ...{ project: "shop", model: "opus", since: "2026-01-01", until: "2027-01-01", named: true, tags: ["a*"] },
  ...{ labeled: true, pinned: false, internal: false, problems: false },
};

test.each(QUERIES)("%s scans no table that grows with the entries", async (_, run) => {
  for (const table of scanned(await measureSqlite(run))) expect(table).not.toMatch(BIG);
});

describe("sessions, newest first,", () => {
  const sorts = ({ plans }: SqliteWork) =>
    [...plans.values()].flat().filter((step) => step === "USE TEMP B-TREE FOR ORDER BY").length;

  test("are read in index order, without sorting", async () => {
    const list = await measureSqlite(() => index.listAll());
    expect(wayToSessions(list)).toEqual(["SCAN session USING INDEX session_modified"]);
    expect(sorts(list)).toBe(1); // possible callers of a subagent
  });

  test("of a page read only its rows and one more", async () => {
    const all = await index.listAll();
    const { result, rows } = await measureSqlite(() => index.listAll({ limit: 3 }));
    const others = 5; // database identity before and after, its version, the total, and one extra row
    expect(rows).toBe(3 + others);
    expect(result.sessions).toEqual(all.sessions.slice(0, 3));
    expect(all.total).toBeGreaterThan(3 * others);
  });

  test("of a page with pins first are neither sorted nor scanned", async () => {
    const { result, rows, plans } = await measureSqlite(() => index.listAll({ pinnedFirst: true, limit: 3 }));
    expect(rows).toBe(result.sessions.length + 5);
    const steps = [...plans.values()].find((each) => each.includes("COMPOUND QUERY")) ?? [];
    const walked = steps.filter((step) => /^SCAN session /.test(step));
    expect(new Set(walked)).toEqual(new Set(["SCAN session USING INDEX session_modified"]));
  });

  test("of the next page are looked up where the previous one ended", async () => {
    const { next } = await index.listAll({ limit: 3 });
    const list = await measureSqlite(() => index.listAll({ limit: 3, ...(next && { cursor: next }) }));
    expect(wayToSessions(list)[0]).toBe("SEARCH session USING INDEX session_modified (modified<?)");
    expect(sorts(list)).toBe(1);
  });

  test("of one directory are looked up by directory", async () => {
    const list = await measureSqlite(() => index.list("/home/ada/shop"));
    expect(wayToSessions(list)).toEqual(["SEARCH session USING INDEX session_cwd (cwd=?)"]);
  });

  test("end with @last as soon as it is found", async () => {
    const found = await measureSqlite(() => index.find("@last"));
    expect(wayToSessions(found)).toEqual(["SCAN session USING INDEX session_modified"]);
    expect(sorts(found)).toBe(1);
    const { sessions } = await index.listAll({ limit: 1, archived: "yes" });
    expect([found.result]).toEqual(sessions);
  });
});
