import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { getSessionTitle } from "../../bin/format/titles.ts";
import { session } from "../../fixtures/builder.ts";
import { catalog } from "../../fixtures/catalog.ts";
import { type Index, type ListOptions, openIndex, type SessionInfo } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { plainSummary } from "./brute-force.ts";
import { FIXTURES, failure, indexed, indexedFixtures, openOver } from "./opened-queries.ts";

const all = async (index: Index, options: ListOptions = {}): Promise<SessionInfo[]> =>
  (await index.listAll({ subagents: "yes", ...options })).sessions;
const paths = (sessions: readonly SessionInfo[]): string[] => sessions.map(({ path }) => path);

describe("every fixture", () => {
  test("is listed as JSON.parse reads its lines, and no other file is", async () => {
    const index = await indexedFixtures();
    const expected = catalog.flatMap((file) => plainSummary(join(FIXTURES, file.path)) ?? []);
    const listed = await all(index);
    expect(listed).toHaveLength(expected.length);
    for (const summary of expected) {
      const found = listed.find(({ path }) => path === summary.path) as SessionInfo;
      const { problemCount, subagent, compressed, startedBy, agent, computedTitle: _, ...info } = found;
      expect({ ...info, allMessagesText: found.allMessagesText }).toEqual(summary);
      expect(problemCount).toBe((await index.problems(summary.path)).length);
      expect(compressed).toBe(false);
      expect(agent).toBeUndefined(); // these folders belong to no agent
      expect(subagent).toBe(/subagent-artifacts|run-0/.test(summary.path));
      // The scout's parent names the path on another machine: it is found next to the parent here.
      expect(startedBy !== undefined).toBe(subagent);
    }
  });

  test("is listed newest first", async () => {
    const times = (await all(await indexedFixtures())).map(({ modified }) => modified.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(times.length).toBeGreaterThan(40);
  });
});

describe("sorting", () => {
  const VALUES: Record<string, (info: SessionInfo) => number> = {
    modified: ({ modified }) => modified.getTime(),
    created: ({ created }) => created.getTime() || 0,
    messages: ({ messageCount }) => messageCount,
    size: ({ size }) => size,
  };

  test.each(Object.keys(VALUES))("by %s is reversed by the other order", async (sort) => {
    const index = await indexedFixtures();
    const value = VALUES[sort] as (info: SessionInfo) => number;
    const down = await all(index, { sort: sort as ListOptions["sort"] });
    const up = await all(index, { sort: sort as ListOptions["sort"], order: "oldest" });
    expect(down.map(value)).toEqual(down.map(value).toSorted((a, b) => b - a));
    expect(paths(up)).toEqual(paths(down).reverse());
  });

  test("by cost, what a session cost is its own in the usage of the session", async () => {
    const index = await indexedFixtures();
    const down = await all(index, { sort: "cost", costs: true });
    const costs = down.map(({ costUsd }) => costUsd as number);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    for (const { path, costUsd } of down) expect(costUsd).toBe((await index.spend(path)).own.costUsd);
    const up = down.toReversed();
    const lowestFirst = [...up.filter(({ costUsd }) => costUsd), ...up.filter(({ costUsd }) => !costUsd)];
    expect(paths(await all(index, { sort: "cost", order: "oldest" }))).toEqual(paths(lowestFirst));
    expect((await all(index))[0]).not.toHaveProperty("costUsd");
  });

  test("by name is from A to Z by the title, ignoring case", async () => {
    const { index } = await indexed(
      session({ id: "1" }).user("beta"),
      session({ id: "2" }).user("zeta").name("Alpha"),
      session({ id: "3" }).user(" \n Gamma"),
    );
    const ids = async (options: ListOptions) => (await index.listAll(options)).sessions.map(({ id }) => id);
    expect(await ids({ sort: "name" })).toEqual(["2", "1", "3"]);
    expect(await ids({ sort: "name", order: "oldest" })).toEqual(["3", "1", "2"]);
  });

  test.each(["cost", "name"] as const)("by %s continues on the next page, with pins first", async (sort) => {
    const index = await indexedFixtures();
    for (const pinnedFirst of [false, true]) {
      const found: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await index.listAll({
          sort,
          pinnedFirst,
          subagents: "yes",
          limit: 4,
          ...(cursor && { cursor }),
        });
        found.push(...paths(page.sessions));
        if (!page.next) break;
        cursor = page.next;
      }
      expect(found).toEqual(paths(await all(index, { sort, pinnedFirst })));
    }
  });
});

