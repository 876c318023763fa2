import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { SessionManager } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidex } from "../cli.ts";

/** Sessions of a year ago, by id; those in `pinned` are labeled. */
function createRoot({ labeled = [] as string[] } = {}) {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const paths = ["aaaa", "bbbb"].map((id, n) => {
    const each = session({ id, cwd: "/home/ada/shop", timestamp: `2025-01-0${n + 1}T09:00:00.000Z` })
      .user(`Where is the till ${id}?`)
      .assistant("In src/till.ts.", { tokens: { input: 1000, output: 100 } });
    if (labeled.includes(id)) each.label(each.lastId, "kept");
    const path = each.writeUnder(root);
    utimesSync(path, 1_735_722_000, 1_735_722_000);
    return path;
  });
  const run = (...argv: string[]) => pidex([...argv, "--root", root, "--db", join(folder, "index.db")]);
  const read = async (...argv: string[]) => {
    const { out, err } = await run(...argv, "--json");
    expect(out, err).not.toBe("");
    return JSON.parse(out);
  };
  return { root, paths: paths as [string, string], run, read };
}

/** Scores contain the age of hits. */
const withoutScores = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === "score" ? undefined : value)));

test("without an action, old sessions are listed and nothing changes", async () => {
  const { paths, read } = createRoot({ labeled: ["bbbb"] });
  const stats = () =>
    paths.map((path) => ({
      size: statSync(path).size,
      ino: statSync(path).ino,
      ctimeMs: statSync(path).ctimeMs,
    }));
  const before = stats();
  const { sessions, kept, bytes } = await read("prune", "--older-than", "30d");
  expect(sessions).toMatchObject([{ sessionId: "aaaa", path: paths[0], isCompressed: false }]);
  expect(kept).toEqual([{ sessionId: "bbbb", path: paths[1], reason: "labeled" }]);
  expect(bytes).toBe(before[0]?.size);
  expect(stats()).toEqual(before);
});

test("compressed sessions have the same answers, also in a new index, and come back byte for byte", async () => {
  const { root, paths, run, read } = createRoot();
  const query = async (read: (...argv: string[]) => Promise<unknown>) =>
    withoutScores([
      await read("list"),
      await read("search", "till"),
      await read("search", "--substring", "the till"),
      await read("usage"),
      await read("show", "aaaa", "--full"),
      await read("tree", "aaaa"),
    ]);
  const before = await query(read);
  const bytes = readFileSync(paths[0]);
  const { pruned } = await read("prune", "--older-than", "30d", "--compress", "--yes");
  expect(pruned).toMatchObject([{ action: "compressed" }, { action: "compressed" }]);
  expect(readdirSync(dirname(paths[0])).every((name) => name.endsWith(".jsonl.zst"))).toBe(true);
  expect(await query(read)).toEqual(before);
  const db = join(temporaryFolder(), "new.db");
  const readNew = async (...argv: string[]) =>
    JSON.parse((await pidex([...argv, "--json", "--root", root, "--db", db])).out);
  expect(await query(readNew)).toEqual(before);
  for (const command of [
    ["name", "aaaa", "Till"],
    ["pin", "aaaa"],
    ["move", "aaaa", root],
  ]) {
    const { exit, err } = await run(...command);
    expect([exit, err]).toEqual([1, expect.stringContaining("pidex restore SESSION")]);
  }
  expect((await run("restore", "aaaa", "bbbb")).exit).toBe(0);
  expect(readFileSync(paths[0]).equals(bytes)).toBe(true);
  expect(statSync(paths[0]).mtimeMs).toBe(1_735_722_000_000);
  expect(existsSync(`${paths[0]}.zst`)).toBe(false);
  expect(await query(read)).toEqual(before);
});

/** Appends a prompt by path, as an agent does that has the session open. */
function appendPrompt(path: string, text: string): void {
  const message = { role: "user", content: text, timestamp: 1_736_000_000_000 };
  const timestamp = "2025-01-04T14:13:20.000Z";
  appendFileSync(
    path,
    `${JSON.stringify({ type: "message", id: `e-${text}`, parentId: null, timestamp, message })}\n`,
  );
}

