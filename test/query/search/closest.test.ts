import { describe, expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { SearchOptions } from "../../../library/index.ts";
import { failure, indexed } from "../opened-queries.ts";

const talk = (id: string, ...messages: string[]): Session => {
  const draft = session({ id });
  for (const message of messages) draft.user(message);
  return draft;
};

/** Searches sessions: returns ids in order, and what the first one lacks. */
async function found(sessions: Session[], query: string, options: SearchOptions = {}) {
  const { index } = await indexed(...sessions);
  const answer = await index.search(query, options);
  const [first] = answer.sessions[0]?.hits ?? [];
  return {
    ids: answer.sessions.map(({ session }) => session.id),
    missing: first?.missing,
    corrected: first?.corrected,
    closest: answer.closest,
    answer,
  };
}

const DOCKER = talk("docker", "The docker build failed on arm64: the base image has no such platform.");
const CACHE = talk("cache", "Prices are cached for a minute, and migrated tenants see old ones.");
const NOISE = talk("noise", "Write the release notes, and thank everybody.");

describe("a sentence", () => {
  const RECENT = talk("recent", "Why does the list wrap?", "The docker image on arm64 has no shell.");
  const QUESTION = "why does the docker image fail on arm64";

  test("matches by the words that carry meaning, and these alone are highlighted", async () => {
    const both = talk(
      "both",
      "Docker on arm64: the image must fail early.",
      "Why does the list wrap? On what does it?",
    );
    const { ids, closest, answer } = await found([NOISE, both, RECENT], QUESTION);
    expect(ids).toEqual(["both", "recent"]);
    expect(closest?.sessionCount).toBe(1);
    const marked = answer.sessions[0]?.hits.map(({ snippet: { text, ranges } }) =>
      ranges.map(([from, to]) => text.slice(from, to).toLowerCase()),
    );
    expect(marked).toEqual([["docker", "arm64", "image", "fail"]]);
  });

  test.each([
    ["if it is strict", QUESTION, { strict: true }],
    ["if they are quoted", '"why" "does" docker image fail "on" arm64', {}],
  ])("requires its other words too %s", async (_, query, options) => {
    const both = talk("both", "Docker with arm64: the image must fail early.");
    const { answer } = await found([both], query, options);
    expect(answer.sessions.filter(({ hits }) => hits[0]?.missing === undefined)).toEqual([]);
  });

  test("with a single word that carries meaning is searched as it is", async () => {
    const other = talk("other", "A function is missing.");
    const error = talk("error", "TypeError: map is not a function");
    expect((await found([error, other], "is not a function")).ids[0]).toBe("error");
    expect((await found([other], "is not a function")).closest?.sessionCount).toBe(1);
  });
});

describe("if no session matches in full", () => {
  test.each([
    ["a word more", "docker arm64 vscode", "docker"],
    ["a sentence", "that session where the docker build was failing on arm64", "docker"],
    ["a typo in one word of several", "dokcer platform vscode", "docker"],
    ["another form", "caching", "cache"],
    ["another form, of several words", "migrate tenant", "cache"],
    ["the beginning of a word", "plat dock", "docker"],
    ["two words for one", "plat form docker", "docker"],
    ["one word for two", "oldones", "cache"],
  ])("%s finds the closest matches", async (_, query, id) => {
    const { ids, closest } = await found([NOISE, DOCKER, CACHE], query);
    expect(ids[0]).toBe(id);
    expect(closest?.sessionCount).toBeGreaterThan(0);
  });

  test.each([10, 1])("counts are of full and closest matches, on pages of %d", async (limit) => {
    const full = [1, 2].map((n) => talk(`full${n}`, `docker arm64 vscode ${n}`));
    const { answer } = await found([...full, DOCKER, NOISE], "docker arm64 vscode", { facets: true, limit });
    expect(answer.totals).toEqual({ hits: 3, sessions: 3, isWhole: true });
    expect(answer.facets?.projects).toMatchObject([{ sessions: 3 }]);
    expect(answer.closest?.sessionCount).toBe(limit === 1 ? undefined : 1);
  });

  test("each hit has the missing and corrected words of its session", async () => {
    const { missing, corrected, closest } = await found([NOISE, DOCKER], "dokcer arm64 vscode");
    expect({ missing, corrected }).toEqual({
      missing: ["vscode"],
      corrected: [{ from: "dokcer", to: "docker" }],
    });
    expect(closest).toEqual({
      sessionCount: 1,
      missing: ["vscode"],
      corrected: [{ from: "dokcer", to: "docker" }],
    });
  });

  test("a rare word counts more than a common one", async () => {
    const common = ["a", "b", "c", "d", "e", "f"].map((id) => talk(id, "the config is here", "config again"));
    const { ids } = await found([...common, talk("rare", "a zebra")], "zebra config xyzzy");
    expect(ids[0]).toBe("rare");
  });

  test("stop words count only if there are no others", async () => {
    expect((await found([talk("the", "where is the thing"), DOCKER], "where the docker is not")).ids).toEqual(
      ["docker"],
    );
    expect((await found([talk("the", "over and out")], "and over here")).ids).toEqual(["the"]);
  });

  test("words within a few lines come before the same words far apart", async () => {
    const filler = Array.from({ length: 40 }, () => "something else altogether");
    const apart = talk("apart", "the parser", ...filler, "the lexer", ...filler, "a crash");
    const close = talk("close", ...filler, "the parser", "the lexer", "a crash", ...filler);
    expect((await found([close, apart], "parser lexer crash qwerty")).ids).toEqual(["close", "apart"]);
  });

  test("Chinese and Japanese are matched by pairs of characters", async () => {
    const sessions = [
      talk("zh", "全文检索找不到两个字的书名"),
      talk("ja", "本番環境でビルドが失敗しました"),
      NOISE,
    ];
    expect((await found(sessions, "为什么检索不到书名")).ids[0]).toBe("zh");
    expect((await found(sessions, "ビルドの失敗を直した")).ids[0]).toBe("ja");
  });

  test("other forms of Russian and German words match", async () => {
    const sessions = [talk("ru", "Сервер съедает память"), talk("de", "Die Datenbank ist langsam"), NOISE];
    expect((await found(sessions, "утечка памяти")).ids[0]).toBe("ru");
    expect((await found(sessions, "langsame datenbanken")).ids[0]).toBe("de");
  });

  test.each([
    ["snake for camel", "parse_session_entries"],
    ["capitals", "PARSESESSIONENTRIES"],
    ["one word", "parsesession"],
    ["kebab, in part", "session-entries-parser"],
  ])("an identifier in another style matches: %s", async (_, query) => {
    const sessions = [NOISE, talk("id", "call parseSessionEntries there")];
    expect((await found(sessions, query)).ids[0]).toBe("id");
  });

  test("an OR with one matching alternative lacks nothing", async () => {
    const { missing } = await found([NOISE, DOCKER], "(docker OR podman) windows");
    expect(missing).toEqual(["windows"]);
  });

  test("a word found only as a prefix is not missing while it is typed", async () => {
    const { missing } = await found([NOISE, DOCKER], "windows platf*");
    expect(missing).toEqual(["windows"]);
  });
});

describe("quoted phrases, fields and exclusions are never relaxed", () => {
  const sessions = [
    session({ id: "shop", cwd: "/home/ada/shop" }).user("double tax in the checkout").assistant("rounding"),
    session({ id: "blog", cwd: "/home/ada/blog" }).user("tax, but not double"),
  ];
  test.each([
    ['"double tax" vscode', ["shop"]],
    ['"no such phrase" tax', []],
    ["checkout vscode project:blog", []],
    ["tax vscode project:blog", ["blog"]],
    ["tax vscode -double", []],
    ["rounding vscode role:user", []],
    ["rounding vscode role:assistant", ["shop"]],
    ["tax vscode file:nowhere.ts", []],
    ['"tax"', ["blog", "shop"]],
  ])("%s", async (query, ids) => {
    expect((await found(sessions, query)).ids.toSorted()).toEqual(ids);
  });
});

describe("sessions that match in full come first", () => {
  const full = (n: number) =>
    Array.from({ length: n }, (_, i) => talk(`full${i}`, `needle in the haystack ${i}`));
  const part = talk("part", "needle alone");

  test.each([1, 2, 3, 4])("%i full matches are followed by closest matches", async (count) => {
    const { ids, closest } = await found([part, ...full(count)], "needle haystack");
    expect(ids).toHaveLength(count + 1);
    expect(ids.at(-1)).toBe("part");
    expect(closest).toMatchObject({ sessionCount: 1, missing: ["haystack"] });
  });

  test("five full matches suppress closest matches", async () => {
    const { ids, closest } = await found([part, ...full(5)], "needle haystack");
    expect(ids).toHaveLength(5);
    expect(closest).toBeUndefined();
  });

  test("strict excludes the others", async () => {
    const { ids, answer } = await found([part, ...full(1)], "needle haystack", { strict: true });
    expect(ids).toEqual(["full0"]);
    expect(answer).toMatchObject({ sessionCount: 1, hitCount: 1 });
  });

  test("a fork of one is not a closest match: it contains copies of the same entries", async () => {
    const parent = talk("parent", "needle in the haystack");
    const fork = parent.fork({ id: "fork" });
    expect((await found([parent, fork], "needle haystack")).ids).toEqual(["parent"]);
  });

  test.each([1, 2, 3, 7])("pages of %i contain each session once, in order", async (limit) => {
    const others = Array.from({ length: 5 }, (_, n) => talk(`part${n}`, `needle ${"hay ".repeat(n)}`));
    const { index } = await indexed(...others, ...full(2));
    const whole = (await index.search("needle haystack")).sessions.map(({ session }) => session.id);
    const paged: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { sessions, next } = await index.search("needle haystack", { limit, cursor });
      paged.push(...sessions.map(({ session }) => session.id));
      cursor = next;
      if (cursor === undefined) break;
    }
    expect(whole.slice(0, 2).toSorted()).toEqual(["full0", "full1"]);
    expect(paged).toEqual(whole);
  });

  test("also as single hits", async () => {
    const { index } = await indexed(part, ...full(1));
    const { hits } = await index.searchEntries("needle haystack");
    expect(hits.map(({ sessionId, missing }) => [sessionId, missing])).toEqual([
      ["full0", undefined],
      ["part", ["haystack"]],
    ]);
  });
});

