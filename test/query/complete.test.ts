import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import type { Index } from "../../library/index.ts";
import { FIELDS } from "../../query/fields.ts";
import { temporaryFolder } from "../temporary.ts";
import { indexed, openOver } from "./opened-queries.ts";

const at = (n: number, cwd: string) =>
  session({ cwd, timestamp: `2026-01-0${n}T09:00:00.000Z` }).model("openai", n < 3 ? "gpt-5" : "o4,mini");

describe("query completion", () => {
  let index: Index;
  beforeEach(async () => {
    const tagged = (draft: ReturnType<typeof session>, ...tags: string[]) => draft.custom("pidex", { tags });
    const shop = at(1, "/home/ada/shop").user("tax").assistant("yes").name("the till");
    shop.label(shop.lastId, "good one");
    ({ index } = await indexed(
      tagged(shop, "area/tax", 'odd "one", (two)'),
      tagged(
        at(2, "C:\\work\\shop").user("tax").tool("bash", { command: "ls" }, "x").assistant("a"),
        "area/tax",
      ),
      at(3, "/home/ada/blog").user("tax").tool("edit", { path: "a" }, "x").assistant("a"),
    ));
  });

  const texts = async (query: string, position?: number) => {
    const { from, options } = await index.complete(query, position);
    return options.map(({ text }) => `${query.slice(0, from)}${text}`);
  };

  test.each([
    ["pro", ["project:", "provider:"]],
    ["tax -ro", ["tax -role:"]],
    ["(tax OR na", ["(tax OR name:"]],
    ["project:", ["project:shop", "project:blog"]], // two sessions, and one
    ["project:BL", ["project:blog"]],
    ["-project:s", ["-project:shop"]],
    ["project:ho", ["project:shop"]], // no project begins with it
    ["project:shop", []],
    ["(project:b", ["(project:blog"]],
    ["project:shop,b", ["project:shop,blog"]],
    ["tag:", ["tag:area/tax", 'tag:"odd ""one"", (two)"']],
    ['tag:"od', ['tag:"odd ""one"", (two)"']],
    ["name:t", ['name:"the till"']],
    ["label:g", ['label:"good one"']],
    ["model:", ["model:gpt-5", 'model:"o4,mini"']],
    ["tool:", ["tool:bash", "tool:edit"]],
    ["role:us", ["role:user", "role:custom"]],
    ["is:p", ["is:pinned", "is:compressed"]],
    ["since:7", ["since:7d"]],
    ["cwd:/home/ada/b", ["cwd:/home/ada/blog"]],
    ["file:a", []],
    ["tax", []],
    ["Proj", []],
    ["xpro:", []],
    ['"pro', []],
    ['"tax pro', []],
    ['"tax" pro', ['"tax" project:', '"tax" provider:']],
    ["a.pro", []],
    ['"tax project:', []],
    ['"tax ', []],
    ["tax OR", []],
    ["tax -x", []],
  ])("completes %j to %j", async (query, completed) => {
    expect(await texts(query)).toEqual(completed);
  });

  test.each(["", "tax ", "tax OR ", "(", "project:shop "])(
    "lists all fields after %j, where a term may begin",
    async (query) => {
      expect(await texts(query)).toEqual(FIELDS.map((field) => `${query}${field}:`));
    },
  );

  test("ignores text after the cursor", async () => {
    expect(await texts("pro tax", 3)).toEqual(["project:", "provider:"]);
    expect(await index.complete("project:s name:till", 9)).toEqual({
      from: 8,
      isValue: false,
      options: [{ text: "shop", sessions: 1 }],
    });
  });

  test.each([
    ["tool:bash", true],
    ["tool:BASH", true],
    ["tool:bas", false],
    ["role:user", true],
    ["role:us", false],
    ["tax", false],
    ["ro", false],
  ])("knows whether %s ends with a value of the field", async (query, isValue) => {
    expect((await index.complete(query)).isValue).toBe(isValue);
  });

  test("knows values that were added after the first completion", async () => {
    const { index, root } = await indexed(at(1, "/home/ada/shop").user("tax"));
    expect((await index.complete("tool:")).options).toEqual([]);
    at(2, "/home/ada/shop").user("tax").tool("grep", { pattern: "x" }, "x").assistant("a").writeUnder(root);
    await index.sync();
    expect((await index.complete("tool:")).options).toEqual([{ text: "grep", sessions: 1 }]);
  });

  test("offers values that find their sessions as written", async () => {
    for (const field of ["project:", "tag:", "label:", "name:", "model:", "provider:", "tool:", "cwd:"]) {
      const { options } = await index.complete(field);
      expect(options).not.toEqual([]);
      for (const { text, sessions } of options) {
        const { sessionCount } = await index.search(`${field}${text}`);
        expect([field, text, sessionCount]).toEqual([field, text, sessions]);
      }
    }
  });

  test("values without a count are those beside words, excluded ones, alternatives and second ones", async () => {
    const counted = async (query: string, at?: number) =>
      (await index.complete(query, at)).options.map(({ sessions }) => sessions);
    expect(await counted("project:s")).toEqual([2]);
    expect(await counted("name:till project:s")).toEqual([1]);
    expect(await counted("(name:till) project:s")).toEqual([1]);
    expect(await counted("tax project:s")).toEqual([undefined]);
    expect(await counted("project:s tax", 9)).toEqual([undefined]);
    expect(await counted("role:user project:s")).toEqual([undefined]);
    expect(await counted("-project:s")).toEqual([undefined]);
    expect(await counted("name:till OR project:s")).toEqual([undefined]);
    expect(await counted("project:s OR name:till", 9)).toEqual([undefined]);
    expect(await counted("project:blog,s")).toEqual([undefined]);
  });

  test("counts what a search finds with the value, not only sessions with exactly this value", async () => {
    const { index } = await indexed(
      session({ cwd: "/home/ada/Shop" }).model("openai", "gpt-5").user("tax").assistant("a"),
      session({ cwd: "/home/ada/shop" }).model("openai", "gpt-5-mini").user("tax").assistant("a"),
    );
    for (const query of ["model:gpt", "project:sh"]) {
      const { from, options } = await index.complete(query);
      expect(options).toHaveLength(2);
      for (const { text, sessions } of options) {
        const { sessionCount } = await index.search(query.slice(0, from) + text, { strict: true });
        expect([text, sessions]).toEqual([text, sessionCount]);
      }
    }
    expect((await index.complete("model:gpt-5-")).options).toEqual([{ text: "gpt-5-mini", sessions: 1 }]);
  });

  test("offers and counts only values of sessions that the filters of a view include", async () => {
    const hidden = session({ cwd: "/home/ada/shop" }).custom("pidex", { archived: true });
    hidden.model("openai", "o1").user("tax").tool("grep", { pattern: "x" }, "x").assistant("a");
    const { index } = await indexed(
      hidden,
      session({ cwd: "/home/ada/shop", id: "shown" }).model("openai", "o3").user("a").assistant("b"),
    );
    const view = { archived: "no", subagents: "no" } as const;
    const options = async (query: string, filters: object = view) =>
      (await index.complete(query, undefined, filters)).options;
    expect(await options("project:", {})).toEqual([{ text: "shop", sessions: 2 }]);
    expect(await options("project:")).toEqual([{ text: "shop", sessions: 1 }]);
    expect(await options("is:archived project:")).toEqual([{ text: "shop", sessions: 1 }]);
    expect(await options("model:")).toEqual([{ text: "o3", sessions: 1 }]);
    expect(await options("model:", { ...view, archived: "only" })).toEqual([{ text: "o1", sessions: 1 }]);
    expect(await options("model:", { ...view, cwd: "/elsewhere" })).toEqual([]);
    expect(await options("model:", { ...view, since: "2020-01-01" })).toEqual([{ text: "o3" }]);
    expect(await options("tool:")).toEqual([]);
    expect((await index.complete("tool:grep", undefined, view)).isValue).toBe(true); // not half typed
    await expect(index.complete("tool:", undefined, { tag: "x" } as never)).rejects.toThrow("tag");
  });

  test("binds user input", async () => {
    for (const text of [
      "'",
      "%",
      "_",
      '"',
      "\\",
      "\0",
      "\x1b",
      "); DROP TABLE session; --",
      "\ud800",
      "*",
      "(".repeat(500),
    ]) {
      for (const query of [text, `project:${text}`, `tag:"${text}`, `-name:a,${text}`]) {
        expect((await index.complete(query)).from).toBeLessThanOrEqual(query.length);
      }
    }
    expect(await texts("project:%")).toEqual([]);
    expect(await texts("project:s_op")).toEqual([]);
  });
});

test("completions come from sessions below the roots only", async () => {
  const folder = temporaryFolder();
  const roots = ["one", "two"].map((name) => join(folder, name));
  roots.forEach((root, n) => {
    session({ cwd: `/p${n}`, id: `id${n}` })
      .user("x")
      .writeUnder(root);
  });
  const db = join(folder, "index.db");
  const both = await openOver(roots, db);
  await both.sync();
  const one = await openOver(roots.slice(0, 1), db);
  expect((await both.complete("project:")).options).toHaveLength(2);
  expect((await one.complete("project:")).options).toEqual([{ text: "p0", sessions: 1 }]);
});
