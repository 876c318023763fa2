import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import SQLite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import * as library from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

const INDEX = join(import.meta.dirname, "../../library/index.ts");
const talk = (id: string): Session => session({ id }).user(`needle in ${id}`).assistant("Found it.");

/** Sessions in a folder, and a function that opens an index over them and records its notices. */
function createWorkspace(...ids: string[]) {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const db = join(folder, "cache", "index.db");
  for (const id of ids) talk(id).writeUnder(root);
  const notices: string[] = [];
  const open = async (): Promise<library.Index> => {
    const index = await library.openIndex({ db, roots: [root], onNotice: (notice) => notices.push(notice) });
    onTestFinished(() => index.close());
    return index;
  };
  /** Creates a database with the sessions, and closes it. */
  const indexOnce = async () => {
    const index = await open();
    await index.sync();
    await index.close();
    expect(existsSync(`${db}-wal`)).toBe(false);
  };
  const asides = () => readdirSync(join(folder, "cache")).filter((name) => /\.broken-.*Z$/.test(name));
  return { folder, root, db, notices, open, indexOnce, asides };
}

describe("the library", () => {
  test("exports exactly these names", () => {
    expect(Object.keys(library).sort()).toEqual([
      "CURRENT_SESSION_VERSION",
      "PidexError",
      "SessionChangedError",
      "SessionManager",
      "USAGE_DIMENSIONS",
      "WEEKDAYS",
      "addFigures",
      "assertValidSessionId",
      "buildContextEntries",
      "buildSessionContext",
      "buildSessionProjection",
      "buildTree",
      "diagnose",
      "encodePath",
      "extractEntryText",
      "findMostRecentSession",
      "formatTerm",
      "formatValue",
      "getDefaultSessionDir",
      "getLatestCompactionEntry",
      "loadEntriesFromFile",
      "migrateSessionEntries",
      "openHub",
      "openIndex",
      "parseNestedCalls",
      "parseQuery",
      "parseSessionEntries",
      "projectContextEntry",
      "readUserPrices",
      "sessionEntryToContextMessages",
    ]);
  });

  test("has an example that runs", () => {
    const { root, db, folder } = createWorkspace("one", "two");
    const [, example = ""] = /@example\n([\s\S]*?)\n \*\//.exec(readFileSync(INDEX, "utf8")) ?? [];
    const code = example
      .replaceAll(/^ \* ?/gm, "")
      .replace('"pidex"', JSON.stringify(pathToFileURL(INDEX).href));
    expect(code).toContain("openIndex()");
    const script = join(folder, "example.mts");
    writeFileSync(script, code);
    const env = { ...process.env, HOME: folder, PIDEX_DB: db, PIDEX_ROOTS: root };
    const printed = execFileSync(process.execPath, [script], { env, encoding: "utf8" });
    expect(printed).toContain("needle in one");
    expect(printed).toContain("needle in two");
  });

  test("reports its database and its roots", async () => {
    const { open, db, root } = createWorkspace("one");
    const index = await open();
    expect([index.path, index.roots]).toEqual([db, [root]]);
  });

  test("closes at the end of a block, and can be closed twice", async () => {
    const { db, root } = createWorkspace("one");
    {
      await using index = await library.openIndex({ db, roots: [root] });
      await index.sync();
    }
    const index = await library.openIndex({ db, roots: [root] });
    await index.close();
    await index.close();
    expect(existsSync(`${db}-wal`)).toBe(false);
  });

  test.each(["rebuild", "verify"] as const)("closing aborts a %s, which leaves no files", async (name) => {
    const { db, root } = createWorkspace("one");
    const index = await library.openIndex({ db, roots: [root] });
    await index.sync();
    let closed: Promise<void> | undefined;
    const onProgress = () => {
      closed ??= index.close();
    };
    await expect(index[name]({ onProgress })).rejects.toThrow();
    await closed;
    expect(readdirSync(dirname(db)).filter((file) => file.includes("rebuild"))).toEqual([]);
  });

  test("before the first sync, queries see what an earlier process indexed", async () => {
    const { open, indexOnce } = createWorkspace("one");
    const index = await open();
    expect((await index.listAll()).sessions).toEqual([]);
    await index.close();
    await indexOnce();
    expect((await (await open()).listAll()).sessions).toHaveLength(1);
  });
});

