import { rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { temporaryFolder } from "../temporary.ts";
import { failure, indexed, openOver } from "./opened-queries.ts";

const talk = (id: string, options: Parameters<typeof session>[0] = {}) =>
  session({ id, cwd: "/home/ada/shop", ...options }).user("Hello.");

describe("a session is found", () => {
  const ids = ["abc-1", "abd-2", "abd", "release-2026.02"];

  test("by its id", async () => {
    const { index } = await indexed(...ids.map((id) => talk(id)));
    for (const id of ids) expect((await index.find(id)).id).toBe(id);
  });

  test("by its id in preference to its checkpoints, which OpenClaw keeps next to it", async () => {
    const root = temporaryFolder();
    const index = await openOver([root]);
    const talked = talk("abc-1");
    const path = talked.write(join(root, "abc-1.jsonl"));
    const copies = ["1f", "2e"].map((id) => talked.write(join(root, `abc-1.checkpoint.${id}.jsonl`)));
    await index.sync();
    for (const id of ["abc-1", "abc"]) expect((await index.find(id)).path).toBe(path);
    expect((await index.find(copies[0] as string)).path).toBe(copies[0]);
    rmSync(path);
    await index.sync();
    expect((await failure(index.find("abc-1"))).code).toBe("AMBIGUOUS");
  });

  test("by the path of its file, including relative paths and URLs", async () => {
    const { index, paths } = await indexed(...ids.map((id) => talk(id)));
    for (const path of paths) {
      expect((await index.find(path)).path).toBe(path);
      expect((await index.find(relative(process.cwd(), path))).path).toBe(path);
    }
    expect((await index.find(pathToFileURL(paths[0] as string).href)).path).toBe(paths[0]);
  });

  test("by a unique prefix of its id; a complete id takes precedence", async () => {
    const { index } = await indexed(...ids.map((id) => talk(id)));
    expect((await index.find("abc")).id).toBe("abc-1");
    expect((await index.find("rel")).id).toBe("release-2026.02");
    expect((await index.find("abd")).id).toBe("abd");
    expect((await index.find("abd-")).id).toBe("abd-2");
  });

  test("as @last: the most recently active one, excluding subagents and archived sessions", async () => {
    const root = temporaryFolder();
    const index = await openOver([root]);
    expect((await failure(index.find("@last"))).code).toBe("NOT_FOUND");
    talk("old", { timestamp: "2026-01-01T00:00:00.000Z" }).write(join(root, "p", "z.jsonl"));
    talk("new", { timestamp: "2026-01-02T00:00:00.000Z" }).write(join(root, "p", "a.jsonl"));
    talk("agent", { timestamp: "2026-01-03T00:00:00.000Z" }).write(join(root, "p", "z", "run", "a.jsonl"));
    const archived = talk("archived", { timestamp: "2026-01-04T00:00:00.000Z" });
    archived.custom("pidex", { archived: true }).write(join(root, "p", "b.jsonl"));
    await index.sync();
    expect((await index.find("@last")).id).toBe("new");
  });

  test("not as @last if all are archived", async () => {
    const { index } = await indexed(talk("only").custom("pidex", { archived: true }));
    expect(await failure(index.find("@last"))).toMatchObject({
      code: "NOT_FOUND",
      message: "all sessions are archived",
    });
  });

  test("at any depth, for a subagent's session", async () => {
    const root = temporaryFolder();
    talk("agent").write(join(root, "p", "z", "run", "a.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    expect((await index.find("agent")).subagent).toBe(true);
  });
});

describe("a session is not found", () => {
  test.each([
    [""],
    ["nobody"],
    ["%"],
    ["_"],
    ["ABC"],
    ["bc-1"],
    ["abc-1x"],
    ["\0"],
    ["\ud7ff"],
    ["\ud800"],
    ["\uffff"],
    ["\u{10ffff}"],
    ["/nowhere/x.jsonl"],
    ["./abc-1"],
    ["x.jsonl"],
  ])("as %j", async (reference) => {
    const { index } = await indexed(talk("abc-1"));
    const error = await failure(index.find(reference));
    expect(error.code).toBe("NOT_FOUND");
    expect(error.hint).toContain("@last");
  });

  test("by any method that takes one", async () => {
    const { index } = await indexed(talk("abc-1"));
    const requests = [
      index.tree("x"),
      index.treeEntries("x"),
      index.branch("x"),
      index.children("x", "y"),
      index.labels("x"),
      index.problems("x"),
      index.entries("x").next(),
      index.entry("x", "y"),
      index.context("x"),
    ];
    const errors = await Promise.all(requests.map((each) => failure(each)));
    for (const error of errors) expect(error.code).toBe("NOT_FOUND");
  });

  test("if its header has no id, except by its path", async () => {
    const { index, path } = await indexed(talk("13", { header: { id: 13 } }));
    expect((await failure(index.find("13"))).code).toBe("NOT_FOUND");
    expect(await index.find(path)).toMatchObject({ id: "", path });
  });

  test("after its file was deleted and synced", async () => {
    const { index, path } = await indexed(talk("gone"));
    rmSync(path);
    await index.sync();
    expect((await failure(index.find("gone"))).code).toBe("NOT_FOUND");
  });
});

describe("an ambiguous session", () => {
  test("prefix lists the candidates in the hint, with age, project and title", async () => {
    const yesterday = new Date(Date.now() - 25 * 3_600_000).toISOString();
    const { index } = await indexed(
      talk("abc-1", { timestamp: yesterday, cwd: "/home/ada/blog" }),
      talk("abc-22", { timestamp: yesterday }).user(`A long\n title ${"x".repeat(100)}`),
    );
    const error = await failure(index.find("abc"));
    expect([error.code, error.message]).toEqual(["AMBIGUOUS", '"abc" matches 2 sessions']);
    const lines = error.hint.split("\n").sort();
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^ {2}abc-1 {3}1d ago {2}blog {2}\S/);
    expect(lines[1]).toMatch(/^ {2}abc-22 {2}1d ago {2}\S+ +\S/);
  });

  test("prefix has candidates on lines of 80 columns, also with Japanese titles", async () => {
    const { index } = await indexed(
      talk("abc-1", { cwd: "/home/ada/買い物" }).name("日本語の題名".repeat(20)),
      talk("abc-22", { cwd: "/home/ada/blog" }).name("title".repeat(20)),
    );
    const lines = (await failure(index.find("abc"))).hint.split("\n").slice(1).sort();
    expect(lines.map((line) => stringWidth(line))).toEqual([79, 80]); // half of a character does not fit
    expect(lines[0]).toMatch(/^ {2}abc-1 {3}\S+ ago {2}買い物 {2}日本語\S+…$/);
    expect(lines[1]).toMatch(/^ {2}abc-22 {2}\S+ ago {2}blog {4}title/);
  });

  test("prefix of more than ten sessions says how many more there are", async () => {
    const { index } = await indexed(...Array.from({ length: 14 }, (_, n) => talk(`many-${10 + n}`)));
    const error = await failure(index.find("many"));
    expect(error.message).toBe('"many" matches 14 sessions');
    const lines = error.hint.split("\n");
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe("  and 4 more; pidex list shows all");
  });

  test("id in two folders can be resolved by path", async () => {
    const { index, paths } = await indexed(talk("same"), talk("same", { cwd: "/home/ada/blog" }));
    const error = await failure(index.find("same"));
    expect(error.code).toBe("AMBIGUOUS");
    expect((await failure(index.find("sam"))).code).toBe("AMBIGUOUS");
    for (const path of paths) {
      expect(error.hint).toContain(path);
      expect((await index.find(path)).path).toBe(path);
      expect(basename(path)).toContain("same");
    }
  });
});
