import { describe, expect, test } from "vitest";
import { countSessionFacets } from "../../../bin/actions/find-sessions.ts";
import { replaceTerm } from "../../../bin/format/query-terms.ts";
import type { FacetGroup } from "../../../bin/picker/model/requests.ts";
import { toFacetGroups } from "../../../bin/picker/service/facets.ts";
import { SessionFinder } from "../../../bin/picker/service/session-finder.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed, indexedFixtures } from "../../query/opened-queries.ts";
import { sampleSession, VIEW } from "./sample-state.ts";

test("values are projects, models and months, most frequent first", () => {
  const at = (month: number) => new Date(2026, month - 1, 15).getTime();
  const sessions = [
    sampleSession({ cwd: "/a/shop", modified: at(1) }),
    sampleSession({ cwd: "/a/blog", model: "anthropic/claude", modified: at(12) }),
    sampleSession({ cwd: "/a/blog", model: "anthropic/claude", modified: at(1) }),
  ];
  const groups = toFacetGroups(countSessionFacets(sessions));
  expect(groups.map(({ name }) => name)).toEqual(["project", "model", "month"]);
  expect(groups.flatMap(({ values }) => values.map(({ term }) => term))).toEqual([
    "project:blog",
    "project:shop",
    "model:claude",
    "since:2026-12 until:2027-01",
    "since:2026-01 until:2026-02",
  ]);
});

test("terms are quoted where the query needs it", () => {
  const none = { projects: [], models: [], roles: [], tools: [], months: [] };
  expect(toFacetGroups(none)).toEqual([]);
  const terms = toFacetGroups({
    ...none,
    projects: ['/a/the "old" shop', "C:\\work\\till", "/"].map((value) => ({ value, hits: 1, sessions: 1 })),
    tools: [{ value: "a,b", hits: 2, sessions: 2 }],
  }).flatMap(({ values }) => values.map(({ term }) => term));
  expect(terms).toEqual(['project:"the ""old"" shop"', "project:till", "project:/", 'tool:"a,b"']);
});

test("projects have the shortest names that tell them apart", () => {
  const cwds = ["/home/ada/shop", "/home/bob/shop", "/home/ada/blog"];
  const [projects] = toFacetGroups(countSessionFacets(cwds.map((cwd) => sampleSession({ cwd }))));
  expect(projects?.values.map(({ value, term }) => [value, term])).toEqual([
    ["blog", "project:blog"],
    ["ada/shop", "project:ada/shop"],
    ["bob/shop", "project:bob/shop"],
  ]);
});

test("the number of values per field is limited", () => {
  const [projects] = toFacetGroups(
    countSessionFacets(Array.from({ length: 99 }, (_, n) => sampleSession({ cwd: `/p${n}` }))),
  );
  expect(projects?.values).toHaveLength(12);
});

describe("the count of a value equals the number of sessions after choosing it", () => {
  const queries = [
    "",
    "tax",
    "the",
    "书",
    "tax rounding",
    "a OR tax",
    "is:error",
    "role:assistant tax",
    "-is:named",
    "tax project:shop",
    "project:shop",
    "role:assistant tax since:2020",
  ];
  test.each(queries)("%j", async (query) => {
    const finder = new SessionFinder(await indexedFixtures());
    const view = { ...VIEW, query, subagents: true };
    const listed = await finder.facets(view);
    const groups = await finder.countFacets(view, listed);
    // Rows stay where they are when their counts come.
    const toTerms = (some: FacetGroup[]) => some.flatMap(({ values }) => values.map(({ term }) => term));
    expect(toTerms(groups)).toEqual(toTerms(listed));
    expect(groups.length).toBeGreaterThan(1);
    for (const { term, count } of groups.flatMap(({ values }) => values)) {
      const chosen = { ...view, query: `${replaceTerm(query, term)} ` };
      const { total, hasMore, notice } = await finder.results({ view: chosen, minRows: 500, quick: false });
      // Closest matches follow the counted sessions.
      if (notice?.includes("losest matches")) expect(count).toBeLessThan(total);
      else expect([term, count, hasMore]).toEqual([term, total, false]);
    }
  });
});

test("a session counts for every model that it used", async () => {
  const { index } = await indexed(
    session({ id: "a" })
      .user("x")
      .assistant("y", { provider: "p", model: "old" })
      .assistant("z", { provider: "p", model: "new" }),
    session({ id: "b" }).user("x").assistant("y", { provider: "p", model: "new" }),
    session({ id: "c" }).user("x").assistant("y", { provider: "p", model: "old" }),
  );
  const finder = new SessionFinder(index);
  const groups = await finder.countFacets(VIEW, await finder.facets(VIEW));
  const models = groups.find(({ name }) => name === "model")?.values;
  expect(models?.map(({ value, count }) => [value, count])).toEqual([
    ["new", 2],
    ["old", 2],
  ]);
});

test("a field that the query filters by has the values that would replace its own", async () => {
  const used = { provider: "p", model: "m" };
  const { index } = await indexed(
    session({ id: "a", cwd: "/home/ada/shop" }).user("tax").assistant("y", used),
    session({ id: "b", cwd: "/home/ada/blog" }).user("tax").assistant("y", used),
    session({ id: "c", cwd: "/home/ada/blog" }).user("tax"),
    session({ id: "d", cwd: "/home/ada/till" }).user("something else"),
  );
  const finder = new SessionFinder(index);
  for (const query of ["tax project:shop", "project:shop tax model:m", "tax project:nowhere"]) {
    const view = { ...VIEW, query };
    const groups = await finder.countFacets(view, await finder.facets(view));
    const projects = groups.find(({ name }) => name === "project")?.values;
    expect([query, projects?.map(({ value, count }) => [value, count])]).toEqual([
      query,
      query.includes("model")
        ? [
            ["blog", 1],
            ["shop", 1],
          ]
        : [
            ["blog", 2],
            ["shop", 1],
          ],
    ]);
  }
});

test("all sessions are counted, also if there are more hits than a search ranks", async () => {
  const talk = (id: string, cwd: string, prompts: number) => {
    const made = session({ id, cwd });
    for (let n = 0; n < prompts; n++) made.user(`tax ${n}`);
    return made;
  };
  const { index } = await indexed(
    talk("a", "/home/ada/till", 3),
    talk("b", "/home/ada/blog", 3),
    talk("c", "/home/ada/shop", 2500),
    talk("d", "/home/ada/blog", 2),
  );
  const finder = new SessionFinder(index);
  for (const query of ["tax ", "tax project:blog ", "tax role:user "]) {
    const view = { ...VIEW, query };
    const groups = await finder.countFacets(view, await finder.facets(view));
    const projects = groups.find(({ name }) => name === "project")?.values ?? [];
    expect(projects.map(({ value, count, hasMore }) => [value, count, hasMore ?? false])).toEqual([
      ["blog", 2, false],
      ["shop", 1, false],
      ["till", 1, false],
    ]);
  }
});

test("values are listed before they are counted", async () => {
  const finder = new SessionFinder(await indexedFixtures());
  const values = (await finder.facets({ ...VIEW, query: "tax" })).flatMap(({ values }) => values);
  expect(values.length).toBeGreaterThan(5);
  expect(values.every(({ count }) => count === undefined)).toBe(true);
});
