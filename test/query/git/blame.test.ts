import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { Index } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { failure, openOver } from "../opened-queries.ts";
import { WorkingRepository } from "./working-repository.ts";

const BASE = ["export function tax(total) {", "  return total * 0.19;", "}"];
const ROUNDED = "  return Math.round(total * 19) / 100;";

const agent = (repository: WorkingRepository, id: string): Session =>
  session({ id, cwd: repository.path, timestamp: repository.tick() });

/** An edit call, and the file as it is after it. */
function edit(
  repository: WorkingRepository,
  by: Session,
  before: string,
  after: string,
  result: Record<string, unknown> = {},
): void {
  by.tool("edit", { path: "tax.js", oldText: before, newText: after }, "Done.", {
    timestamp: repository.tick(),
    ...result,
  });
}

const authors = async (index: Index, path: string, options = {}) => {
  const { lines, sessions } = await index.blame(path, options);
  const ids = new Map(sessions.map((each) => [each.path, each.id]));
  return lines.map(({ session: by, confidence }) =>
    by === undefined ? null : `${ids.get(by)} ${confidence}`,
  );
};

/** A repository in which a session rounded the tax, before the commit. */
function rounded() {
  const repository = new WorkingRepository();
  repository.write("tax.js", BASE);
  repository.commit();
  const by = agent(repository, "a").user("Round the tax.");
  edit(repository, by, BASE[1] as string, ROUNDED);
  repository.write("tax.js", [BASE[0] as string, ROUNDED, "}"]);
  return { repository, by, path: join(repository.path, "tax.js") };
}

describe("a line of an edit call", () => {
  test("has its session, prompt, entry, commit and cost", async () => {
    const { repository, by, path } = rounded();
    const commit = repository.commit();
    const index = await repository.index(by);
    const { lines, sessions, rev, file } = await index.blame(path);
    expect([rev, file]).toEqual([commit, "tax.js"]);
    expect(lines[1]).toMatchObject({
      line: 2,
      text: ROUNDED,
      commit,
      confidence: "certain",
      prompt: "Round the tax.",
    });
    const { entry } = await index.entry("a", lines[1]?.entryId ?? "");
    expect(entry.type === "message" && entry.message?.role).toBe("assistant");
    expect(sessions).toMatchObject([{ id: "a", costUsd: expect.any(Number) }]);
    expect(lines[0]?.session).toBeUndefined();
  });

  test("has no commit before it is committed", async () => {
    const { repository, by, path } = rounded();
    const index = await repository.index(by);
    const { lines } = await index.blame(path, { from: 2, to: 2 });
    expect(lines).toMatchObject([{ line: 2, commit: null, confidence: "certain" }]);
    expect((await index.uncommitted({ folder: repository.path })).files).toMatchObject([
      { file: "tax.js", lines: 1, confidence: "certain" },
    ]);
  });

  test("is not taken for an earlier one of the same file, although the last commit changed another file", async () => {
    const { repository, by, path } = rounded();
    repository.commit();
    repository.write("other.js", ["// other"]);
    repository.commit();
    repository.write("tax.js", [BASE[0] as string, ROUNDED, ROUNDED, "}"]);
    const index = await repository.index(by);
    expect(await authors(index, path)).toEqual([null, "a certain", null, null]);
    expect((await index.uncommitted({ folder: repository.path })).files).toEqual([]);
  });

  test("has no session if the call failed", async () => {
    const repository = new WorkingRepository();
    repository.write("tax.js", BASE);
    repository.commit();
    const by = agent(repository, "a");
    edit(repository, by, BASE[1] as string, ROUNDED, { isError: true });
    repository.write("tax.js", [BASE[0] as string, ROUNDED, "}"]);
    repository.commit();
    const index = await repository.index(by);
    expect(await authors(index, join(repository.path, "tax.js"))).toEqual([null, null, null]);
  });

  test("has no session if it was deleted, and someone else wrote it again", async () => {
    const { repository, by, path } = rounded();
    repository.commit();
    repository.write("tax.js", BASE);
    repository.commit();
    repository.write("tax.js", [BASE[0] as string, ROUNDED, "}"]);
    repository.commit();
    expect(await authors(await repository.index(by), path)).toEqual([null, null, null]);
  });

  test("is found after amending, rebasing and renaming", async () => {
    const { repository, by, path } = rounded();
    repository.git("checkout", "-qb", "feature");
    repository.commit();
    repository.git("commit", "-q", "--amend", "-m", "Amended");
    repository.git("checkout", "-q", "main");
    repository.write("other.js", ["// other"]);
    repository.commit();
    repository.git("checkout", "-q", "feature");
    repository.git("rebase", "-q", "main");
    repository.git("mv", "tax.js", "vat.js");
    const index = await repository.index(by);
    expect(await authors(index, path.replace("tax", "vat"))).toEqual([null, "a certain", null]);
    repository.commit("Rename");
    expect(await authors(index, path.replace("tax", "vat"))).toEqual([null, "a certain", null]);
  });

  test("is found through a linked working tree and a symbolic link", async () => {
    const { repository, by } = rounded();
    repository.commit();
    const linked = join(repository.folder, "linked");
    repository.git("worktree", "add", "-q", linked);
    const link = join(repository.folder, "link");
    symlinkSync(repository.path, link);
    const index = await repository.index(by);
    for (const folder of [linked, link]) {
      expect(await authors(index, join(folder, "tax.js"))).toEqual([null, "a certain", null]);
    }
  });

  test("is only likely if two sessions wrote it", async () => {
    const { repository, by, path } = rounded();
    const other = agent(repository, "b");
    edit(repository, other, ROUNDED, "  return total;");
    edit(repository, other, "  return total;", ROUNDED);
    repository.commit();
    const index = await repository.index(by, other);
    expect(await authors(index, path)).toEqual([null, "b likely", null]);
    expect(await authors(index, path, { certain: true })).toEqual([null, null, null]);
  });
});