describe("the title of a session that begins with a command", () => {
  const titleOf = async (...messages: string[]) => {
    const work = session();
    for (const message of messages) work.user(message).assistant("Done.");
    const [info] = (await (await indexed(work)).index.listAll()).sessions as [SessionInfo];
    expect(info.firstMessage).toBe(messages[0]); // as pi has it
    return getSessionTitle(info);
  };
  const SKILL = '<skill name="pdf" location="/skills/pdf/SKILL.md">\nRead the PDF.\n\n/them\n</skill>';

  test.each([
    [["/model", "Fix the tax"], "Fix the tax"],
    [["/compact keep the tests", "/model", "Fix the tax", "And the test"], "Fix the tax"],
    [[SKILL, "Fix the tax"], "Fix the tax"],
    [[`${SKILL}\n\nthe invoice`, "Fix the tax"], "the invoice"],
    [["/model"], "/model"],
    [["/model", "/compact"], "/model"],
    [["/home/ada/tax.ts is wrong", "Fix it"], "/home/ada/tax.ts is wrong"],
    [["Fix /model", "And the test"], "Fix /model"],
  ])("%j", async (messages, title) => {
    expect(await titleOf(...messages)).toBe(title);
  });

  test("is its name, is the same in summaries, usage and files that grow, and sorts the list", async () => {
    const work = session({ id: "grows" }).user("/model");
    const { index, path } = await indexed(work, session({ id: "other" }).user("beta"));
    const titles = async () =>
      [
        ...(await index.listSummaries({ sort: "name" })),
        ...(await index.listAll({ sort: "name" })).sessions,
      ].map(getSessionTitle);
    expect(await titles()).toEqual(["/model", "beta", "/model", "beta"]);
    work.user("Zeta", {}).assistant("Done.").write(path);
    await index.sync();
    expect(await titles()).toEqual(["beta", "Zeta", "beta", "Zeta"]);
    const [row] = (await index.usage({ by: ["session"] })).rows;
    expect(row?.session && getSessionTitle(row.session)).toBe("Zeta");
    work.name("Named").write(path);
    await index.sync();
    expect(await titles()).toEqual(["beta", "Named", "beta", "Named"]);
  });
});

describe("allMessagesText", () => {
  const talk = () => session().user("one").assistant("two");

  test("is not enumerable, so JSON and spreads stay small", async () => {
    const [info] = (await (await indexed(talk())).index.listAll()).sessions as [SessionInfo];
    expect(Object.keys(info)).not.toContain("allMessagesText");
    expect(JSON.stringify(info)).not.toContain("two");
    expect(info.allMessagesText).toBe("one two");
  });

  test("is read on access: until then the file may be missing", async () => {
    const { index, path } = await indexed(talk());
    const [info] = (await index.listAll()).sessions as [SessionInfo];
    rmSync(path);
    expect((await index.listAll()).sessions).toHaveLength(1);
    expect(() => info.allMessagesText).toThrow(expect.objectContaining({ code: "FILE_UNREADABLE" }));
    talk().assistant("three").write(path);
    expect(info.allMessagesText).toBe("one two three");
  });
});

