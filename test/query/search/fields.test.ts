import { describe, expect, test } from "vitest";
import { text, thinking, toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import type { SearchOptions } from "../../../library/index.ts";
import { failure, indexed } from "../opened-queries.ts";

/** Three sessions in which every entry contains "needle" and differs in a field. */
const talks = () => [
  session({ id: "shop-1", cwd: "/home/ada/shop", timestamp: "2026-01-01T12:00:00.000Z" })
    .user("needle asked") // line 2
    .assistant(
      [
        thinking("needle"),
        text("needle answered"),
        toolCall("c1", "bash", { command: "cat /home/ada/shop/needle.txt" }),
      ],
      { usage: { input: 1, output: 1, cost: { total: 1.5 } } },
    ) // 3
    .toolResult("c1", "bash", "needle: No such file", { isError: true }) // 4
    .assistant([toolCall("c2", "mcp__db__query", { sql: "needle" })], { usage: { input: 1, output: 1 } }) // 5
    .toolResult("c2", "mcp__db__query", "needle rows") // 6
    .bash("needle", "not found", { exitCode: 127 }) // 7
    .name("The Needle Till"), // 8
  session({
    id: "blog-1",
    cwd: "/home/ada/blog",
    timestamp: "2026-02-01T12:00:00.000Z",
    parentSession: "/elsewhere.jsonl",
  })
    .model("openai", "gpt-7")
    .user("needle in the blog") // 3
    .assistant("needle said GPT", { provider: "openai", model: "gpt-7" }) // 4
    .compaction("needle compacted", "x"), // 5
];

const placesOf = async (query: string, options: SearchOptions = {}): Promise<string[]> => {
  const { index } = await indexed(...talks());
  const { hits } = await index.searchEntries(query, { limit: 100, ...options });
  return hits.map(({ sessionId, line }) => `${sessionId}:${line}`).sort();
};

const SHOP = ["shop-1:2", "shop-1:3", "shop-1:4", "shop-1:5", "shop-1:6", "shop-1:7", "shop-1:8"];
const BLOG = ["blog-1:3", "blog-1:4", "blog-1:5"];

describe("a field narrows words", () => {
  test.each<[string, string[]]>([
    ["needle role:user", ["blog-1:3", "shop-1:2"]],
    ["needle role:toolresult", ["shop-1:4", "shop-1:6"]],
    ["needle role:user,bashExecution", ["blog-1:3", "shop-1:2", "shop-1:7"]],
    ["needle -role:user,toolResult,assistant", ["blog-1:5", "shop-1:7", "shop-1:8"]],
    ["needle role:narrator", []],
    ["needle type:session_info,compaction", ["blog-1:5", "shop-1:8"]],
    ["needle tool:bash", ["shop-1:3", "shop-1:4"]],
    ["needle tool:MCP__*", ["shop-1:5", "shop-1:6"]],
    ["needle tool:mcp", []],
    ["needle is:error", ["shop-1:4", "shop-1:7"]],
    ["needle is:named", SHOP],
    ["needle is:forked", BLOG],
    ["needle -is:forked", SHOP],
    ["needle name:needle", SHOP],
    ['needle name:"the needle"', SHOP],
    ["needle -name:needle", BLOG],
    ["needle project:shop", SHOP],
    ["needle project:ada/blog,nowhere", BLOG],
    ["needle cwd:/home/ada/blog", BLOG],
    ["needle model:GPT", BLOG],
    ["needle -model:gpt", SHOP],
    ["needle provider:openai", BLOG],
    ["needle session:shop", SHOP],
    ["needle session:@last", BLOG],
    ["needle messages:>3", SHOP],
    ["needle messages:>=2 messages:<3", BLOG],
    ["needle messages:2", BLOG],
    ["needle messages:..2,6..", [...BLOG, ...SHOP]],
    ["needle -messages:=2", SHOP],
    ["needle cost:<1", BLOG],
    ["needle cost:>=1.5", SHOP],
    ["needle cost:$1.5", SHOP],
    ["needle cost:0.1..1.4999", []],
    ["needle -cost:1..", BLOG],
    ["needle since:2026-01-15", BLOG],
    ["needle until:2026-01-15", SHOP],
    ["needle since:2026-01-15 until:2026-01-16", []],
    ["needle (role:user OR is:error)", ["blog-1:3", "shop-1:2", "shop-1:4", "shop-1:7"]],
    ["needle (asked OR role:assistant project:blog)", ["blog-1:4", "shop-1:2"]],
    ["needle -(role:user OR is:named)", ["blog-1:4", "blog-1:5"]],
    ["needle -(blog OR is:named)", ["blog-1:4", "blog-1:5"]],
    ["needle file:needle.txt", ["shop-1:3"]],
    ["needle file:/home/ada/shop/needle.txt", ["shop-1:3"]],
    ["answered OR compacted OR rows -role:user", ["blog-1:5", "shop-1:3", "shop-1:6"]],
  ])("%s", async (query, places) => {
    expect(await placesOf(query)).toEqual(places.toSorted());
  });
});

describe("fields alone find entries", () => {
  test.each<[string, string[]]>([
    ["role:user", ["blog-1:3", "shop-1:2"]],
    ["is:error", ["shop-1:4", "shop-1:7"]],
    ["is:forked", BLOG], // not because the model changed
    ["type:model_change", ["blog-1:2"]],
    ["file:needle.txt", ["shop-1:3"]],
    ["role:user -blog", ["shop-1:2"]],
  ])("%s", async (query, places) => {
    expect(await placesOf(query)).toEqual(places.toSorted());
  });

  test("newest first", async () => {
    const { index } = await indexed(...talks());
    const { hits } = await index.searchEntries("-role:narrator", { limit: 100 });
    const times = hits.map(({ timestamp }) => timestamp ?? "");
    expect(times).toEqual(times.toSorted().reverse());
    expect(hits).toHaveLength(SHOP.length + BLOG.length);
    expect(hits[0]?.snippet.ranges).toEqual([]);
  });
});

describe("session metadata", () => {
  const sessionsWithMetadata = () => [
    session({ id: "pinned" })
      .user("needle")
      .custom("pidex", { pinned: true, tags: ["Später", "area/shop"] }),
    session({ id: "away" })
      .user("needle")
      .custom("pidex", { archived: true, tags: ["area/blog"] }),
    session({ id: "plain" }).user("needle"),
  ];

  test.each<[string, string[]]>([
    ["needle is:pinned", ["pinned"]],
    ["needle -is:pinned", ["away", "plain"]],
    ["needle is:archived", ["away"]],
    ["is:archived,pinned", ["away", "pinned"]],
    ["needle tag:SPÄTER", ["pinned"]],
    ["tag:area/blog", ["away"]],
    ["needle tag:area/*", ["away", "pinned"]],
    ["needle tag:area", []],
    ['needle tag:"area/shop",nothing', ["pinned"]],
    ["needle -tag:area/*", ["plain"]],
    ["tag:area/* tag:später", ["pinned"]],
    ["tag:später OR is:archived", ["away", "pinned"]],
  ])("%s", async (query, ids) => {
    const { index } = await indexed(...sessionsWithMetadata());
    const { sessions } = await index.search(query);
    expect(sessions.map(({ session: { id } }) => id).sort()).toEqual(ids);
  });

  test.each<[string, string[]]>([
    ["needle", ["pinned", "plain"]],
    ["needle is:archived", ["away"]],
    ["is:archived", ["away"]],
    ["is:archived,pinned", ["away", "pinned"]],
    ["needle -is:archived", ["pinned", "plain"]],
    ["session:away", ["away"]],
    ["-session:away -is:pinned", ["plain"]],
  ])("%s is not contradicted by a filter that excludes archived sessions", async (query, ids) => {
    const { index } = await indexed(...sessionsWithMetadata());
    const { sessions } = await index.search(query, { archived: "no" });
    expect(sessions.map(({ session: { id } }) => id).sort()).toEqual(ids);
    const scanned: string[] = [];
    for await (const hit of index.scan({ substring: "needle" }, { query, archived: "no" }))
      scanned.push(hit.sessionId);
    expect([...new Set(scanned)].sort()).toEqual(ids);
  });

  test("is part of every result", async () => {
    const { index } = await indexed(...sessionsWithMetadata());
    const [found] = (await index.search("tag:später")).sessions;
    expect(found?.session).toMatchObject({ pinned: true, archived: false, tags: ["Später", "area/shop"] });
    expect(await index.find("away")).toMatchObject({ pinned: false, archived: true, tags: ["area/blog"] });
    expect(await index.find("plain")).toMatchObject({ pinned: false, archived: false, tags: [] });
  });

  test("has tags exactly as they were set", async () => {
    const tags = ["b", "a", 'quote " \\', "nul\0nul", "line\nline", "数据库", "🧺"];
    const { index } = await indexed(session({ id: "odd" }).user("x").custom("pidex", { tags }));
    expect((await index.find("odd")).tags).toEqual(tags);
  });
});

test("a label is found by its text, and by its entry", async () => {
  const talk = session().user("one").user("needle two");
  talk.label(talk.leaf as string, "Look Here");
  const { index } = await indexed(talk);
  const lines = async (query: string) => (await index.searchEntries(query)).hits.map(({ line }) => line);
  expect(await lines("label:look")).toEqual([3]);
  expect(await lines('label:"look here" needle')).toEqual([3]);
  expect(await lines('"look here"')).toEqual([4]);
  expect(await lines("label:elsewhere")).toEqual([]);
});

test("values are bound: quotes, stars and SQL syntax are text", async () => {
  const { index } = await indexed(...talks());
  for (const value of ["'", '"; DROP TABLE entry; --"', "%", "_", "[a", "?", "a*'b", "\\", "\ud800", "数"]) {
    for (const field of [
      "role",
      "tool",
      "file",
      "label",
      "name",
      "tag",
      "project",
      "agent",
      "model",
      "provider",
      "session",
    ]) {
      const query = value.startsWith('"') ? `${field}:${value}` : `${field}:"${value}"`;
      expect([query, (await index.searchEntries(`needle ${query}`)).hitCount]).toEqual([query, 0]);
    }
  }
});

test("a missing session and an invalid path are reported", async () => {
  const { index } = await indexed();
  expect((await failure(index.search("session:@last"))).code).toBe("NOT_FOUND");
  const { index: other } = await indexed(...talks());
  expect((await failure(other.search("cwd:file://elsewhere/x"))).code).toBe("BAD_OPTION");
});
