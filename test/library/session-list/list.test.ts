import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { listFolder, listProjects } from "../../../library/session-list.ts";
import type { SessionInfo } from "../../../query/answers.ts";
import { findMostRecentSession } from "../../../src/session/writing/find-sessions.ts";
import { manySessions, talk } from "../../indexer/synced.ts";
import { FIXTURES } from "../../query/opened-queries.ts";
import { collectProblems, createWorkspace, NOWHERE, pathsOf } from "./listed.ts";
import { foldersIn, piFields, readFolders } from "./read-all.ts";

const ROOTS = ["pi", "atomic", "flat", "scripts", "broken"].map((name) => join(FIXTURES, name));

describe("a list matches the files", () => {
  test.each(ROOTS)("of the folders in %s, also when repeated", async (root) => {
    const { db } = createWorkspace();
    const { problems, onProblem } = collectProblems();
    for (const _ of ["first", "again"]) {
      const sessions = await listProjects(root, { db, onProblem });
      expect(sessions.map(piFields)).toEqual(readFolders(...foldersIn(root)));
    }
    expect(problems).toEqual([]);
  });

  test.each(ROOTS)("of %s and of each folder in it", async (root) => {
    const { db } = createWorkspace();
    for (const folder of [root, ...foldersIn(root)]) {
      expect((await listFolder(folder, { db })).map(piFields)).toEqual(readFolders(folder));
    }
  });

  test.each(ROOTS)("of %s, in all fields, without an index", async (root) => {
    const { db } = createWorkspace();
    for (const list of [listFolder, listProjects]) {
      const expected = (await list(root, { db })).map(({ startedBy: _, ...fields }) => fields);
      expect(await list(root, { db: NOWHERE })).toEqual(expected);
    }
  });

  test("of files with odd names, and of files that only look like sessions", async () => {
    const { root, db } = createWorkspace();
    const folder = join(root, "--home-ada-shop--");
    for (const name of [".hidden.jsonl", "数据.jsonl", "a b.jsonl", "capital.JSONL", "notes.txt"]) {
      talk({ id: name }).write(join(folder, name));
    }
    talk({ id: "inside" }).write(join(folder, "folder.jsonl", "inside.jsonl"));
    writeFileSync(join(folder, "empty.jsonl"), "");
    writeFileSync(join(folder, "junk.jsonl"), "junk\n");
    symlinkSync(join(root, "nowhere"), join(folder, "dangling.jsonl"));
    symlinkSync("self.jsonl", join(folder, "self.jsonl"));
    symlinkSync("../../nowhere", join(root, "dangling"));
    symlinkSync(".hidden.jsonl", join(folder, "link.jsonl"));
    if (process.platform !== "win32") execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    const names = [".hidden.jsonl", "a b.jsonl", "link.jsonl", "数据.jsonl"].map((name) =>
      join(folder, name),
    );
    for (const options of [{ db }, { db }, { db: NOWHERE }, { db, allMessagesText: "included" as const }]) {
      for (const sessions of [await listFolder(folder, options), await listProjects(root, options)]) {
        expect(pathsOf(sessions).sort()).toEqual(names.sort());
        expect(sessions.map(piFields)).toEqual(readFolders(folder));
      }
    }
  });

  test.each([
    ["in a line of over 1 MiB", {}, 0],
    ["after an invalid line of over 1 MiB", { before: ["#".repeat((1 << 20) + 1)] }, 2],
    ["after over 1 MiB of invalid lines", { before: Array(1_100).fill("#".repeat(1023)) }, 1_026],
    ["after over 1 MiB of blank lines", { before: ["\n".repeat(1 << 20)] }, 1],
  ])(
    "of a session whose header comes %s",
    async (where, { before = [] }: { before?: string[] }, problems) => {
      const { root, db } = createWorkspace();
      const folder = join(root, "--home-ada-shop--");
      const note = where.startsWith("in") ? "x".repeat(1 << 20) : "";
      const path = join(folder, "late.jsonl");
      session({ id: "late", before, header: { note } }).user("one").assistant("two").write(path);
      for (const options of [{ db }, { db }, { db: NOWHERE }]) {
        const [found] = await listFolder(folder, options);
        expect(found).toMatchObject({ path, id: "late", messageCount: 2, problemCount: problems });
      }
      const index = await openIndex({ db, roots: [root] });
      await index.sync();
      expect((await index.listAll()).sessions).toMatchObject([{ path, problemCount: problems }]);
      const codes = (await index.problems(path)).map(({ code }) => code);
      expect(codes.filter((code) => code === "late_header")).toHaveLength(problems > 0 ? 1 : 0);
      await index.close();
      expect(findMostRecentSession(folder)).toBe(path);
    },
  );

  test("of text that SQLite does not store unchanged", async () => {
    const { root, db } = createWorkspace();
    const half = session({ id: "half \ud800 pair", cwd: "/home/\udc00" })
      .user("a lone \ud83d surrogate")
      .name("a \ude00 name");
    half.write(join(root, "half.jsonl"));
    session({ id: "nul\0" }).user("a \0 and a \ufffd").write(join(root, "nul.jsonl"));
    const sessions = await listFolder(root, { db });
    expect(sessions.map(piFields)).toEqual(readFolders(root));
    expect(sessions.find(({ path }) => path.endsWith("half.jsonl"))?.firstMessage).toBe(
      "a lone \ud83d surrogate",
    );
  });

  test("of a project folder that is a link, under the link's path", async () => {
    const { folder, root, db } = createWorkspace();
    const real = talk({ id: "one", cwd: "/home/ada/shop" }).writeUnder(root);
    const far = talk({ id: "two" }).writeUnder(join(folder, "elsewhere"));
    symlinkSync(dirname(real), join(root, "link"));
    symlinkSync(dirname(far), join(root, "far"));
    const sessions = await listProjects(root, { db });
    expect(sessions.map(piFields)).toEqual(readFolders(...foldersIn(root)));
    expect(sessions).toHaveLength(3);
    expect(await listFolder(join(root, "far"), { db })).toHaveLength(1);
  });

  test("of two sessions with one id", async () => {
    const { root, db } = createWorkspace();
    const path = talk({ id: "one" }).writeUnder(root);
    mkdirSync(join(root, "other"));
    copyFileSync(path, join(root, "other", "copy.jsonl"));
    const sessions = await listProjects(root, { db });
    expect(pathsOf(sessions).sort()).toEqual([path, join(root, "other", "copy.jsonl")].sort());
  });

  test("with archived sessions and those of subagents, but not of subfolders", async () => {
    const { root, db } = createWorkspace();
    const archive = { type: "custom", customType: "pidex", data: { archived: true } };
    const archived = talk({ id: "archived" }).entry(archive).write(join(root, "archived.jsonl"));
    const artifacts = join(root, "--home-ada-shop--", "subagent-artifacts");
    const subagent = talk({ id: "subagent" }).write(join(artifacts, "subagent.jsonl"));
    expect(await listFolder(root, { db })).toMatchObject([{ path: archived, archived: true }]);
    expect(await listFolder(artifacts, { db })).toMatchObject([{ path: subagent, subagent: true }]);
    expect(await listFolder(artifacts, { db: NOWHERE })).toMatchObject([{ path: subagent, subagent: true }]);
    expect(await listProjects(root, { db })).toEqual([]);
  });

  test("of a working directory, with any form of its path", async () => {
    const { root, db } = createWorkspace();
    const mine = talk({ id: "mine", cwd: "/home/ada/shop/" }).write(join(root, "mine.jsonl"));
    talk({ id: "other", cwd: "/home/ada/shop-2" }).write(join(root, "other.jsonl"));
    talk({ id: "none", header: { cwd: undefined } }).write(join(root, "none.jsonl"));
    for (const cwd of ["/home/ada/shop", "/home/ada/blog/../shop/"]) {
      expect(pathsOf(await listFolder(root, { db, cwd }))).toEqual([mine]);
      expect(pathsOf(await listFolder(root, { db: NOWHERE, cwd }))).toEqual([mine]);
    }
    expect(await listFolder(root, { db, cwd: process.cwd() })).toEqual([]);
    expect(await listFolder(root, { db })).toHaveLength(3);
  });

  test("of a missing folder or a file is empty, and creates no index", async () => {
    const { folder, root } = createWorkspace();
    writeFileSync(join(folder, "file"), "");
    const { problems, onProblem } = collectProblems();
    expect(await listFolder(root, { db: NOWHERE, onProblem })).toEqual([]);
    expect(await listProjects(root, { db: NOWHERE, onProblem })).toEqual([]);
    expect(problems).toEqual([]);
    expect(await listFolder(join(folder, "file"), { db: join(folder, "index.db") })).toEqual([]);
  });
});

