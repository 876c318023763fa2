import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BlameJson, CommitsJson, UncommittedJson } from "../../../query/git/git-answers.ts";
import { WorkingRepository } from "../../query/git/working-repository.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, linesOf, pidexAt, strict } from "../cli.ts";

afterEach(() => vi.restoreAllMocks());

const BASE = ["export const rate = 0.19;", "export const tax = (total) => total * rate;"];
const ADDED = ["", "export const gross = (total) => total + tax(total);"];

/** A repository in which a session added two lines, the working directory of the process; and a command line on its sessions. */
function workspace() {
  const repository = new WorkingRepository();
  repository.write("tax.js", BASE);
  repository.commit("Start");
  const by = session({ id: "till", cwd: repository.path, timestamp: repository.tick() }).user(
    "Add the gross price.",
  );
  const after = [...BASE, ...ADDED];
  by.tool("edit", { path: "tax.js", oldText: BASE[1], newText: after.slice(1).join("\n") }, "Done.", {
    timestamp: repository.tick(),
  });
  repository.write("tax.js", after);
  const root = join(repository.folder, "sessions");
  const path = by.writeUnder(root);
  vi.spyOn(process, "cwd").mockReturnValue(repository.path);
  return { repository, path, run: pidexAt(root, temporaryFolder()) };
}

test("blame shows a row per range of lines on a terminal, and in a pipe a line per line", async () => {
  const { repository, path, run } = workspace();
  const commit = repository.commit("Add the gross price");
  const shown = linesOf((await run(["blame", "tax.js"], { columns: 100 })).out);
  expect(shown).toEqual([
    expect.stringMatching(/^LINES {2}SESSION {2}DATE .*COST {2}SURE .*PROMPT$/),
    expect.stringMatching(/^ {2}1-2 {2}- *$/),
    expect.stringMatching(
      /^ {2}3-4 {2}till {5}2026-03-02 \d\d:\d\d .*\$.* {2}certain {2}Add the gross price\.$/,
    ),
  ]);
  const cells = cellsOf((await run(["blame", "tax.js:4"])).out);
  expect(cells).toEqual([
    [
      "4",
      expect.stringContaining(`${path}:`),
      expect.any(String),
      "certain",
      commit,
      "Add the gross price.",
      ADDED[1],
    ],
  ]);
  const json = JSON.parse((await run(["blame", "tax.js:3-4", "--json"])).out);
  expect(strict(BlameJson).safeParse({ ...json, schema: undefined }).error?.issues ?? []).toMatchObject([
    { code: "unrecognized_keys", keys: ["schema"] },
  ]);
  expect(json.lines.map(({ line }: { line: number }) => line)).toEqual([3, 4]);
});

test("commit shows the sessions of a commit, and the total of a range", async () => {
  const { repository, run } = workspace();
  const commit = repository.commit("Add the gross price");
  const { out } = await run(["commit"], { columns: 100 });
  expect(linesOf(out)[0]).toBe(`${commit.slice(0, 10)} Add the gross price`);
  expect(out).toMatch(/^ {4}2 .* 1 {2}certain {2}\$.* {2}till/m);
  expect((await run(["commit", "HEAD~1"], { columns: 100 })).out).toContain("No edits of sessions.");
  const range = linesOf((await run(["commit", "main", "--all"], { columns: 100 })).out);
  expect(range).toHaveLength(4);
  expect(range.at(-1)).toMatch(/^total .*1 session .*\$/);
  const json = JSON.parse((await run(["commit", "main", "--all", "--json"])).out);
  expect(strict(CommitsJson).safeParse(json).error?.issues).toMatchObject([{ keys: ["schema"] }]);
});

test("commit --session shows the commits on any branch with edits of the session", async () => {
  const { repository, run } = workspace();
  const commit = repository.commit("Add the gross price");
  repository.write("other.js", ["// by a human"]);
  repository.commit("Add another file");
  repository.git("checkout", "-q", "-b", "older", "HEAD~2");
  const cells = cellsOf((await run(["commit", "--session", "till"])).out);
  expect(cells).toMatchObject([[commit, expect.any(String), "2", "0", "1", "certain", expect.any(String)]]);
  expect((await run(["commit", "--session", "till", "--all"])).exit).toBe(2);
  expect((await run(["commit", "--session", "missing"])).exit).toBe(3);
});

test("commit --uncommitted lists what is in no commit", async () => {
  const { repository, run, path } = workspace();
  expect((await run(["commit", "--uncommitted"], { columns: 100 })).out).toMatch(
    /^ +2 {2}tax\.js {2}certain/m,
  );
  expect(cellsOf((await run(["commit", "--uncommitted"])).out)).toMatchObject([
    ["tax.js", path, "2", "certain", expect.any(String)],
  ]);
  const json = JSON.parse((await run(["commit", "--uncommitted", "--json"])).out);
  expect(strict(UncommittedJson).safeParse(json).error?.issues).toMatchObject([{ keys: ["schema"] }]);
  repository.commit();
  expect((await run(["commit", "--uncommitted"], { columns: 100 })).out).toBe(
    "No uncommitted lines of sessions.\n",
  );
});

test("usage errors exit with 2, unknown files and commits with 3, other failures with 1", async () => {
  const { run } = workspace();
  const exitOf = async (...argv: string[]) => (await run(argv)).exit;
  expect(await exitOf("blame")).toBe(2);
  expect(await exitOf("blame", "tax.js:0")).toBe(2);
  expect(await exitOf("blame", "tax.js:9-3")).toBe(2);
  expect(await exitOf("commit", "HEAD", "--uncommitted")).toBe(2);
  expect(await exitOf("commit", "a..b")).toBe(2);
  expect(await exitOf("blame", "missing.js")).toBe(3);
  expect(await exitOf("commit", "1234567")).toBe(3);
  expect(await exitOf("blame", join(temporaryFolder(), "a.js"))).toBe(1);
});