test("lines that a session removed and wrote again without a commit between are not taken for later equal lines", async () => {
  const repository = new WorkingRepository();
  const path = join(repository.path, "tax.js");
  const block = (name: string, field: string) => [
    ...["", `export function ${name}(text) {`, "  try {", `    return JSON.parse(text).${field};`],
    ...["  } catch (error) {", `    log.error("cannot ${name}", error);`, "    return null;", "  }", "}"],
  ];
  const before = [...BASE, ...block("saveInvoice", "invoice")];
  repository.write("tax.js", before);
  repository.commit();
  const first = agent(repository, "a");
  edit(repository, first, `\n${block("saveInvoice", "invoice").join("\n")}`, "");
  const last = BASE.slice(1).join("\n");
  edit(repository, first, last, [last, ...block("saveInvoice", "invoice")].join("\n"));
  const second = agent(repository, "b");
  const added = block("parseOrder", "order");
  edit(
    repository,
    second,
    '", error);\n    return null;\n  }\n}',
    ['", error);\n    return null;\n  }\n}', ...added].join("\n"),
  );
  repository.write("tax.js", [...before, ...added.with(3, `${added[3]} // the order`)]);
  const commit = repository.commit();
  const index = await repository.index(first, second);
  const found = await authors(index, path);
  expect(found.filter((author) => author?.startsWith("a"))).toEqual([]);
  expect(found.filter((author) => author?.startsWith("b")).length).toBeGreaterThan(3);
  const { commits } = await index.commits({ folder: repository.path, rev: commit });
  expect(commits[0]?.sessions).toHaveLength(1);
});

test("a whole-file write owns the lines that it changed, and an earlier session the lines that it kept", async () => {
  const { repository, by, path } = rounded();
  const other = agent(repository, "b");
  const after = ["// Taxes, rounded to cents", BASE[0] as string, ROUNDED, "}"];
  other.tool("write", { path, content: `${after.join("\n")}\n` }, "Done.", { timestamp: repository.tick() });
  repository.write("tax.js", after);
  repository.commit();
  expect(await authors(await repository.index(by, other), path)).toEqual([
    "b likely",
    null,
    "a certain",
    null,
  ]);
});

test("a patch for several files owns what it added in each", async () => {
  const repository = new WorkingRepository();
  repository.write("tax.js", BASE);
  repository.commit();
  const by = agent(repository, "a");
  const input = `*** Begin Patch\n*** Update File: tax.js\n@@\n ${BASE[0]}\n-${BASE[1]}\n+${ROUNDED}\n }\n*** Add File: new.js\n+export const cents = 100;\n*** End Patch`;
  by.tool("apply_patch", { input }, "Done.", { timestamp: repository.tick() });
  repository.write("tax.js", [BASE[0] as string, ROUNDED, "}"]);
  repository.write("new.js", ["export const cents = 100;"]);
  const commit = repository.commit();
  const index = await repository.index(by);
  expect((await index.commits({ folder: repository.path })).commits).toMatchObject([
    { commit, added: 2, sessions: [{ lines: 2, files: ["new.js", "tax.js"], confidence: "certain" }] },
  ]);
});

test("a call that only removes lines is in the commit", async () => {
  const { repository, by } = rounded();
  repository.commit();
  const other = agent(repository, "b");
  edit(repository, other, `${ROUNDED}\n`, "");
  repository.write("tax.js", [BASE[0] as string, "}"]);
  repository.commit();
  const { commits, costUsd, sessions } = await (await repository.index(by, other)).commits({
    folder: repository.path,
    range: "HEAD~2..HEAD",
  });
  expect(commits.map(({ sessions: own }) => own.map(({ lines, removed }) => [lines, removed]))).toEqual([
    [[0, 1]],
    [[1, 0]],
  ]);
  expect(costUsd).toBeCloseTo(sessions.reduce((sum, each) => sum + (each.costUsd ?? 0), 0));
});

