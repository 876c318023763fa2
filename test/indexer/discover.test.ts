import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { discover } from "../../indexer/discover.ts";
import { encodePath } from "../../src/path-bytes.ts";
import { type Root, toRoot, toRootLevel, withParentRoot } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn, syncFolders } from "./index-at.ts";
import { pathsIn, talk } from "./synced.ts";

const isRoot = process.getuid?.() === 0;

function put(folder: string, ...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
}

async function found(folder: string, roots: Root[] = [toRoot(folder)]): Promise<string[]> {
  const { files } = await discover(roots);
  return files.map(({ path }) => relative(folder, path)).sort();
}

test("files with a session's name are found at any depth", async () => {
  const folder = temporaryFolder();
  put(folder, "flat.jsonl", "p/a.jsonl", "p/s/run-0/b.jsonl", "p/.hidden.jsonl", "数据/库.jsonl");
  put(folder, "p/notes.md", "p/A.JSONL", "p/a.jsonl.bak", "jsonl");
  expect(await found(folder)).toEqual(
    ["flat.jsonl", "p/a.jsonl", "p/s/run-0/b.jsonl", "p/.hidden.jsonl", "数据/库.jsonl"].sort(),
  );
});

test("a root that does not exist, or is a file, has no sessions", async () => {
  const folder = temporaryFolder();
  put(folder, "file.jsonl");
  expect(await discover([toRoot(join(folder, "nowhere")), toRoot(join(folder, "file.jsonl"))])).toEqual({
    files: [],
    unlisted: [],
  });
});

test("a root may be a prefix of file names", async () => {
  const folder = temporaryFolder();
  put(folder, "pi-run-1/a.jsonl", "pi-run-2/b/c.jsonl", "other/d.jsonl", "e.jsonl", "pi-run-f.jsonl");
  const root = { folder, prefix: join(folder, "pi-run-") };
  expect(await found(folder, [root])).toEqual(["pi-run-1/a.jsonl", "pi-run-2/b/c.jsonl", "pi-run-f.jsonl"]);
  expect((await discover([root])).files.every(({ subagent }) => subagent === 1)).toBe(true);
});

test("nested roots list a file once", async () => {
  const folder = temporaryFolder();
  put(folder, "a.jsonl", "p/b.jsonl", "p/q/c.jsonl");
  const roots = [toRoot(folder), toRoot(join(folder, "p")), toRoot(folder)];
  expect(await found(folder, roots)).toEqual(["a.jsonl", "p/b.jsonl", "p/q/c.jsonl"]);
});

test("the nearest root decides whether a session is a subagent's, in any order of roots", async () => {
  const folder = temporaryFolder();
  put(folder, "p/q/mine.jsonl", "x/y/subagent.jsonl");
  const roots = [toRoot(folder), toRoot(join(folder, "p"))];
  for (const order of [roots, roots.toReversed()]) {
    const marks = (await discover(order)).files.map(({ path, subagent }) => [
      relative(folder, path),
      subagent,
    ]);
    expect(Object.fromEntries(marks)).toEqual({ "p/q/mine.jsonl": 0, "x/y/subagent.jsonl": 1 });
  }
});

test("links are followed, and listed under their own path", async () => {
  const folder = temporaryFolder();
  put(folder, "elsewhere/p/a.jsonl", "elsewhere/b.jsonl", "root/c.jsonl");
  symlinkSync("../elsewhere/p", join(folder, "root/linked"));
  symlinkSync("../elsewhere/b.jsonl", join(folder, "root/b.jsonl"));
  symlinkSync("../elsewhere/b.jsonl", join(folder, "root/not-a-session.txt"));
  expect(await found(join(folder, "root"))).toEqual(["b.jsonl", "c.jsonl", "linked/a.jsonl"]);
});