test("what an agent appends to a compressed session is found at once, and is in the one file that is restored", async () => {
  const { root, paths, run, read } = createRoot();
  const [path] = paths;
  const bytes = readFileSync(path, "utf8");
  await run("prune", "aaaa", "--compress", "--yes");
  for (const text of ["zebra", "giraffe"]) {
    appendPrompt(path, text);
    expect((await read("search", text)).sessions).toHaveLength(1);
    expect((await read("search", "aaaa")).sessions).toHaveLength(1);
  }
  expect((await read("list")).sessions).toHaveLength(2);
  const { exit, err } = await run("name", "aaaa", "Till");
  expect([exit, err]).toEqual([1, expect.stringContaining("pidex restore SESSION")]);
  const appended = readFileSync(path, "utf8");
  expect((await run("restore", "aaaa")).exit).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(bytes + appended);
  expect(readdirSync(dirname(path)).sort()).toEqual(paths.map((each) => basename(each)).sort());
  expect((await read("search", "giraffe")).sessions).toHaveLength(1);
  expect((await run("verify", "--root", root)).exit).toBe(0);
});

test("a compressed session that was continued is deleted as one file, and restored", async () => {
  const { paths, run, read } = createRoot();
  const [path] = paths;
  const bytes = readFileSync(path, "utf8");
  await run("prune", "aaaa", "--compress", "--yes");
  appendPrompt(path, "zebra");
  const all = bytes + readFileSync(path, "utf8");
  expect((await run("delete", "aaaa", "--yes")).exit).toBe(0);
  expect(readdirSync(dirname(path))).toEqual([basename(paths[1])]);
  expect((await run("restore", "aaaa")).exit).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(all);
  expect((await read("search", "zebra")).sessions).toHaveLength(1);
});

test("sessions of other machines are kept", async () => {
  const folder = temporaryFolder();
  vi.stubEnv("XDG_DATA_HOME", folder);
  const root = join(folder, "pidex", "machines", "laptop");
  const path = session({ id: "cccc", cwd: "/home/ada/shop", timestamp: "2025-01-01T09:00:00.000Z" })
    .user("Where?")
    .writeUnder(root);
  utimesSync(path, 1_735_722_000, 1_735_722_000);
  const run = (...argv: string[]) => pidex([...argv, "--root", root, "--db", join(folder, "index.db")]);
  const { out } = await run("prune", "--older-than", "30d", "--compress", "--yes", "--json");
  expect(JSON.parse(out)).toMatchObject({ sessions: [], kept: [{ path, reason: "pulled" }] });
  expect(() => SessionManager.compress(path)).toThrow("was pulled from another machine");
  expect(existsSync(path)).toBe(true);
});

test("an action needs a filter and, without a terminal, --yes", async () => {
  const { paths, run } = createRoot();
  expect(await run("prune", "--compress", "--yes")).toMatchObject({ exit: 2 });
  expect(await run("prune", "--older-than", "30d", "--compress")).toMatchObject({ exit: 2 });
  expect(await run("prune", "--larger-than", "much")).toMatchObject({ exit: 2 });
  expect(paths.every((path) => existsSync(path))).toBe(true);
});

test("a copy of a session is a duplicate, and a continued one is not", async () => {
  const { root, paths, read } = createRoot();
  const copy = join(root, "copy.jsonl");
  writeFileSync(copy, readFileSync(paths[0]));
  utimesSync(copy, 1_735_722_000, 1_735_722_000); // else it is active
  const { sessions } = await read("prune", "--duplicates");
  expect(sessions.map(({ path }: { path: string }) => path)).toHaveLength(1);
  expect([copy, paths[0]]).toContain(sessions[0].duplicateOf);
  appendFileSync(copy, `${JSON.stringify({ type: "custom", id: "c1", parentId: null, customType: "x" })}\n`);
  expect((await read("prune", "--duplicates")).sessions).toMatchObject([
    { path: paths[0], duplicateOf: copy },
  ]);
});

test("a session that has two files is reported, and settled by the next action", async () => {
  const { paths, run, read } = createRoot();
  const bytes = readFileSync(paths[0]);
  await run("prune", "aaaa", "--compress", "--yes");
  renameSync(`${paths[0]}.zst`, `${paths[0]}.kept`);
  writeFileSync(paths[0], bytes);
  renameSync(`${paths[0]}.kept`, `${paths[0]}.zst`);
  expect((await run("prune")).err).toContain("a session with two files");
  await read("prune", "bbbb", "--compress", "--yes");
  expect([existsSync(paths[0]), existsSync(`${paths[0]}.zst`)]).toEqual([true, false]);
});
