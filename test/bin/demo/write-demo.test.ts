import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Demo, writeDemo } from "../../../bin/demo/write-demo.ts";
import { type Index, openIndex, type SessionInfo } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

const NOW = new Date("2026-11-20T16:00:00.000Z");
const HOUR = 3_600_000;

/** Relative paths and contents of all files in a folder. */
function contents(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}

describe("a demo of 300 sessions", () => {
  let demo: Demo;
  let index: Index;
  let sessions: SessionInfo[];
  const cleaning: (() => void)[] = [];

  beforeAll(async () => {
    const folder = temporaryFolder({ onTestFinished: (clean) => cleaning.push(clean as () => void) });
    demo = writeDemo(folder, { now: NOW });
    index = await openIndex({ roots: [demo.root], db: join(folder, "index.db") });
    await index.sync();
    ({ sessions } = await index.listAll({ limit: 1000 }));
  });

  afterAll(async () => {
    await index.close();
    for (const clean of cleaning) clean();
  });

  test("has the reported number of sessions, and subagent sessions", async () => {
    expect(demo.sessions).toBe(300);
    expect(sessions.filter(({ subagent }) => !subagent)).toHaveLength(300);
    const { sessions: all } = await index.listAll({ limit: 1000, subagents: "yes" });
    const nested = all.filter(({ subagent }) => subagent);
    expect(nested.length).toBeGreaterThan(3);
    expect(nested.every(({ startedBy }) => sessions.some(({ path }) => path === startedBy))).toBe(true);
  });

  test("has one problem: a truncated line", async () => {
    const stats = await index.stats();
    expect(stats.problems).toEqual([{ name: "torn_line", count: 1 }]);
  });

  test("has unique titles", () => {
    const titles = sessions.map(({ name, firstMessage }) => (name ?? firstMessage).slice(0, 200));
    expect(new Set(titles).size).toBe(titles.length);
  });

  test("has working folders that exist", () => {
    expect(demo.projects).toHaveLength(8);
    expect(new Set(sessions.map(({ cwd }) => cwd))).toEqual(new Set(demo.projects));
    expect(demo.projects.every((folder) => existsSync(join(folder, "README.md")))).toBe(true);
  });

  test("covers ten months, until an hour ago", () => {
    const times = sessions.map(({ modified }) => modified.getTime());
    const [oldest, newest] = [Math.min(...times), Math.max(...times)];
    expect(NOW.getTime() - newest).toBeGreaterThanOrEqual(HOUR);
    expect(NOW.getTime() - newest).toBeLessThan(HOUR + 60_000);
    expect((NOW.getTime() - oldest) / HOUR / 24).toBeCloseTo(300, 0);
  });

  test("starts each session before it ends, and each fork after its parent ended", () => {
    const byPath = new Map(sessions.map((info) => [info.path, info]));
    const forks = sessions.filter(({ parentSessionPath }) => parentSessionPath);
    expect(forks.length).toBeGreaterThan(8);
    for (const fork of forks) {
      const parent = byPath.get(fork.parentSessionPath as string) as SessionInfo;
      expect(fork.created?.getTime()).toBeGreaterThan(parent.modified.getTime());
      expect(fork.firstMessage).toBe(parent.firstMessage);
    }
    expect(sessions.every(({ created, modified }) => (created as Date) < modified)).toBe(true);
  });

  test("has names, tags, pins, labels and several models", () => {
    const share = (of: (info: SessionInfo) => boolean) => sessions.filter(of).length;
    expect(share(({ name }) => name !== undefined)).toBeGreaterThan(60);
    expect(share(({ tags }) => tags.length > 0)).toBeGreaterThan(60);
    expect(share(({ pinned }) => pinned)).toBe(3);
    expect(share(({ labelCount }) => labelCount > 0)).toBeGreaterThan(30);
    expect(new Set(sessions.map(({ provider }) => provider)).size).toBeGreaterThan(3);
  });

  test.each([
    "double tax",
    "project:shop role:user",
    "file:tax.ts",
    "is:error",
    "检索",
    "label:resolved",
    "type:branch_summary",
    "type:compaction",
    "-is:current",
    "is:forked",
    "tool:edit tag:bug",
    "検索",
    "Umsatzsteuer",
  ])("%s finds something", async (query) => {
    const { sessions: found } = await index.search(query);
    expect(found.length).toBeGreaterThan(0);
  });

  test("a regular expression finds the refused connections", async () => {
    const hits = await Array.fromAsync(index.scan({ regex: "ECONNREFUSED.*\\d" }));
    expect(hits.length).toBeGreaterThan(5);
  });

  test("double tax finds the newest session first", async () => {
    const { sessions: found } = await index.search("double tax");
    expect(found[0]?.session.name).toBe("Fix the double tax at checkout, with two tax rates");
  });
});

test("the same seed, time and folder give the same bytes; another seed gives others", () => {
  const folder = temporaryFolder();
  const write = (seed: number) => {
    const { root } = writeDemo(folder, { sessions: 45, now: NOW, seed });
    const found = contents(folder);
    rmSync(root, { recursive: true });
    return found;
  };
  const first = write(7);
  expect(write(7)).toEqual(first);
  expect(write(8)).not.toEqual(first);
});

test("sessions differ even when a story's words are used up", () => {
  const { root } = writeDemo(temporaryFolder(), { sessions: 900, now: NOW });
  const titles = contents(root)
    .filter(([name]) => !name.includes("run-"))
    .map(
      ([, text]) =>
        /"session_info".*"name":"(.*)"}/.exec(text)?.[1] ?? /"role":"user".*?"text":"(.*?)"}/.exec(text)?.[1],
    );
  expect(titles).not.toContain(undefined);
  expect(new Set(titles).size).toBe(900);
});

test.each([0, 1, 2, 12])("writes %i sessions", (sessions) => {
  const { root } = writeDemo(temporaryFolder(), { sessions, now: NOW });
  const files = contents(root).filter(([name]) => !name.includes("run-"));
  expect(files).toHaveLength(sessions);
});

test("a folder with sessions is not changed", () => {
  const folder = temporaryFolder();
  writeDemo(folder, { sessions: 3, now: NOW });
  const before = contents(folder);
  expect(() => writeDemo(folder)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  expect(contents(folder)).toEqual(before);
});