test("cycles of links end, and no file is listed twice", async () => {
  const folder = temporaryFolder();
  put(folder, "a.jsonl", "p/b.jsonl", "p/q/c.jsonl");
  symlinkSync("..", join(folder, "p/up"));
  symlinkSync("../..", join(folder, "p/q/up"));
  symlinkSync(".", join(folder, "here"));
  symlinkSync(folder, join(folder, "p/top"));
  expect(await found(folder)).toEqual(["a.jsonl", "p/b.jsonl", "p/q/c.jsonl"]);
});

test("a link to itself is an unreadable file if it has a session's name, otherwise ignored", async () => {
  const folder = temporaryFolder();
  put(folder, "a.jsonl");
  symlinkSync("self.jsonl", join(folder, "self.jsonl"));
  symlinkSync("pong", join(folder, "ping"));
  symlinkSync("ping", join(folder, "pong"));
  const { files } = await discover([toRoot(folder)]);
  expect(files.map(({ path, failure }) => [relative(folder, path), failure]).sort()).toEqual([
    ["a.jsonl", undefined],
    ["self.jsonl", "unreadable"],
  ]);
});

test.skipIf(isRoot)("a folder that cannot be listed is reported, and the others are listed", async () => {
  const folder = temporaryFolder();
  put(folder, "open/a.jsonl", "locked/b.jsonl");
  chmodSync(join(folder, "locked"), 0o000);
  try {
    expect(await found(folder)).toEqual(["open/a.jsonl"]);
    expect((await discover([toRoot(folder)])).unlisted).toEqual([
      { path: join(folder, "locked"), error: expect.objectContaining({ code: "EACCES" }) },
    ]);
  } finally {
    chmodSync(join(folder, "locked"), 0o700);
  }
});

test.skipIf(isRoot)("a folder without search permission is reported, and the others are listed", async () => {
  const folder = temporaryFolder();
  put(folder, "open/a.jsonl", "listed/b.jsonl", "listed/deeper/c.jsonl");
  symlinkSync("../listed/deeper", join(folder, "open/link"));
  chmodSync(join(folder, "listed"), 0o400);
  try {
    const { files, unlisted } = await discover([toRoot(folder)]);
    expect(files.map(({ path }) => relative(folder, path))).toEqual(["open/a.jsonl"]);
    expect(unlisted.map(({ path }) => relative(folder, path))).toContain("listed/b.jsonl");
    expect(unlisted.map(({ path }) => relative(folder, path))).toContain("listed/deeper");
  } finally {
    chmodSync(join(folder, "listed"), 0o700);
  }
});

test("folders that all link to each other are walked quickly, and listed once under each first link", async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 12 }, (_, n) => `d${n}`);
  put(folder, "d0/a.jsonl", ...names.map((name) => `${name}/notes.md`));
  for (const name of names) {
    for (const other of names)
      if (other !== name) symlinkSync(`../${other}`, join(folder, name, `to-${other}`));
  }
  expect(await found(folder)).toEqual(
    ["d0/a.jsonl", ...names.slice(1).map((name) => `${name}/to-d0/a.jsonl`)].sort(),
  );
});

describe.skipIf(process.platform !== "linux")("names that are not UTF-8", () => {
  const bytes = (...parts: (string | number)[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(part))));

  test("are listed like any other, and stay distinct", async () => {
    const folder = temporaryFolder();
    for (const name of [0xff, 0xfe, "\ufffd", "\u{10feff}"]) {
      mkdirSync(bytes(`${folder}/d`, name));
      writeFileSync(bytes(`${folder}/d`, name, "/s.jsonl"), "");
    }
    writeFileSync(bytes(`${folder}/bad`, 0xff, ".jsonl"), "");
    const { files, unlisted } = await discover([toRoot(folder)]);
    expect(unlisted).toEqual([]);
    expect(new Set(files.map(({ stat }) => stat.ino)).size).toBe(5);
    expect(new Set(files.map(({ path }) => path)).size).toBe(5);
    for (const { path, stat } of files)
      expect(statSync(encodePath(path), { bigint: true }).ino).toBe(stat.ino);
    expect(files.map(({ path }) => relative(folder, path))).toContain("d\u{10feff}/s.jsonl");
  });

  test("of links are followed", async () => {
    const folder = temporaryFolder();
    put(folder, "p/a.jsonl");
    symlinkSync("p", bytes(`${folder}/l`, 0xff));
    symlinkSync("nowhere", bytes(`${folder}/l`, 0xff, ".jsonl"));
    const { files } = await discover([toRoot(folder)]);
    expect(files.map(({ path, failure }) => [relative(folder, path), failure]).sort()).toEqual([
      ["l\u{10feff}.jsonl", "unreadable"],
      ["l\u{10feff}/a.jsonl", undefined],
      ["p/a.jsonl", undefined],
    ]);
  });
});

