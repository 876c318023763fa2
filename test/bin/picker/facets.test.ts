import { expect, test } from "vitest";
import { countSessionFacets } from "../../../bin/actions/find-sessions.ts";
import { toFacetGroups } from "../../../bin/picker/service/facets.ts";
import { sampleSession } from "./sample-state.ts";

test("sessions are counted by project, model and month, most frequent first", () => {
  const at = (month: number) => new Date(2026, month - 1, 15).getTime();
  const sessions = [
    sampleSession({ cwd: "/a/shop", modified: at(1) }),
    sampleSession({ cwd: "/a/blog", model: "anthropic/claude", modified: at(12) }),
    sampleSession({ cwd: "/a/blog", model: "anthropic/claude", modified: at(1) }),
  ];
  const groups = toFacetGroups(countSessionFacets(sessions), "session");
  expect(groups.map(({ name }) => name)).toEqual(["project", "model", "month"]);
  const terms = groups.flatMap(({ values }) => values.map(({ term, count }) => [term, count]));
  expect(terms).toEqual([
    ["project:blog", 2],
    ["project:shop", 1],
    ["model:claude", 2],
    ["since:2026-12 until:2027-01", 1],
    ["since:2026-01 until:2026-02", 2],
  ]);
});

test("a search's own counts are shown, with terms for the query", () => {
  const none = { projects: [], models: [], roles: [], tools: [], months: [] };
  expect(toFacetGroups(none, "hit")).toEqual([]);
  const terms = toFacetGroups(
    {
      ...none,
      projects: ['/a/the "old" shop', "C:\\work\\till", "/"].map((value) => ({ value, hits: 1 })),
      tools: [{ value: "a,b", hits: 2 }],
    },
    "hit",
  ).flatMap(({ values }) => values.map(({ term }) => term));
  expect(terms).toEqual(['project:"the ""old"" shop"', "project:till", "project:/", 'tool:"a,b"']);
});

test("projects have the shortest names that tell them apart", () => {
  const cwds = ["/home/ada/shop", "/home/bob/shop", "/home/ada/blog"];
  const [projects] = toFacetGroups(countSessionFacets(cwds.map((cwd) => sampleSession({ cwd }))), "session");
  expect(projects?.values.map(({ value, term }) => [value, term])).toEqual([
    ["blog", "project:blog"],
    ["ada/shop", "project:ada/shop"],
    ["bob/shop", "project:bob/shop"],
  ]);
});

test("the number of values per field is limited", () => {
  const [projects] = toFacetGroups(
    countSessionFacets(Array.from({ length: 99 }, (_, n) => sampleSession({ cwd: `/p${n}` }))),
    "session",
  );
  expect(projects?.values).toHaveLength(12);
});