describe("allMessagesText", () => {
  test("is read on first access", async () => {
    const { root, db } = createWorkspace();
    const path = talk().write(join(root, "a.jsonl"));
    const [lazy] = await listFolder(root, { db });
    expect(JSON.stringify(lazy)).not.toContain("allMessagesText");
    expect(lazy?.allMessagesText).toBe("Is it whole? It is.");
    rmSync(path);
    expect(() => lazy?.allMessagesText).toThrow(expect.objectContaining({ code: "FILE_UNREADABLE" }));
  });

  test.each(["the index", "no index"])("included survives copies, from %s", async (from) => {
    const { root, db } = createWorkspace();
    talk().write(join(root, "a.jsonl"));
    const options = { db: from === "the index" ? db : NOWHERE, allMessagesText: "included" as const };
    const [included] = await listFolder(root, options);
    for (const copy of [JSON.parse(JSON.stringify(included)), structuredClone(included), { ...included }]) {
      expect(copy).toHaveProperty("allMessagesText", "Is it whole? It is.");
    }
    expect((await listFolder(root, options)).map(piFields)).toEqual(readFolders(root));
  });

  test("included does not change the other fields", async () => {
    const { db } = createWorkspace();
    const [root = ""] = ROOTS;
    const lazy = await listProjects(root, { db });
    const included = await listProjects(root, { db, allMessagesText: "included" });
    expect(included.map(({ allMessagesText: _, ...rest }) => rest)).toEqual(lazy);
    expect(included.map(piFields)).toEqual(lazy.map(piFields));
  });
});