describe("an abort signal", () => {
  test("that is already aborted rejects the sync with its reason", async () => {
    const index = await createWorkspace("one").open();
    const reason = new Error("enough");
    await expect(index.sync({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("stops a sync between two transactions; the next sync does the rest", async () => {
    const { open } = createWorkspace(...Array.from({ length: 1100 }, (_, n) => `s${n}`));
    const index = await open();
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(index.sync({ signal: controller.signal, onProgress })).rejects.toThrow("aborted");
    expect((await index.listAll({ limit: 1 })).total).toBe(1000);
    expect(await index.sync()).toMatchObject({ added: 100, skipped: 1000 });
  });
});

describe("several indexes over one database, at once", () => {
  test("three indexes each open, sync and return the same results", async () => {
    const { open, notices } = createWorkspace("one", "two", "three");
    const indexes = await Promise.all([open(), open(), open()]);
    const reports = await Promise.all(indexes.map((index) => index.sync()));
    expect(reports.reduce((sum, { added }) => sum + added, 0)).toBe(3);
    for (const index of indexes) {
      expect((await index.listAll()).sessions.map(({ id }) => id).sort()).toEqual(["one", "three", "two"]);
      expect((await index.search("needle")).hitCount).toBe(3);
    }
    expect(notices).toEqual([]);
  });

  test("see each other's syncs", async () => {
    const { open, root } = createWorkspace("one");
    const [one, two] = [await open(), await open()];
    await one.sync();
    talk("two").writeUnder(root);
    await two.sync();
    expect((await one.search("needle")).hitCount).toBe(2);
    expect(await one.sync()).toMatchObject({ added: 0, skipped: 2 });
  });
});

describe("a corrupt database", () => {
  /** Overwrites the pages from `first` up to but not including `last`, counted from 0. */
  function spoil(path: string, first: number, last = Number.POSITIVE_INFINITY): void {
    const bytes = readFileSync(path);
    bytes.fill(0xaa, first * 4096, Math.min(bytes.length, last * 4096));
    writeFileSync(path, bytes);
  }
  /** The first page of a table, counted from 1. */
  function pageOf(path: string, table: string): number {
    const handle = new SQLite(path, { readonly: true });
    const page = handle.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table);
    handle.close();
    return page as number;
  }
  const answer = async (index: library.Index) => [
    (await index.listAll()).sessions.map(({ id }) => id).sort(),
    (await index.search("needle")).hitCount,
    (await index.stats()).entries,
    (await index.tree("one")).length,
    (await index.context("one")).messages.length,
  ];
  const ANSWER = [["one", "two"], 2, 4, 1, 2];

  test("with a corrupt header is quarantined on opening, with a notice", async () => {
    const { open, indexOnce, db, notices, asides } = createWorkspace("one", "two");
    await indexOnce();
    spoil(db, 0);
    const index = await open();
    await index.sync();
    expect(await answer(index)).toEqual(ANSWER);
    expect(notices).toEqual([expect.stringContaining("is damaged")]);
    expect(asides()).toHaveLength(1);
  });

  test("with a corrupt page is quarantined by the sync that reads it, with a notice", async () => {
    const { open, indexOnce, db, notices, asides, root } = createWorkspace("one");
    await indexOnce();
    spoil(db, 2);
    talk("two").writeUnder(root);
    const index = await open();
    expect(await index.sync()).toMatchObject({ added: 2 });
    expect(await answer(index)).toEqual(ANSWER);
    expect(notices).toEqual([expect.stringContaining("is damaged")]);
    expect(asides()).toHaveLength(1);
    expect(statSync(join(db, "..", asides()[0] as string)).size).toBeGreaterThan(0);
  });

  test("is quarantined once, also by several concurrent queries", async () => {
    const { open, indexOnce, db, notices, asides } = createWorkspace("one", "two");
    await indexOnce();
    const page = pageOf(db, "session"); // opening does not read it
    spoil(db, page - 1, page);
    const index = await open();
    const calls = [index.listAll(), index.search("needle"), index.find("one"), index.stats(), index.sync()];
    await Promise.all(calls);
    expect(await answer(index)).toEqual(ANSWER);
    expect([notices.length, asides().length]).toEqual([1, 1]);
  });

  test("is rebuilt by a scan as by other queries, whichever page is corrupt", async () => {
    const { open, indexOnce, db, notices } = createWorkspace("one", "two");
    await indexOnce();
    const whole = `${db}.whole`;
    copyFileSync(db, whole);
    const pages = statSync(whole).size / 4096;
    for (let page = 2; page < pages; page++) {
      copyFileSync(whole, db);
      spoil(db, page, page + 1);
      const before = notices.length;
      const index = await open();
      const isNew = notices.length > before; // quarantined on opening: the new one has no files yet
      const lines: number[] = [];
      for await (const { line } of index.scan({ substring: "needle" })) lines.push(line);
      expect([page, ...lines]).toEqual(isNew ? [page] : [page, 2, 2]);
      await index.close();
    }
    expect(notices.length).toBeGreaterThan(2);
  });

  test("is rebuilt if a scan reads the corrupt page after the first hit, and the scan fails because hits are missing", async () => {
    const folder = temporaryFolder();
    const [root, db] = [join(folder, "sessions"), join(folder, "index.db")];
    for (const id of ["a", "b", "c"]) {
      const long = session({ id });
      for (let n = 0; n < 1_500; n++) long.user(`needle ${n}`);
      long.writeUnder(root);
    }
    const notices: string[] = [];
    const open = () => library.openIndex({ db, roots: [root], onNotice: (notice) => notices.push(notice) });
    await using first = await open();
    await first.sync();
    await first.close();
    const whole = new SQLite(db, { readonly: true });
    const leaves = whole
      .prepare("SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf' ORDER BY pageno")
      .pluck()
      .all() as number[];
    whole.close();
    const page = leaves[Math.floor(leaves.length / 2)] as number;
    spoil(db, page - 1, page);

    await using index = await open();
    const lines = async () => {
      const found: number[] = [];
      try {
        for await (const { line } of index.scan({ substring: "needle" })) found.push(line);
      } catch (error) {
        return { found, error };
      }
      return { found };
    };
    const { found, error } = await lines();
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(4_500);
    expect(error).toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      hint: expect.stringContaining("Repeat the request"),
    });
    expect(notices.join()).toContain("is damaged");
    await index.sync();
    expect((await lines()).found).toHaveLength(4_500);
  });

  test("never makes a query fail that a new database could answer, whichever page is corrupt", async () => {
    const { open, indexOnce, db } = createWorkspace("one", "two");
    await indexOnce();
    const whole = `${db}.whole`;
    copyFileSync(db, whole);
    const pages = statSync(whole).size / 4096;
    const wrong: unknown[] = [];
    for (let page = 1; page < pages; page++) {
      copyFileSync(whole, db);
      spoil(db, page, page + 1);
      const index = await open();
      try {
        await index.sync();
        expect(await answer(index)).toEqual(ANSWER);
      } catch (error) {
        wrong.push([page, error]);
      }
      await index.close();
    }
    expect(wrong).toEqual([]);
  });
});

describe("an argument of the wrong type is rejected immediately", () => {
  const wrong = {
    "openIndex(null)": () => library.openIndex(null as never),
    "openIndex({db: 5})": () => library.openIndex({ db: 5 as never }),
    "openIndex({roots: 'x'})": () => library.openIndex({ roots: "x" as never }),
  };
  test.each(Object.entries(wrong))("%s", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ name: "PidexError", code: "BAD_OPTION" });
  });

  const calls: Record<string, (index: library.Index) => unknown> = {
    "find(undefined)": (index) => index.find(undefined as never),
    "complete(null)": (index) => index.complete(null as never),
    "complete('x', 'y')": (index) => index.complete("x", "y" as never),
    "search('x', null)": (index) => index.search("x", null as never),
    "search(5)": (index) => index.search(5 as never),
    "searchEntries('x', 5)": (index) => index.searchEntries("x", 5 as never),
    "list('/', null)": (index) => index.list("/", null as never),
    "tree(5)": (index) => index.tree(5 as never),
    "spend(null)": (index) => index.spend(null as never),
    "forks('@last', null)": (index) => index.forks("@last", null as never),
    "forks('@last', {limit: 'x'})": (index) => index.forks("@last", { limit: "x" as never }),
    "labels(5)": (index) => index.labels(5 as never),
    "outline(null)": (index) => index.outline(null as never),
    "entry('@last', {})": (index) => index.entry("@last", {} as never),
    "children('@last', null)": (index) => index.children("@last", null as never),
    "sql(null)": (index) => index.sql(null as never),
    "sql('select 1', null)": (index) => index.sql("select 1", null as never),
    "sync(null)": (index) => index.sync(null as never),
    "sync({signal: 5})": (index) => index.sync({ signal: 5 as never }),
    "sync({onProgress: 5})": (index) => index.sync({ onProgress: 5 as never }),
    "sync({patienceMs: 'x'})": (index) => index.sync({ patienceMs: "x" as never }),
    "sync({patienceMS: 5})": (index) => index.sync({ patienceMS: 5 } as never),
    "sync({holdsWriterLock: true})": (index) => index.sync({ holdsWriterLock: true } as never),
    "syncFiles([], {patience: 5})": (index) => index.syncFiles([], { patience: 5 } as never),
    "rebuild({force: true})": (index) => index.rebuild({ force: true } as never),
    "verify({full: true})": (index) => index.verify({ full: true } as never),
    "watch({interval: 5})": (index) => index.watch({ interval: 5 } as never),
    "syncFiles(null)": (index) => index.syncFiles(null as never),
    "verify(null)": (index) => index.verify(null as never),
    "watch(null)": (index) => index.watch(null as never),
    "rebuild([])": (index) => index.rebuild([] as never),
    "scan(…, null)": (index) => index.scan({ substring: "x" }, null as never).next(),
    "secrets(null)": (index) => index.secrets(null as never).next(),
  };
  test.each(Object.entries(calls))("%s", async (_, call) => {
    const { open } = createWorkspace("a");
    const index = await open();
    await index.sync();
    await expect(call(index)).rejects.toMatchObject({ name: "PidexError", code: "BAD_OPTION" });
  });
});

test("a file behind a link out of the roots that is not a session is not quoted when it alone is synced", async () => {
  const { folder, root, open } = createWorkspace("one");
  writeFileSync(join(folder, "passwords"), "hunter2\n");
  const path = join(root, "link.jsonl");
  symlinkSync(join(folder, "passwords"), path);
  const index = await open();
  await index.syncFile(path);
  expect(await index.problems()).toMatchObject([{ path, code: "outside_roots", line: 0 }]);
});
