import { describe, expect, test } from "vitest";
import { text, toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import type { Facets } from "../../../library/index.ts";
import { indexed, indexedFixtures } from "../opened-queries.ts";

/** The query with one facet value as a filter. */
const FIELDS: { [K in keyof Facets]: (value: string) => string } = {
  projects: (value) => `cwd:"${value}"`,
  models: (value) => `model:"${value}"`,
  tags: (value) => `tag:"${value}"`,
  roles: (value) => `role:${value}`,
  tools: (value) => `tool:${value}`,
  months: (value) => {
    const [year, month] = value.split("-").map(Number) as [number, number];
    const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, "0")}`;
    return `since:${value} until:${next}`;
  },
  days: (value) => {
    const [year, month, day] = value.split("-").map(Number) as [number, number, number];
    const next = new Date(year, month - 1, day + 1);
    const parts = [next.getMonth() + 1, next.getDate()].map((part) => String(part).padStart(2, "0"));
    return `since:${value} until:${next.getFullYear()}-${parts.join("-")}`;
  },
};

describe("each facet count equals the hits with that value as a filter", () => {
  test.each(["tax", "the", "书", "is:error", "a* -role:user"])("%s", async (query) => {
    const index = await indexedFixtures();
    const { facets, hitCount } = await index.search(query, { facets: true, subagents: "yes" });
    expect(hitCount).toBeGreaterThan(1);
    for (const key of Object.keys(FIELDS) as (keyof Facets)[]) {
      if (key !== "tools" && key !== "tags") expect(facets?.[key].length).toBeGreaterThan(0);
      for (const { value, hits } of facets?.[key] ?? []) {
        const narrowed = await index.search(`${query} ${FIELDS[key](value)}`, { subagents: "yes" });
        expect([value, narrowed.hitCount]).toEqual([value, hits]);
      }
    }
  });
});

test("tools are counted, and models with a common prefix are distinguished", async () => {
  const { index } = await indexed(
    session({ id: "a" })
      .assistant([text("needle"), toolCall("c", "bash", { command: "ls" })], {
        provider: "openai",
        model: "gpt-5",
      })
      .toolResult("c", "bash", "needle"),
    session({ id: "b" }).assistant("needle", { provider: "openai", model: "gpt-5-codex" }),
  );
  const { facets } = await index.search("needle", { facets: true });
  expect(facets?.tools).toEqual([{ value: "bash", hits: 2, sessions: 1 }]);
  expect(facets?.models).toEqual([
    { value: "openai/gpt-5", hits: 2, sessions: 1 },
    { value: "openai/gpt-5-codex", hits: 1, sessions: 1 },
  ]);
  expect((await index.search("needle model:openai/gpt-5")).hitCount).toBe(2);
  expect((await index.search("needle model:gpt-5")).hitCount).toBe(3);
});

test("values are sorted by count, months by time", async () => {
  const index = await indexedFixtures();
  const { facets } = await index.searchEntries("the", { facets: true });
  const counts = facets?.projects.map(({ hits }) => hits) ?? [];
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  const months = facets?.months.map(({ value }) => value) ?? [];
  expect(months.length).toBeGreaterThan(1);
  expect(months).toEqual(months.toSorted().reverse());
});

test("facets are counted only on request", async () => {
  const index = await indexedFixtures();
  expect(await index.search("tax")).not.toHaveProperty("facets");
});

test("tags of sessions are counted, each session once for each of its tags", async () => {
  const { index } = await indexed(
    session({ id: "a" })
      .user("needle")
      .user("needle")
      .custom("pidex", { tags: ["tax", "till"] }),
    session({ id: "b" })
      .user("needle")
      .custom("pidex", { tags: ["tax"] }),
    session({ id: "c" }).user("needle"),
  );
  const { facets } = await index.search("needle", { facets: true });
  expect(facets?.tags).toEqual([
    { value: "tax", hits: 3, sessions: 2 },
    { value: "till", hits: 2, sessions: 1 },
  ]);
});