describe("progress", () => {
  type Call = [loaded: number, total: number, partial: readonly SessionInfo[] | undefined];
  const watch = () => {
    const calls: Call[] = [];
    const onProgress = (
      ...call: Parameters<(loaded: number, total: number, partial?: readonly SessionInfo[]) => void>
    ) => void calls.push([call[0], call[1], call[2]]);
    return { calls, onProgress };
  };
  const expectSteps = (calls: Call[], total: number) =>
    expect(calls.map(([loaded, all]) => [loaded, all])).toEqual(
      Array.from({ length: total }, (_, n) => [n + 1, total]),
    );

  test.each(["the index", "no index"])(
    "is reported once for each file, including files that are not sessions: %s",
    async (from) => {
      const { root, db } = createWorkspace();
      for (let n = 0; n < 25; n++) talk({ id: `${n}` }).write(join(root, `${n}.jsonl`));
      writeFileSync(join(root, "junk.jsonl"), "junk\n");
      symlinkSync("nowhere", join(root, "dangling.jsonl"));
      for (const included of [false, true]) {
        const { calls, onProgress } = watch();
        const sessions = await listFolder(root, {
          db: from === "the index" ? db : NOWHERE,
          onProgress,
          allMessagesText: included ? "included" : "lazy",
        });
        expectSteps(calls, 27);
        expect(calls[0]?.[2]).toBeDefined();
        expect(calls[26]?.[2]).toEqual(sessions);
        const parts = calls.flatMap(([loaded, , partial]) => (partial ? [loaded] : []));
        if (included || from === "no index") expect(parts).toEqual([1, 10, 20, 27]);
      }
    },
  );

  test("is reported while the first index is built, with the sessions found so far, newest first", async () => {
    const { root, db } = createWorkspace();
    manySessions(join(root, "p"));
    const { calls, onProgress } = watch();
    const sessions = await listProjects(root, { db, onProgress });
    expectSteps(calls, 1_002);
    const parts = calls.flatMap(([loaded, , partial]) => (partial ? [{ loaded, partial }] : []));
    expect(parts.map(({ loaded, partial }) => [loaded, partial.length])).toEqual([
      [1, 1_000],
      [1_000, 1_000],
      [1_002, 1_002],
    ]);
    for (const { partial } of parts) {
      const times = partial.map(({ modified }) => modified.getTime());
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    }
    expect(parts.at(-1)?.partial).toEqual(sessions);
  });

  test("does not count rows of previous versions of files", async () => {
    const { root, db } = createWorkspace();
    const paths = manySessions(join(root, "p"));
    await listProjects(root, { db, indexingMs: 60_000 });
    const changed = join(root, "p", "1001.jsonl");
    const unchanged = paths.filter((path) => path !== changed);
    session({ id: "changed" }).user("other than it was").write(changed);
    utimesSync(changed, Date.now() / 1000 + 10, Date.now() / 1000 + 10);
    for (let n = 0; n < 1_000; n++)
      session({ id: `new-${n}` })
        .user("new")
        .write(join(root, "p", `new-${n}.jsonl`));
    const { calls, onProgress } = watch();
    await listProjects(root, { db, onProgress, indexingMs: 60_000 });
    expectSteps(calls, 2_002);
    const [, , partial = []] = calls[0] as Call;
    const listed = new Set(pathsOf(partial));
    expect(unchanged.filter((path) => !listed.has(path))).toEqual([]);
    // The first transaction is of 1,000 files, and an old file may be among them: its time was too recent to trust.
    expect(listed.size).toBeGreaterThan(1_900);
    expect(listed).not.toContain(changed);
  });

  test("reports sessions of one working directory only, and counts all files", async () => {
    const { root, db } = createWorkspace();
    for (let n = 0; n < 12; n++) {
      talk({ id: `${n}`, cwd: n % 2 ? "/home/ada/shop" : "/home/ada/blog" }).write(join(root, `${n}.jsonl`));
    }
    for (const path of [db, NOWHERE]) {
      const { calls, onProgress } = watch();
      const sessions = await listFolder(root, { db: path, onProgress, cwd: "/home/ada/shop" });
      expectSteps(calls, 12);
      expect(sessions).toHaveLength(6);
      expect(calls.at(-1)?.[2]).toEqual(sessions);
    }
  });

  test("is not reported for an empty folder", async () => {
    const { root, db } = createWorkspace();
    mkdirSync(root);
    const { calls, onProgress } = watch();
    expect(await listFolder(root, { db, onProgress })).toEqual([]);
    expect(calls).toEqual([]);
  });

  test.each([
    ["a first index", 1_001],
    ["the answer of an index", 1],
  ])("that throws rejects the list: in %s", async (_, at) => {
    const { root, db } = createWorkspace();
    manySessions(join(root, "p"));
    if (at === 1) await listProjects(root, { db });
    const { problems, onProblem } = collectProblems();
    const onProgress = (loaded: number) => {
      if (loaded >= at) throw new Error(`enough at ${loaded}`);
    };
    const patient = { db, onProgress, onProblem, indexingMs: 60_000 };
    await expect(listProjects(root, patient)).rejects.toThrow(`enough at ${at}`);
    await expect(listProjects(root, { db: NOWHERE, onProgress })).rejects.toThrow(`enough at ${at}`);
    expect(problems).toEqual([]);
  });
});