test("a walk of many folders finds all files, and stops when aborted", async () => {
  const folder = temporaryFolder();
  const paths = Array.from({ length: 1_200 }, (_, n) => `p${n}/a.jsonl`);
  put(folder, ...paths);
  expect(await found(folder)).toEqual(paths.sort());
  const stopped = AbortSignal.abort(new Error("enough"));
  await expect(discover([toRoot(folder)], stopped)).rejects.toThrow("enough");
});

test("a root with a depth limit is only walked to that depth", async () => {
  const folder = temporaryFolder();
  put(folder, "flat.jsonl", "p/a.jsonl", "q/b.jsonl", "p/s/c.jsonl", "p/subagent-artifacts/d.jsonl");
  symlinkSync("p", join(folder, "link"));
  expect(await found(folder, [toRootLevel(folder, 0)])).toEqual(["flat.jsonl"]);
  expect(await found(folder, [toRootLevel(folder, 1)])).toEqual(["link/a.jsonl", "p/a.jsonl", "q/b.jsonl"]);
  expect(await found(folder, [toRootLevel(join(folder, "p"), 0)])).toEqual(["p/a.jsonl"]);
});

test("a depth limit does not change whether a session is a subagent's", async () => {
  const folder = temporaryFolder();
  put(folder, "p/a.jsonl", "p/s/b.jsonl", "p/subagent-artifacts/c.jsonl");
  const all = (await discover([toRoot(folder)])).files.map(({ path, subagent }) => ({ path, subagent }));
  for (const { path, subagent } of all) {
    const level = withParentRoot(toRootLevel(dirname(path), 0), [toRoot(folder)]);
    expect((await discover([level])).files).toMatchObject([{ path, subagent }]);
  }
  expect(all.map(({ subagent }) => subagent).sort()).toEqual([0, 1, 1]);
});

test("a session with a path longer than SQLite allows for databases is found and synced", async () => {
  const folder = temporaryFolder();
  const deep = Array.from({ length: 4 }, () => "x".repeat(200)).join("/");
  const path = talk().write(join(folder, "sessions", deep, "a.jsonl"));
  const db = await databaseIn(folder);
  expect(await syncFolders(db, join(folder, "sessions"))).toMatchObject({ added: 1, unlisted: [] });
  expect(pathsIn(db)).toEqual([path]);
});

test.skipIf(process.platform !== "linux")(
  "a folder with a path longer than the system allows is reported, and the others are listed",
  async () => {
    const folder = temporaryFolder();
    put(folder, "p/a.jsonl");
    // Created in two halves: each path is short enough for the system.
    const half = Array.from({ length: 15 }, () => "x".repeat(200)).join("/");
    put(folder, `deep/${half}/notes.md`, `rest/${half}/a.jsonl`);
    renameSync(join(folder, "rest"), join(folder, "deep", half, "rest"));
    onTestFinished(() => {
      execFileSync("rm", ["-rf", folder]); // which deletes it step by step
    });
    const { files, unlisted } = await discover([toRoot(folder)]);
    expect(files.map(({ path }) => relative(folder, path))).toEqual(["p/a.jsonl"]);
    expect(unlisted).toMatchObject([{ error: { code: "ENAMETOOLONG" } }]);
  },
);
