import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getSessionTitle } from "../../../bin/format/titles.ts";
import { image } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { summarizeFile } from "../../../indexer/summarize-file.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { judge, readSamples, toSession } from "./samples.ts";

/** An index of these sessions, and the path of each. */
async function openOver(...sessions: Session[]) {
  const folder = temporaryFolder();
  const sessionFolder = join(folder, "sessions", "--p--");
  mkdirSync(sessionFolder, { recursive: true });
  const paths = sessions.map((each, n) => each.write(join(sessionFolder, `${n}.jsonl`)));
  const index = await openIndex({ db: join(folder, "index.db"), roots: [join(folder, "sessions")] });
  await index.sync();
  return { index, paths };
}

/** The title of a session after each of its lines, appended and indexed one by one. */
async function titlesByLine(work: Session): Promise<(string | undefined)[]> {
  const { index, paths } = await openOver(session({ id: work.id, cwd: work.cwd }));
  const [path = ""] = paths;
  const titles: (string | undefined)[] = [];
  for (const line of work.lines.slice(1)) {
    appendFileSync(path, `${line}\n`);
    await index.sync();
    titles.push((await index.find(path)).computedTitle);
  }
  return titles;
}

describe("samples", () => {
  test.each([
    ["dev", ["file dump"]],
    ["held-out", ["trace before", "German"]],
  ] as const)("%s: all but these are right", async (set, expected) => {
    const samples = readSamples(set);
    const { index, paths } = await openOver(...samples.map((sample, n) => toSession(sample, `s${n}`)));
    const wrong: string[] = [];
    for (const [n, sample] of samples.entries()) {
      const title = getSessionTitle(await index.find(paths[n] as string));
      if (judge(title, sample) !== undefined) wrong.push(sample.kind);
    }
    expect(wrong).toEqual(expected);
  });
});

const edit = { oldText: "a", newText: "b" };

describe("the title goes on with the session", () => {
  const cwd = "/home/ada/shop";
  const start = () => session({ id: "grows", cwd });
  test.each<[string, Session, string[]]>([
    [
      "from a greeting to the first request, and stays there",
      start()
        .user("hi")
        .assistant("Hello!")
        .user("raise the tax")
        .assistant("Done.")
        .user("and the freight of all"),
      ["hi", "hi", "raise the tax", "raise the tax", "raise the tax"],
    ],
    [
      "by the files that a vague request changes, until the next request",
      start()
        .user("fix it")
        .tool("edit", { path: "src/tax.ts", ...edit }, "ok")
        .tool("read", { path: "src/rates.ts" }, "ok")
        .tool("write", { path: "/tmp/note.md", content: "a" }, "ok")
        .tool("write", { path: "src/till/rates.ts", content: "a" }, "ok")
        .assistant("Done.")
        .user("raise the freight")
        .tool("edit", { path: "src/freight.ts", ...edit }, "ok"),
      [
        "fix it",
        ...["fix it · src/tax.ts", "fix it · src/tax.ts", "fix it · src/tax.ts", "fix it · src/tax.ts"],
        ...[
          "fix it · src/tax.ts",
          "fix it · src/tax.ts",
          "fix it · 2 files in src",
          "fix it · 2 files in src",
        ],
        ...[
          "fix it · 2 files in src",
          "fix it · 2 files in src",
          "fix it · 2 files in src",
          "fix it · 2 files in src",
        ],
      ],
    ],
    [
      "to a specific request after a vague one that changed nothing",
      start().user("fix it").assistant("What?").user("the tax is 0"),
      ["fix it", "fix it", "the tax is 0"],
    ],
    [
      "with the outcome until a response is completed",
      start()
        .user("raise the tax")
        .assistant("", { stopReason: "error" })
        .assistant("", { stopReason: "aborted" })
        .assistant("Done.")
        .assistant("", { stopReason: "error" }),
      [
        ...["raise the tax", "raise the tax · ended in an error", "raise the tax · aborted"],
        ...["raise the tax", "raise the tax"],
      ],
    ],
    [
      "with the user's commands until there is a message",
      start().bash("npm test", "").bash("npm test", "").bash("git push\ngit log", "").user("fix it"),
      ["!npm test", "!npm test", "!npm test, !git push", "fix it"],
    ],
    [
      "with the name of a changed file after an image",
      start()
        .user([image()])
        .tool("edit", { path: "a.css", ...edit }, "ok"),
      ["image", "image · a.css", "image · a.css"],
    ],
    [
      "with the changed files alone after a greeting",
      start()
        .user("hi")
        .tool("edit", { path: "a.css", ...edit }, "ok")
        .tool("edit", { path: "b/c.css", ...edit }, "ok"),
      ["hi", "a.css", "a.css", "a.css, c.css", "a.css, c.css"],
    ],
  ])("%s", async (_, work, titles) => {
    expect(await titlesByLine(work)).toEqual(titles);
    const { index, paths } = await openOver(work);
    const { computedTitle } = await index.find(paths[0] as string);
    expect(computedTitle).toBe(titles.at(-1));
    // As the trash reads it, without an index.
    expect((await summarizeFile(paths[0] as string))?.summary.computed_title).toBe(titles.at(-1));
  });
});

test("a name is shown in place of the computed title", async () => {
  const { index, paths } = await openOver(session().user("raise the tax").name("Tax"));
  const info = await index.find(paths[0] as string);
  expect([getSessionTitle(info), info.computedTitle]).toEqual(["Tax", "raise the tax"]);
});

test("title: finds what lists show", async () => {
  const { index, paths } = await openOver(
    session({ id: "a" }).user("hi").assistant("Hello!").user("Raise the täx"),
    session({ id: "b" }).user("raise the tax").name("Freight"),
    session({ id: "c" })
      .user("fix it")
      .tool("edit", { path: "tax.ts", ...edit }, "ok"),
  );
  const find = async (query: string) =>
    (await index.listAll({ query })).sessions.map(({ path }) => paths.indexOf(path)).sort();
  expect(await find("title:tax")).toEqual([0, 2]);
  expect(await find("title:freight")).toEqual([1]);
  expect(await find("-title:tax")).toEqual([1]);
  expect(await find("name:tax")).toEqual([]);
});

test("what is between two words keeps them apart, so that secrets in titles are recognized", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  for (const between of ["\u001b]0;title\u0007", "\u001b[01;31m\u001b[K", "x`", "\ud800"]) {
    const { index, paths } = await openOver(session().user(`${between}${secret} is the token that fails`));
    const { computedTitle = "" } = await index.find(paths[0] as string);
    expect(computedTitle).toMatch(new RegExp(`\\b${secret}\\b`));
    expect(computedTitle).not.toMatch(/[\p{Cc}\p{Cs}`]/u);
  }
});

test("addresses in titles have no passwords", async () => {
  const { index, paths } = await openOver(session().user("Clone https://ada:hunter2hunter2@git.acme.dev/x"));
  expect((await index.find(paths[0] as string)).computedTitle).toBe("Clone git.acme.dev/x");
});