describe("a signal that is aborted rejects the list with its reason", () => {
  const reason = new Error("no longer wanted");

  test("before it begins", async () => {
    const { root } = createWorkspace();
    const signal = AbortSignal.abort(reason);
    await expect(listFolder(root, { signal })).rejects.toBe(reason);
    await expect(listProjects(root, { signal })).rejects.toBe(reason);
  });

  test.each([
    ["while the index is created", "lazy", false],
    ["while texts are read", "included", false],
    ["while files are read", "lazy", true],
  ] as const)("%s", async (_, allMessagesText, isUnusable) => {
    const { root, db } = createWorkspace();
    manySessions(join(root, "p"));
    const stop = new AbortController();
    let last = 0;
    const onProgress = (loaded: number) => {
      last = loaded;
      if (loaded === 5) stop.abort(reason);
    };
    const { problems, onProblem } = collectProblems();
    const indexingMs = 60_000; // a busy machine takes longer than a list waits for the database
    const options = { db: isUnusable ? NOWHERE : db, allMessagesText, onProgress, onProblem, indexingMs };
    await expect(listProjects(root, { ...options, signal: stop.signal })).rejects.toBe(reason);
    expect(last).toBe(5);
    expect(problems).toHaveLength(isUnusable ? 1 : 0);
  });

  test("within a large file", async () => {
    const { root } = createWorkspace();
    const large = session({ id: "large" });
    for (let n = 0; n < 24; n++) large.user("x".repeat(1 << 20));
    large.write(join(root, "large.jsonl"));
    const stop = new AbortController();
    let loaded = 0;
    const onProgress = () => void loaded++;
    // The next event loop turn comes after part of the file is read.
    const onProblem = () => void setImmediate(() => stop.abort(reason));
    const options = { db: NOWHERE, signal: stop.signal, onProgress, onProblem };
    await expect(listFolder(root, options)).rejects.toBe(reason);
    expect(loaded).toBe(0);
  });
});

test("a list removes no rows below, beside or outside its folders", async () => {
  const { folder, root, db } = createWorkspace();
  const paths = [
    talk({ id: "flat" }).write(join(root, "flat.jsonl")),
    talk({ id: "one" }).writeUnder(root),
    talk({ id: "two" }).write(join(root, "--home-ada-shop--", "one", "run-0", "two.jsonl")),
    talk({ id: "three" }).write(join(root, "--home-ada-shop--x", "three.jsonl")),
    talk({ id: "four" }).write(join(folder, "outside", "four.jsonl")),
  ];
  const index = await openIndex({ db, roots: [root, join(folder, "outside")] });
  await index.sync();
  for (const path of paths) rmSync(path);
  await listFolder(join(root, "--home-ada-shop--"), { db });
  const known = async () => pathsOf((await index.listAll({ subagents: "yes" })).sessions).sort();
  expect(await known()).toEqual(paths.filter((_, n) => n !== 1).sort());
  await listProjects(root, { db });
  expect(await known()).toEqual(paths.filter((_, n) => n !== 1 && n !== 3).sort());
  await listFolder(root, { db });
  expect(await known()).toEqual([paths[2], paths[4]].sort());
  await index.sync();
  expect(await known()).toEqual([]);
  await index.close();
});
