/** Queries that only filter sessions. */
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { SearchResult } from "../../../library/index.ts";
import { indexed } from "../opened-queries.ts";

const PROJECTS = ["shop", "blog", "till"];

/** Sessions of three projects, each a day after the one before; every fourth has a name. */
const talks = () =>
  Array.from({ length: 12 }, (_, n) => {
    const day = String(n + 1).padStart(2, "0");
    const talk = session({
      id: `s${n}`,
      cwd: `/home/ada/${PROJECTS[n % 3]}`,
      timestamp: `2026-01-${day}T09:00:00.000Z`,
    })
      .user(`Question ${n}`)
      .assistant("Answer", { usage: { input: 1, output: 1, cost: { total: n } } });
    return n % 4 === 0 ? talk.name(`Name ${n}`) : talk;
  });

const idsOf = ({ sessions }: SearchResult) => sessions.map(({ session: { id } }) => id);

test("sessions are listed last modified first, each with its first message", async () => {
  const { index } = await indexed(...talks());
  const found = await index.search("project:shop");
  expect(idsOf(found)).toEqual(["s9", "s6", "s3", "s0"]);
  expect(found.sessions.map(({ hits, hitCount }) => [hits.length, hitCount])).toEqual(Array(4).fill([1, 1]));
  expect(found.sessions[0]?.hits[0]?.snippet.text).toBe("Question 9");
  expect([found.sessionCount, found.more, found.next]).toEqual([4, false, undefined]);
  expect(idsOf(await index.search("project:shop", { sort: "oldest" }))).toEqual(["s0", "s3", "s6", "s9"]);
});

test("pages continue where the last one ended, and each has the total", async () => {
  const { index } = await indexed(...talks());
  const query = "cost:>2 (project:shop OR project:blog)";
  const first = await index.search(query, { limit: 4 });
  const second = await index.search(query, { limit: 4, cursor: first.next ?? "" });
  expect([...idsOf(first), ...idsOf(second)]).toEqual(["s10", "s9", "s7", "s6", "s4", "s3"]);
  expect([first.sessionCount, second.sessionCount, second.next]).toEqual([6, 6, undefined]);
});

test.each([
  "is:named",
  "-is:named",
  "project:shop,blog -is:named",
  "cost:>=5 messages:1..9",
  "is:named OR project:till",
  "session:s7",
  "project:shop name:name",
])("%s finds the sessions that a search of their entries finds", async (query) => {
  const { index } = await indexed(...talks());
  const ofEntries = await index.search(query, { limit: 20, exact: true });
  const found = await index.search(query, { limit: 20 });
  expect(idsOf(found).sort()).toEqual(idsOf(ofEntries).sort());
  expect(found.sessionCount).toBe(ofEntries.sessionCount);
});

test("a session without messages is found too", async () => {
  const { index } = await indexed(session({ id: "empty", cwd: "/home/ada/shop" }).name("Empty"));
  const { sessions } = await index.search("is:named");
  expect(sessions.map(({ session: { id }, hits }) => [id, hits.length])).toEqual([["empty", 1]]);
});