test("a committed version is blamed with rev", async () => {
  const { repository, by, path } = rounded();
  repository.commit();
  repository.write("tax.js", ["// empty"]);
  repository.commit();
  const index = await repository.index(by);
  expect(await authors(index, path, { rev: "HEAD~1" })).toEqual([null, "a certain", null]);
  rmSync(path);
  expect(await authors(index, path, { rev: "HEAD~1" })).toEqual([null, "a certain", null]);
});

test("no repository runs its own programs", async () => {
  const { repository, by, path } = rounded();
  const ran = join(repository.folder, "ran");
  const script = join(repository.folder, "script");
  writeFileSync(script, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  for (const name of ["core.fsmonitor", "diff.external", "filter.x.clean", "diff.x.textconv", "core.pager"])
    repository.git("config", name, script);
  repository.write(".gitattributes", ["*.js filter=x diff=x"]);
  const index = await repository.index(by);
  rmSync(ran, { force: true });
  await index.blame(path);
  await index.commits({ folder: repository.path });
  await index.uncommitted({ folder: repository.path });
  expect(() => rmSync(ran)).toThrow("ENOENT");
});

describe("errors say what is wrong", () => {
  test("of folders, files and commits", async () => {
    const { repository, by, path } = rounded();
    writeFileSync(join(repository.path, "image.png"), Buffer.from([137, 80, 0, 1]));
    mkdirSync(join(repository.path, "src"));
    repository.write(".gitignore", ["ignored.js"]);
    repository.write("ignored.js", ["1"]);
    const moved = session({ id: "moved", cwd: join(repository.folder, "gone") }).user("Hello");
    const index = await repository.index(by, moved);
    const codeOf = async (query: Promise<unknown>) => (await failure(query)).code;
    const outside = join(temporaryFolder(), "x.js");
    expect(await codeOf(index.blame(outside))).toBe("NOT_A_REPOSITORY");
    expect(await codeOf(index.commits({ folder: temporaryFolder() }))).toBe("NOT_A_REPOSITORY");
    expect(await codeOf(index.blame(join(repository.path, "missing.js")))).toBe("NOT_FOUND");
    expect(await codeOf(index.blame(join(repository.path, "src")))).toBe("NOT_FOUND");
    expect(await codeOf(index.blame(join(repository.path, "ignored.js")))).toBe("NOT_FOUND");
    expect(await codeOf(index.blame(join(repository.path, "image.png")))).toBe("BINARY_FILE");
    expect(await codeOf(index.blame(path, { rev: "nosuch" }))).toBe("NOT_FOUND");
    expect(await codeOf(index.blame(path, { rev: "--all" }))).toBe("NOT_FOUND");
    expect(await codeOf(index.commits({ folder: repository.path, rev: "1234567" }))).toBe("NOT_FOUND");
    expect(await codeOf(index.commits({ folder: repository.path, range: "--output=x" }))).toBe("BAD_OPTION");
    expect(await codeOf(index.commits({ session: "missing" }))).toBe("NOT_FOUND");
    expect(await codeOf(index.commits({ session: "moved" }))).toBe("BAD_OPTION");
    expect(await codeOf(index.commits({ session: "moved", range: "main" }))).toBe("BAD_OPTION");
    expect(await codeOf(index.blame(path, { from: 9, to: 3 }))).toBe("BAD_OPTION");
    expect(await codeOf(index.blame(path, { from: 9 }))).toBe("BAD_OPTION");
  });

  test("where git is not installed, and before the first commit", async () => {
    const { by, path } = rounded();
    const repository = new WorkingRepository();
    repository.write("a.js", ["1"]);
    const index = await repository.index(by);
    expect(await authors(index, join(repository.path, "a.js"))).toEqual([null]);
    expect((await failure(index.commits({ folder: repository.path }))).code).toBe("NOT_FOUND");
    const { PATH } = process.env;
    process.env.PATH = "/nonexistent";
    try {
      expect((await failure(index.blame(path))).code).toBe("GIT_FAILED");
    } finally {
      process.env.PATH = PATH;
    }
  });

  test("without sessions, no line has one", async () => {
    const { repository, path } = rounded();
    const index = await openOver([temporaryFolder()]);
    await index.sync();
    expect(await authors(index, path)).toEqual([null, null, null]);
    expect((await index.uncommitted({ folder: repository.path })).files).toEqual([]);
  });
});
