import { describe, expect, test } from "vitest";
import { image, text, thinking, toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { Hit, Index, SearchOptions } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { failure, indexed, openOver } from "../opened-queries.ts";

const hitsOf = async (index: Index, query: string, options: SearchOptions = {}): Promise<Hit[]> =>
  (await index.search(query, { limit: 1000, hits: 1000, ...options })).sessions.flatMap(({ hits }) => hits);
/** The matching lines in a session with these messages; the first is line 2. */
const linesOf = async (messages: string[], query: string): Promise<number[]> => {
  const talk = session();
  for (const message of messages) talk.user(message);
  const { index } = await indexed(talk);
  return (await hitsOf(index, query, { strict: true })).map(({ line }) => line - 1).sort();
};

describe("indexed text", () => {
  const talk = () =>
    session()
      .user("said-user")
      .user("plainstring")
      .message({ role: "user", content: "bare" })
      .assistant([
        thinking("thought"),
        text("answered"),
        toolCall("c", "toolname", { path: "calledpath", n: 4711 }),
      ])
      .toolResult("c", "toolname", "resulted", { isError: true })
      .bash("commanded", "printed")
      .assistant([], { errorMessage: "overloaded" })
      .compaction("compacted", null as unknown as string)
      .branchSummary("root", "branched")
      .entry({ type: "session_summary", summary: "summarized" })
      .customMessage("kind", "custommessage")
      .message({ role: "custom", content: "customrole" })
      .usage("title", {}, { note: "noted" })
      .label("x", "labeled")
      .name("named");

  test.each([
    ["said", "user", "message"],
    ["bare", "user", "message"],
    ["answered", "assistant", "message"],
    ["thought", "assistant", "thinking"],
    ["toolname", "assistant", "call"],
    ["calledpath", "assistant", "call"],
    ["4711", "assistant", "call"],
    ["resulted", "toolResult", "output"],
    ["commanded", "bashExecution", "call"],
    ["printed", "bashExecution", "output"],
    ["overloaded", "assistant", "message"],
    ["compacted", undefined, "message"],
    ["branched", undefined, "message"],
    ["summarized", undefined, "message"],
    ["custommessage", undefined, "message"],
    ["customrole", "custom", "message"],
    ["noted", undefined, "message"],
    ["labeled", undefined, "message"],
    ["named", undefined, "message"],
  ])("%s is found (role %s, part %s) and highlighted", async (word, role, part) => {
    const { index } = await indexed(talk());
    const hits = await hitsOf(index, word);
    expect(hits).toHaveLength(1);
    const [{ snippet, ...hit }] = hits as [Hit];
    expect(hit).toMatchObject({ role, part });
    expect(snippet.ranges.map(([from, to]) => snippet.text.slice(from, to))).toEqual([word]);
  });

  test("excludes images, signatures, system prompts, extension data and unknown types", async () => {
    const { index } = await indexed(
      session()
        .message({ role: "system", content: "hidden" })
        .user([image("hidden"), { type: "video", text: "hidden" }])
        .assistant([thinking("seen", "hidden")], { api: "hidden", responseId: "hidden" })
        .toolResult("hidden", "hidden", "seen", { details: { diff: "hidden" } })
        .custom("hidden", { state: "hidden" })
        .customMessage("hidden", "seen", { details: "hidden" })
        .model("hidden", "hidden")
        .thinking("hidden")
        .compaction("seen", "hidden", {
          details: "hidden",
          systemMessage: { role: "system", content: "hidden" },
        })
        .entry({ type: "voice_note", text: "hidden" })
        .message({ role: "narrator", content: "hidden" }),
    );
    expect(await hitsOf(index, "hidden")).toEqual([]);
    expect(await hitsOf(index, "seen")).toHaveLength(4);
  });
});

describe("a query", () => {
  const MESSAGES = [
    "The quick brown fox", // 1
    "the fox was quick", // 2
    "Foxes are QUICK", // 3
    "parseSessionEntries(HTTPServer)", // 4
    "snake_case_name in src/session/readLines.ts", // 5
    "naïve Café, Straße, CAFE\u0301S", // 6
    "用SQLite数据库检索很快", // 7
    "東京の店舗で本を並べる データベース", // 8
    "한국어 데이터베이스 검색", // 9
    "latest contest", // 10
    "a C:\\Users\\ada\\till\\index.ts b", // 11
    "fooBar then src/foo_bar/BazQux.tsx", // 12
  ];

  test.each<[string, number[]]>([
    ["quick fox", [1, 2]],
    ["fox quick", [1, 2]],
    ["QUICK", [1, 2, 3]],
    ['"quick fox"', []],
    ['"quick brown"', [1]],
    ['"fox was quick', [2]],
    ['the "brown fox"', [1]],
    ["fox*", [1, 2, 3]],
    ['"brown fo"*', [1]],
    ["fo", []],
    ["fo*", [1, 12, 2, 3]],
    ["quick -fox", [3]],
    ["quick OR nothing", [1, 2, 3]],
    ["(fox OR foxes) -brown", [2, 3]],
    ["parseSessionEntries", [4]],
    ["PARSESESSIONENTRIES", [4]],
    ["session", [4, 5]],
    ["parse session", [4]],
    ["Entries", [4]],
    ["http", [4]],
    ["server", [4]],
    ["httpserver", [4]],
    ["parseSess*", [4]],
    ["snake_case_name", [5]],
    ["snake", [5]],
    ["case_name", [5]],
    ["src/session/readLines.ts", [5]],
    ["session/readLines", [5]],
    ["readlines", [5]],
    ["lines.ts", []],
    ["readlines.ts", [5]],
    ["SRC/SESSION/READLINES.TS", [5]],
    ["read lines", [5]],
    ['"read lines"', [5]],
    ["src", [12, 5]],
    ['"in src/session"', [5]],
    ["naive", [6]],
    ["NAÏVE cafe", [6]],
    ["straße", [6]],
    ["cafés", [6]],
    ["数", [7]],
    ["库", [7]],
    ["快", [7]],
    ["数据", [7]],
    ["据库", [7]],
    ["数据库", [7]],
    ["库数", []],
    ["数库", []],
    ["SQLite数据库", [7]],
    ["用SQLite", [7]],
    ["sqlite", [7]],
    ["店", [8]],
    ["東京", [8]],
    ["並べる", [8]],
    ["データ", [8]],
    ["데", [9]],
    ["검색", [9]],
    ["데이터", [9]],
    ["한국어 검색", [9]],
    ['"한국어 데이터베이스"', [9]],
    ["test", []],
    ["C:\\Users\\ada", [11]],
    ["ada\\till\\index.ts", [11]],
    ["fooBar", [12]],
    ["foo_bar/BazQux.tsx", [12]],
    ['"fooBar then src"', [12]],
    ["baz", [12]],
  ])("%s finds messages %j", async (query, lines) => {
    expect(await linesOf(MESSAGES, query)).toEqual(lines.toSorted());
  });

  test.each([[""], ["  "], ["*"], ['""'], ['"'], ["-"], ["()"], ["\0"], ["\ud800"], ["…"], ["=>"], ["**"]])(
    "without letters and digits is rejected: %j",
    async (query) => {
      const index = await openOver([temporaryFolder()]);
      const error = await failure(index.search(query));
      expect(error.code).toBe("BAD_QUERY");
      expect(error.hint).not.toBe("");
    },
  );
});

describe("a result", () => {
  const talks = (): Session[] =>
    ["a", "b", "c"].map((id, n) => {
      const talk = session({ id, timestamp: `2026-01-0${n + 1}T12:00:00.000Z` });
      for (let m = 0; m <= n; m++) talk.user(`needle ${m}`).assistant(`needle again ${m}`);
      return talk;
    });

  test("groups hits by session, with their number", async () => {
    const { index } = await indexed(...talks());
    const found = await index.search("needle", { hits: 1000 });
    expect(found).toMatchObject({ hitCount: 12, sessionCount: 3, more: false, changedFiles: [] });
    expect(found).not.toHaveProperty("next");
    expect(new Set(found.sessions.map(({ session, hitCount }) => `${session.id} ${hitCount}`))).toEqual(
      new Set(["a 2", "b 4", "c 6"]),
    );
    for (const { hits, hitCount } of found.sessions) expect(hits).toHaveLength(hitCount);
  });

  test("contains at most the requested numbers of sessions and hits, best first", async () => {
    const { index } = await indexed(...talks());
    const found = await index.search("needle", { limit: 2, hits: 1 });
    expect(found.sessions.map(({ hits }) => hits.length)).toEqual([1, 1]);
    expect(found.hitCount).toBe(12);
    const scores = (await hitsOf(index, "needle")).map(({ score }) => score);
    for (const score of scores) expect(score).toBeGreaterThan(0);
    for (const { hits } of (await index.search("needle", { hits: 9 })).sessions) {
      expect(hits.map(({ score }) => score)).toEqual(
        hits.map(({ score }) => score).toSorted((a, b) => b - a),
      );
    }
  });

  test("can be filtered by role, time and project, and by subagents", async () => {
    const { index } = await indexed(
      ...talks(),
      session({ cwd: "/home/ada/blog" }).user("needle in the blog"),
    );
    const count = async (options: SearchOptions) => (await hitsOf(index, "needle", options)).length;
    expect(await count({})).toBe(13);
    expect(await count({ role: "assistant" })).toBe(6);
    expect(await count({ role: "toolResult" })).toBe(0);
    expect(await count({ project: "blog" })).toBe(1);
    expect(await count({ since: "2026-01-03T00:00:00Z", until: "2026-01-04T00:00:00Z" })).toBe(6);
    expect(await count({ until: "2026-01-02T12:00:06Z" })).toBe(3);
    expect(await count({ subagents: "only" })).toBe(0);
    expect((await failure(index.search("needle", { hits: 0 }))).code).toBe("BAD_OPTION");
    expect((await failure(index.search("needle", { limit: 1001 }))).code).toBe("BAD_OPTION");
    expect((await failure(index.search("needle", { flat: true } as SearchOptions))).code).toBe("BAD_OPTION");
  });
});

test("a rewritten file is synced and searched again, unless disabled", async () => {
  const { index, path } = await indexed(session({ id: "one" }).user("zebra"));
  session({ id: "one" }).user("a longer line about a zebra").write(path);
  expect(await index.search("zebra", { sync: false })).toMatchObject({ sessions: [], changedFiles: [path] });
  expect(await index.search("zebra")).toMatchObject({ hitCount: 1, changedFiles: [] });
});

test("if nothing is found, the words that no entry contains are listed", async () => {
  const { index } = await indexed(session({ id: "a" }).user("apple"), session({ id: "b" }).user("pear"));
  expect((await index.search('apple plum "ripe fig" (x OR y)')).unfound).toEqual(["plum", "ripe fig"]);
  expect(await index.search("apple pear")).not.toHaveProperty("unfound");
  expect((await index.search("plum")).unfound).toEqual(["plum"]);
  expect(await index.search("apple")).not.toHaveProperty("unfound");
});

test("a time outside four-digit years is omitted, and the entry is found nevertheless", async () => {
  const { index } = await indexed(session().user("needle", { timestamp: "+275760-09-13T00:00:00.000Z" }));
  const { hits } = await index.searchEntries("needle");
  expect(hits).toHaveLength(1);
  expect(hits[0]?.timestamp).toBeUndefined();
});
