import { describe, expect, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import type { ListOptions, SearchOptions } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { failure, indexed, openOver } from "./opened-queries.ts";

/** Sessions by id. Each differs from the others in a field of some filter. */
const DAY = 86400e3;
const at = (time: number) => new Date(time).toISOString();
const now = Date.now();

const talk = (id: string, options: Parameters<typeof session>[0] = {}): Session =>
  session({ id, cwd: "/home/ada/other", timestamp: "2026-01-05T09:00:00.000Z", ...options }).user("Hello.");

const listed = async (sessions: Session[], options: ListOptions): Promise<string[]> => {
  const { index } = await indexed(...sessions);
  return (await index.listAll(options)).sessions.map(({ id }) => id).sort();
};

describe("cwd", () => {
  const sessions = () => [
    talk("shop", { cwd: "/home/ada/shop" }),
    talk("below", { cwd: "/home/ada/shop/web" }),
    talk("case", { cwd: "/home/ada/Shop" }),
    talk("none", { header: { cwd: undefined } }),
  ];

  test("matches the complete directory", async () => {
    expect(await listed(sessions(), { cwd: "/home/ada/shop" })).toEqual(["shop"]);
  });

  test("can be passed as list(cwd), including relative paths", async () => {
    const { index } = await indexed(...sessions());
    const { sessions: found } = await index.list("/home/ada/shop/web/..");
    expect(found.map(({ id }) => id)).toEqual(["shop"]);
    expect((await index.list("/home/ada/nowhere")).sessions).toEqual([]);
  });

  test("rejects, instead of throwing, if it is not a path", async () => {
    const { index } = await indexed(talk("a"));
    expect((await failure(index.list("file://elsewhere/x"))).code).toBe("BAD_OPTION");
  });
});

describe("except", () => {
  const twoOf = async () => {
    const { index, paths } = await indexed(talk("a"), talk("b"), talk("ab"), talk("c"));
    return { index, except: ["a", paths[1] as string] };
  };
  const idsOf = (sessions: readonly { session: { id: string } }[]) =>
    sessions.map(({ session }) => session.id);

  test("excludes sessions by complete id and by path, in every query", async () => {
    const { index, except } = await twoOf();
    const list = await index.listAll({ except, limit: 1 });
    expect(list.total).toBe(2);
    const rest = await index.listAll({ except, limit: 1, ...(list.next && { cursor: list.next }) });
    expect([...list.sessions, ...rest.sessions].map(({ id }) => id).sort()).toEqual(["ab", "c"]);
    const found = await index.search("hello", { except });
    expect([found.sessionCount, idsOf(found.sessions).sort()]).toEqual([2, ["ab", "c"]]);
    const scanned = await Array.fromAsync(index.scan({ substring: "Hello" }, { except }));
    expect(scanned.map(({ sessionId }) => sessionId).sort()).toEqual(["ab", "c"]);
  });

  test("ignores unknown sessions and empty lists", async () => {
    const { index } = await twoOf();
    expect((await index.listAll({ except: ["nobody"] })).total).toBe(4);
    expect((await index.listAll({ except: [] })).total).toBe(4);
    expect((await failure(index.listAll({ except: [""] }))).code).toBe("BAD_OPTION");
  });
});

describe("project", () => {
  const sessions = () => [
    talk("shop", { cwd: "/home/ada/shop" }),
    talk("Shop", { cwd: "/srv/Shop" }),
    talk("workshop", { cwd: "/home/ada/workshop" }),
    talk("till", { cwd: "C:\\Users\\ada\\till" }),
    talk("books", { cwd: "/home/ada/Книги" }),
    talk("none", { header: { cwd: undefined } }),
  ];

  test.each([
    ["shop", ["Shop", "shop"]],
    ["SHOP", ["Shop", "shop"]],
    ["ada/shop", ["shop"]],
    ["/home/ada/shop", ["shop"]],
    ["ada/shop/", ["shop"]],
    ["da/shop", []],
    ["hop", []],
    ["till", ["till"]],
    ["ada\\till", ["till"]],
    ["C:/Users/ada/till", ["till"]],
    ["Книги", ["books"]],
    ["ada/Книги", ["books"]],
    ["%", []],
    ["sho_", []],
  ])("%s matches %j", async (project, ids) => {
    expect(await listed(sessions(), { project })).toEqual(ids);
  });
});

describe("model", () => {
  const sessions = () => [
    talk("sonnet").assistant("a"),
    talk("both").assistant("a").model("openai", "gpt-5.2").assistant("b"),
    talk("never").model("openai", "gpt-5.2"),
  ];

  test.each([
    ["sonnet", ["both", "sonnet"]],
    ["GPT", ["both"]],
    ["openai/gpt-5.2", ["both"]],
    ["anthropic/", ["both", "sonnet"]],
    ["gpt-_", []],
    ["gemini", []],
  ])("%s matches %j", async (model, ids) => {
    expect(await listed(sessions(), { model })).toEqual(ids);
  });
});

describe("since and until", () => {
  const sessions = () => [
    talk("old", { timestamp: at(now - 30 * DAY) }),
    talk("week", { timestamp: at(now - 8 * DAY) }),
    talk("days", { timestamp: at(now - 3 * DAY) }),
    talk("hour", { timestamp: at(now - DAY / 24) }),
  ];

  test.each<[ListOptions, string[]]>([
    [{ since: "7d" }, ["days", "hour"]],
    [{ since: "2w" }, ["days", "hour", "week"]],
    [{ until: "1w" }, ["old", "week"]],
    [{ since: "90m" }, ["hour"]],
    [{ since: "2h", until: "30m" }, ["hour"]],
    [{ since: "1y" }, ["days", "hour", "old", "week"]],
    [{ since: new Date(now - 4 * DAY) }, ["days", "hour"]],
    [{ since: now - 10 * DAY, until: now - 5 * DAY }, ["week"]],
    [{ since: at(now - 4 * DAY) }, ["days", "hour"]],
    [{ until: at(now - 4 * DAY) }, ["old", "week"]],
  ])("%j matches %j", async (options, ids) => {
    expect(await listed(sessions(), options)).toEqual(ids);
  });

  test("take a date in the local time zone, and until excludes that day", async () => {
    const midnight = new Date(2026, 0, 31).getTime();
    // The only entry is 5 s newer than the header.
    const sessions = [
      talk("before", { timestamp: at(midnight - 6000) }),
      talk("at", { timestamp: at(midnight - 5000) }),
    ];
    expect(await listed(sessions, { since: "2026-01-31" })).toEqual(["at"]);
    expect(await listed(sessions, { until: "2026-01-31" })).toEqual(["before"]);
    expect(await listed(sessions, { since: "2026-01-31T00:00", until: "2026-02" })).toEqual(["at"]);
  });
});

describe("flags", () => {
  const sessions = () => [
    talk("named").name("a name"),
    talk("cleared").name("a name").name(""),
    talk("internal", { header: { internal: true } }),
    talk("broken").raw("no JSON"),
    talk("pinned").custom("pidex", { pinned: true }),
    ((labeled) => labeled.label(labeled.lastId, "mark"))(talk("labeled")),
    ((cleared) => cleared.label(cleared.lastId, "mark").label(cleared.entries[0]?.id as string))(
      talk("unlabeled"),
    ),
  ];
  const ids = ["broken", "cleared", "internal", "labeled", "named", "pinned", "unlabeled"];

  test.each<[keyof ListOptions, string]>([
    ["named", "named"],
    ["labeled", "labeled"],
    ["pinned", "pinned"],
    ["internal", "internal"],
    ["problems", "broken"],
  ])("%s true and false partition the sessions", async (flag, only) => {
    expect(await listed(sessions(), { [flag]: true })).toEqual([only]);
    expect(await listed(sessions(), { [flag]: false })).toEqual(ids.filter((id) => id !== only));
  });

  test("subagents are excluded, included, or listed alone", async () => {
    const root = temporaryFolder();
    talk("person").write(`${root}/p/a.jsonl`);
    talk("artifact").write(`${root}/p/subagent-artifacts/a.jsonl`);
    talk("nested").write(`${root}/p/a/run-0/a.jsonl`);
    const index = await openOver([root]);
    await index.sync();
    const idsOf = async (options: ListOptions) =>
      (await index.listAll(options)).sessions.map(({ id }) => id).sort();
    expect(await idsOf({})).toEqual(["person"]);
    expect(await idsOf({ subagents: "no" })).toEqual(["person"]);
    expect(await idsOf({ subagents: "yes" })).toEqual(["artifact", "nested", "person"]);
    expect(await idsOf({ subagents: "only" })).toEqual(["artifact", "nested"]);
  });

  test("combine", async () => {
    const both = talk("both", { cwd: "/home/ada/shop" }).name("a name");
    expect(await listed([...sessions(), both], { named: true, project: "shop" })).toEqual(["both"]);
  });
});

describe("archived sessions", () => {
  const sessions = () => [
    talk("here"),
    talk("away").custom("pidex", { archived: true }),
    talk("back").custom("pidex", { archived: true }).custom("pidex", { archived: false }),
  ];

  test("are excluded from lists, included, or listed alone", async () => {
    expect(await listed(sessions(), {})).toEqual(["back", "here"]);
    expect(await listed(sessions(), { archived: "no" })).toEqual(["back", "here"]);
    expect(await listed(sessions(), { archived: "yes" })).toEqual(["away", "back", "here"]);
    expect(await listed(sessions(), { archived: "only" })).toEqual(["away"]);
  });

  test("are found by searches by default", async () => {
    const { index } = await indexed(...sessions());
    const found = async (options: SearchOptions) =>
      (await index.search("hello", options)).sessions.map(({ session: { id } }) => id).sort();
    expect(await found({})).toEqual(["away", "back", "here"]);
    expect(await found({ archived: "no" })).toEqual(["back", "here"]);
    expect(await found({ archived: "only" })).toEqual(["away"]);
  });
});

describe("tags", () => {
  const sessions = () => [
    talk("shop").custom("pidex", { tags: ["Später", "area/shop", "?[x"] }),
    talk("blog").custom("pidex", { tags: ["area/blog"] }),
    talk("cleared")
      .custom("pidex", { tags: ["Später"] })
      .custom("pidex", { tags: [] }),
    talk("none"),
  ];

  test.each<[string[], string[]]>([
    [["Später"], ["shop"]],
    [["SPÄTER"], ["shop"]],
    [[" spa\u0308ter "], ["shop"]],
    [["spater"], []],
    [["spät"], []],
    [["spät*"], ["shop"]],
    [["area/*"], ["blog", "shop"]],
    [["*BLOG"], ["blog"]],
    [["*"], ["blog", "shop"]],
    [["?[X"], ["shop"]],
    [["?[*"], ["shop"]],
    [["area/????"], []],
    [["area/*", "später"], ["shop"]],
    [["area/blog", "später"], []],
    [["'"], []],
    [["%"], []],
    [[], ["blog", "cleared", "none", "shop"]],
  ])("%j all match %j", async (tags, ids) => {
    expect(await listed(sessions(), { tags })).toEqual(ids);
  });
});

describe("an invalid option is rejected", () => {
  test.each<[unknown]>([
    [{ limit: 0 }],
    [{ limit: 1.5 }],
    [{ limit: -1 }],
    [{ limit: Number.NaN }],
    [{ limit: "10" }],
    [{ sort: "color" }],
    [{ order: "up" }],
    [{ since: "soon" }],
    [{ since: "7" }],
    [{ since: "" }],
    [{ since: "2026-13-01" }],
    [{ since: new Date(Number.NaN) }],
    [{ since: Number.POSITIVE_INFINITY }],
    [{ since: "2026-02-01", until: "2026-01-01" }],
    [{ since: 1e300, until: 0 }],
    [{ subagents: true }],
    [{ named: "yes" }],
    [{ pinned: "yes" }],
    [{ pinnedFirst: 1 }],
    [{ archived: true }],
    [{ tags: "later" }],
    [{ tags: [" "] }],
    [{ project: "" }],
    [{ color: "red" }],
    [null],
    ["all"],
  ])("%j", async (options) => {
    const index = await openOver([temporaryFolder()]);
    const error = await failure(index.listAll(options as ListOptions));
    expect(error.code).toBe("BAD_OPTION");
    expect(error.hint).not.toBe("");
  });
});

test("a start after the end is an error in lists, searches, files and usage", async () => {
  const index = await openOver([temporaryFolder()]);
  const swapped = { since: "2026-02-01T09:30Z", until: "2026-01-01T09:30Z" };
  const calls = [
    () => index.listAll(swapped),
    () => index.search("a", swapped),
    () => index.files("a", swapped),
    () => index.usage(swapped),
  ];
  for (const call of calls) {
    expect((await failure(call())).message).toBe(
      "since (2026-02-01T09:30:00.000Z) is after until (2026-01-01T09:30:00.000Z)",
    );
  }
  const dates = { since: "2026-02-01", until: "2026-01" };
  const message = "since (2026-02-01) is after until (2026-01-01)";
  expect((await failure(index.listAll(dates))).message).toBe(message);
  expect((await failure(index.usage({ ...dates, timeZone: "Asia/Tokyo" }))).message).toBe(message);
  const empty = { since: "2026-02-01", until: "2026-02-01" };
  expect((await index.listAll(empty)).sessions).toEqual([]);
});