describe("the caller of a subagent's session is known", () => {
  const child = () => session({ id: "child", cwd: "/home/ada/shop" }).user("Task: look.");
  const parentOf = (result: Record<string, unknown>) =>
    session({ id: "parent", cwd: "/home/ada/shop" })
      .user("Ask somebody.")
      .toolResult("call", "subagent", "done", { details: { results: [{ agent: "scout", ...result }] } });

  /** Writes the child below the parent's folder, and returns its caller. */
  async function startedBy(place: (folder: string) => string, result: (path: string) => object) {
    const root = join(temporaryFolder(), "sessions");
    const folder = join(root, "--home-ada-shop--");
    const path = place(folder);
    child().write(path);
    const parent = parentOf({ ...result(path) }).write(join(folder, "parent-file.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    const found = await index.find(path);
    expect(found.subagent).toBe(true);
    return { startedBy: found.startedBy, parent };
  }

  test("if a tool result names its artifact", async () => {
    const place = (folder: string) => join(folder, "subagent-artifacts", "1_scout.jsonl");
    const named = await startedBy(place, (path) => ({ artifactPaths: { jsonlPath: path } }));
    expect(named.startedBy).toBe(named.parent);
  });

  test("if a tool result names its session file", async () => {
    const place = (folder: string) => join(folder, "elsewhere", "deep", "x.jsonl");
    const named = await startedBy(place, (path) => ({ sessionFile: path }));
    expect(named.startedBy).toBe(named.parent);
  });

  test("if it is in a folder named like the parent's file", async () => {
    const place = (folder: string) => join(folder, "parent-file", "run-0", "x.jsonl");
    const nested = await startedBy(place, () => ({}));
    expect(nested.startedBy).toBe(nested.parent);
  });

  test("if it is in a folder named like the parent's id", async () => {
    const place = (folder: string) => join(folder, "parent", "x.jsonl");
    const nested = await startedBy(place, () => ({}));
    expect(nested.startedBy).toBe(nested.parent);
  });

  test("if it ran in a temporary folder", async () => {
    const folder = temporaryFolder();
    for (const name of ["PIDEX_ROOTS", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"])
      vi.stubEnv(name, "");
    vi.stubEnv("HOME", folder);
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const path = join(folder, "pi-subagent-session-abc", "run-0", "session.jsonl");
    child().write(path);
    child().write(join(folder, "other", "run-0", "session.jsonl"));
    const parent = parentOf({ sessionFile: path }).write(join(folder, ".pi/agent/sessions/p/parent.jsonl"));
    const index = await openIndex({ db: join(folder, "index.db") });
    onTestFinished(() => index.close());
    await index.sync();
    expect((await index.find(path)).startedBy).toBe(parent);
    expect(paths(await all(index)).toSorted()).toEqual([parent, path].toSorted());
  });

  test("and is omitted without evidence", async () => {
    const place = (folder: string) => join(folder, "a", "b", "x.jsonl");
    expect((await startedBy(place, () => ({}))).startedBy).toBeUndefined();
  });

  test("for eight thousand sessions at once", async () => {
    const root = join(temporaryFolder(), "sessions");
    parentOf({}).write(join(root, "p", "parent-file.jsonl"));
    for (let n = 0; n < 8_200; n++)
      session({ id: `c${n}` }).write(join(root, "p", "parent-file", `${n}.jsonl`));
    const index = await openOver([root]);
    await index.sync();
    const starters = (await all(index, { subagents: "only" })).map(({ startedBy }) => startedBy);
    expect(starters).toHaveLength(8_200);
    expect(new Set(starters)).toEqual(new Set([join(root, "p", "parent-file.jsonl")]));
  });
});

describe("sessions below other roots in the same database", () => {
  test("are never visible", async () => {
    const folder = temporaryFolder();
    const roots = ["pi", "atomic"].map((root) => join(folder, root));
    for (const root of roots) cpSync(join(FIXTURES, "pi"), root, { recursive: true });
    const db = join(folder, "index.db");
    const both = await openOver(roots, db);
    await both.sync();
    const one = await openOver([roots[0] as string], db);
    const seen = await all(one, {});
    expect(seen.length * 2).toBe((await all(both)).length);
    for (const { path } of seen) expect(path.startsWith(`${roots[0]}/`)).toBe(true);
    const [hidden] = (await all(both)).filter(({ path }) => path.startsWith(`${roots[1]}/`)) as [SessionInfo];
    expect((await failure(one.find(hidden.path))).code).toBe("NOT_FOUND");
    expect((await one.find(hidden.id)).path.startsWith(`${roots[0]}/`)).toBe(true);
    for (const { sessionPath } of await one.labels()) expect(sessionPath).toContain(roots[0]);
    for (const { session } of (await one.search("checkout", { limit: 1000 })).sessions) {
      expect(session.path).toContain(roots[0]);
    }
    expect((await one.stats()).files * 2).toBe((await both.stats()).files);
  });

  test("including a root with the same prefix", async () => {
    const folder = temporaryFolder();
    session({ id: "a" })
      .user("a")
      .write(join(folder, "root", "p", "a.jsonl"));
    session({ id: "b" })
      .user("b")
      .write(join(folder, "root2", "p", "b.jsonl"));
    const index = await openOver([join(folder, "root")]);
    await index.sync();
    expect((await all(index)).map(({ id }) => id)).toEqual(["a"]);
  });
});