describe("pasted text", () => {
  const STACK = `TypeError: Cannot read properties of undefined (reading 'advanceWidth')
    at measureGlyphs (/home/ada/kit/src/glyphs.ts:41:17)
    at layoutLine (/home/ada/kit/src/layout.ts:203:9)`;
  const sessions = [
    NOISE,
    session({ id: "glyphs" }).assistant([toolCall("c", "bash", { command: "npm test" })]),
  ];
  sessions[1]?.toolResult("c", "bash", STACK);

  test("matches despite other paths, lines and names around it", async () => {
    const pasted = STACK.replaceAll("/home/ada/kit", "/builds/x7f3a9/kit").replace("41:17", "88:3");
    expect((await found(sessions, pasted)).ids[0]).toBe("glyphs");
  });

  test.each([
    ["quotes and dashes", `error: "advanceWidth" -- not a function -x in measureGlyphs (pid 9127)`],
    ["what the query language refuses", "layoutLine(role: user) measureGlyphs) rol:x a b c d e"],
    ["an unmatched parenthesis", 'measureGlyphs("");'],
  ])("treats %s as punctuation", async (_, pasted) => {
    expect((await found(sessions, pasted)).ids[0]).toBe("glyphs");
  });

  test("reports why it was searched as plain words", async () => {
    const { answer } = await found(sessions, 'measureGlyphs("");');
    expect(answer.notAQuery).toBe('")" has no matching "(" (at character 17 of the query)');
  });

  test("may have any length", async () => {
    const long = Array.from({ length: 5_000 }, (_, n) => `line ${n}: at layoutLine${n} (${n}:1)`).join("\n");
    const { ids } = await found(sessions, `${long}\nmeasureGlyphs`);
    expect(ids.length).toBeLessThanOrEqual(2);
  });

  test("is not assumed for a short invalid query, which is rejected", async () => {
    const { index } = await indexed(NOISE);
    expect((await failure(index.search("rol:user tax"))).code).toBe("BAD_QUERY");
  });
});

