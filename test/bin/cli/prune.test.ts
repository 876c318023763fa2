import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
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

/** Scores contain the age of hits; whether a session is compressed changes. */
const withoutScores = (answer: unknown) =>
  JSON.parse(
    JSON.stringify(answer, (key, value) => (["score", "compressed"].includes(key) ? undefined : value)),
  );

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
  expect(sessions).toMatchObject([{ sessionId: "aaaa", path: paths[0], compressed: false }]);
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
  expect(JSON.parse(out)).toMatchObject({ pruned: [], kept: [{ path, reason: "pulled" }] });
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

test("what a killed run left is settled by the next action, after the confirmation", async () => {
  const { paths, run, read } = createRoot();
  const bytes = readFileSync(paths[0]);
  await run("prune", "aaaa", "--compress", "--yes");
  writeFileSync(`${paths[0]}.retired`, bytes);
  expect((await run("prune", "--older-than", "30d", "--compress")).exit).toBe(2);
  expect(existsSync(`${paths[0]}.retired`)).toBe(true);
  await read("prune", "--older-than", "30d", "--compress", "--yes");
  expect([paths[0], `${paths[0]}.retired`, `${paths[0]}.zst`].map((path) => existsSync(path))).toEqual([
    false,
    false,
    true,
  ]);
});

test("a different session beside a compressed one is not deleted with it", async () => {
  const { paths, run } = createRoot();
  await run("prune", "aaaa", "--compress", "--yes");
  writeFileSync(paths[0], readFileSync(paths[1], "utf8").replaceAll("bbbb", "cccc"));
  const { exit, err } = await run("delete", "cccc", "--permanent", "--yes");
  expect([exit, err]).toEqual([1, expect.stringContaining("have different content")]);
  expect([existsSync(paths[0]), existsSync(`${paths[0]}.zst`)]).toEqual([true, true]);
});

test("a session stays if one of its subagents must stay, and a duplicate if it has subagents", async () => {
  const { root, paths, read } = createRoot();
  const folder = paths[0].slice(0, -".jsonl".length);
  const timestamp = "2025-01-01T09:00:00.000Z";
  const inside = session({ id: "sub1", timestamp, cwd: "/home/ada/shop" }).user("Look");
  inside.label(inside.lastId, "kept");
  const path = inside.writeUnder(root);
  mkdirSync(join(folder, "run-0"), { recursive: true });
  renameSync(path, join(folder, "run-0", "session.jsonl"));
  utimesSync(join(folder, "run-0", "session.jsonl"), 1_735_722_000, 1_735_722_000);
  const { sessions, kept } = await read("prune", "--older-than", "30d", "--trash", "--dry-run");
  expect(sessions).toMatchObject([{ sessionId: "bbbb" }]);
  expect(kept).toEqual([{ sessionId: "aaaa", path: paths[0], reason: "labeled" }]);
  // By name, it goes with its subagents, which count.
  const named = await read("prune", "aaaa", "--trash", "--dry-run");
  const size = statSync(paths[0]).size + statSync(join(folder, "run-0", "session.jsonl")).size;
  expect(named.sessions).toMatchObject([{ sessionId: "aaaa", bytes: size }]);
  const copy = join(dirname(paths[0]), "2025-03-01T00-00-00-000Z_copy.jsonl");
  writeFileSync(copy, readFileSync(paths[0], "utf8").replace('"aaaa"', '"copy"'));
  utimesSync(copy, 1_735_722_000, 1_735_722_000);
  const copies = await read("prune", "--duplicates", "--trash", "--dry-run");
  expect(copies.sessions).toMatchObject([{ sessionId: "copy" }]);
});

test("a session that would not get smaller, or that a program has open, is skipped", async () => {
  const { paths, read } = createRoot();
  const tiny = join(dirname(paths[0]), "2025-02-01T00-00-00-000Z_tiny.jsonl");
  writeFileSync(
    tiny,
    '{"type":"session","version":3,"id":"tiny","timestamp":"2025-02-01T00:00:00.000Z","cwd":"/"}\n',
  );
  const fd = openSync(paths[1], "a");
  try {
    const { pruned, freed } = await read("prune", "tiny", "aaaa", "bbbb", "--compress", "--yes");
    const actions = Object.fromEntries(
      pruned.map(({ sessionId, action }: Record<string, string>) => [sessionId, action]),
    );
    expect(actions).toEqual({ tiny: "skipped", aaaa: "compressed", bbbb: "skipped" });
    expect(freed).toBeGreaterThan(0);
  } finally {
    closeSync(fd);
  }
  expect(readdirSync(dirname(paths[0])).filter((name) => name.endsWith(".zst"))).toHaveLength(1);
});

test("a folder with the name of a compressed file hides no session, and neither does a long name", async () => {
  const { paths, read, run } = createRoot();
  mkdirSync(`${paths[0]}.zst`);
  const long = join(dirname(paths[0]), `${"n".repeat(248)}.jsonl`);
  writeFileSync(long, readFileSync(paths[1], "utf8").replaceAll("bbbb", "long"));
  const { sessions } = await read("list");
  expect(sessions.map(({ id }: { id: string }) => id).sort()).toEqual(["aaaa", "bbbb", "long"]);
  expect(await run("prune")).toMatchObject({ exit: 0 });
});

test("a damaged compressed file is named by restore", async () => {
  const { paths, run } = createRoot();
  await run("prune", "aaaa", "--compress", "--yes");
  const bytes = readFileSync(`${paths[0]}.zst`);
  bytes[40] = (bytes[40] as number) ^ 0xff;
  writeFileSync(`${paths[0]}.zst`, bytes);
  await run("index");
  const { exit, err } = await run("restore", paths[0]);
  expect([exit, err]).toEqual([1, expect.stringMatching(/\.zst .*(damaged|cannot be decompressed)/)]);
});

test("what cannot be settled is reported, and the others go on", async () => {
  const { paths, run } = createRoot();
  const before = readFileSync(paths[0]);
  mkdirSync(`${paths[0]}.retired`);
  const { exit, err } = await run("prune", "--older-than", "30d", "--compress", "--yes");
  expect([exit, err]).toEqual([
    1,
    expect.stringMatching(/^note: .*cannot be written: EISDIR.*\n(.|\n)*failed: /),
  ]);
  expect(readFileSync(paths[0]).equals(before)).toBe(true);
  expect(existsSync(`${paths[1]}.zst`)).toBe(true);
});

test("in a pipe, a line has the bytes of images and outputs last, with --contents", async () => {
  const { paths, run } = createRoot();
  const fields = async (...argv: string[]) => (await run("prune", "aaaa", ...argv)).out.trimEnd().split("\t");
  const line = await fields();
  expect(line.slice(0, 2)).toEqual(["aaaa", String(statSync(paths[0]).size)]);
  expect(await fields("--contents")).toEqual([...line, "0", "0"]);
});