describe("closest matches", () => {
  test("highlight quoted words too", async () => {
    const { answer } = await found([talk("tax", "the double tax at the checkout")], '"double tax" vscode');
    const { text = "", ranges = [] } = answer.sessions[0]?.hits[0]?.snippet ?? {};
    expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual(["double tax"]);
  });

  test("are at most ten, without those far below the best", async () => {
    const many = Array.from({ length: 14 }, (_, n) => talk(`many${n}`, "alpha beta gamma"));
    expect((await found(many, "alpha beta gamma delta")).ids).toHaveLength(10);
    const weak = talk("weak", `${"something else, at length, ".repeat(200)} the`);
    expect((await found([...many.slice(0, 2), weak], "alpha beta gamma the delta")).ids).not.toContain(
      "weak",
    );
  });

  test("are sorted by relevance, whatever the order of the others", async () => {
    const old = session({ id: "old", timestamp: "2024-01-01T00:00:00.000Z" }).user("alpha beta");
    const recent = session({ id: "new", timestamp: "2026-01-01T00:00:00.000Z" }).user("alpha and others");
    for (const sort of ["relevance", "newest", "oldest"] as const) {
      expect((await found([recent, old], "alpha beta gamma", { sort })).ids[0]).toBe("old");
    }
  });

  test("include forms of a word that is in every entry", async () => {
    const both = Array.from({ length: 4 }, (_, n) => talk(`both${n}`, "caching cached"));
    const { ids } = await found([...both, talk("form", "cached")], "caching xyzzy");
    expect(ids).toContain("form");
  });

  test("are found if a nearer word was only in a deleted entry", async () => {
    const { index, root } = await indexed(talk("stays", "docker"));
    const path = talk("goes", "dokcers").writeUnder(root);
    await index.sync();
    talk("goes", "something else").write(path);
    await index.sync();
    expect((await index.search("dokcer")).sessions.map(({ session }) => session.id)).toEqual(["stays"]);
  });

  test("lack no word that only their older entries contain", async () => {
    const old = session({ id: "old", timestamp: "2024-01-01T00:00:00.000Z" }).user("tax zyxword");
    const crowd = session({ id: "crowd", timestamp: "2026-01-01T00:00:00.000Z" });
    for (let n = 0; n < 900; n++) crowd.user(`tax entry ${n}`);
    const { answer } = await found([old, crowd], "tax zyxword qqqnope");
    const first = answer.sessions.find(({ session }) => session.id === "old");
    expect(first?.hits[0]?.missing).toEqual(["qqqnope"]);
  });

  test("may contain what pasted text seems to exclude", async () => {
    const pasted = "docker run -it --rm -v nginxproxy webserver\nError response from daemon conflict";
    expect((await found([talk("other", "daemon"), talk("source", pasted)], pasted)).ids[0]).toBe("source");
  });

  test("do not change between pages when sessions are added", async () => {
    const all = Array.from({ length: 4 }, (_, n) => talk(`s${n}`, `rounding cents checkout ${n}`));
    const { index, root } = await indexed(...all);
    const first = await index.search("roundng", { limit: 2 });
    talk("later", "roundng").writeUnder(root);
    await index.sync();
    const second = await index.search("roundng", { limit: 2, cursor: first.next });
    const ids = [...first.sessions, ...second.sessions].map(({ session }) => session.id);
    expect(ids.toSorted()).toEqual(["s0", "s1", "s2", "s3"]);
  });

  test("return copies of an entry once, in the oldest session", async () => {
    const parent = talk("parent", "alpha beta word", "alpha gamma text");
    const fork = parent.fork({ id: "fork" }).user("epsilon beta only in the fork");
    const { index } = await indexed(parent, fork);
    const { hits } = await index.searchEntries("alpha beta epsilon zzzq", { limit: 100 });
    expect(hits.map(({ sessionId }) => sessionId).toSorted()).toEqual(["fork", "parent", "parent"]);
  });
});

test("an id that other entries contain too is counted once", async () => {
  const id = "019bd693-3ab4-7000-8000-000000000001";
  const { index } = await indexed(session({ id }).user(`this is ${id}`).user(`and ${id}`));
  const { hitCount, sessionCount, facets } = await index.search(id, { facets: true });
  expect({ hitCount, sessionCount, roles: facets?.roles }).toEqual({
    hitCount: 2,
    sessionCount: 1,
    roles: [{ value: "user", hits: 2, sessions: 1 }],
  });
});

test("a title entry comes after the conversation", async () => {
  const draft = talk("named", "queue the mail", "mail is queued").name("Queue all mail");
  const { index } = await indexed(draft);
  const types = (await index.search("queue mail")).sessions[0]?.hits.map(({ type }) => type);
  expect(types?.[0]).toBe("message");
  expect(types?.at(-1)).toBe("session_info");
});

test("if only the title matches, the conversation still comes first", async () => {
  const draft = talk("named", "please look at the mail", "done").name("Queue mail");
  const { index } = await indexed(draft);
  const [first] = (await index.search("queue mail")).sessions;
  expect(first?.hits.map(({ line }) => line)).toEqual([2, 4]);
});
