import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { Hit, ScanHit } from "../../../library/index.ts";
import { collect, indexed } from "../opened-queries.ts";

const parent = () =>
  session({ id: "parent", timestamp: "2026-01-01T00:00:00.000Z" })
    .user("needle asked")
    .assistant("needle answered");

/** Location of an entry that a file repeats. */
const again = { id: "0000abcd", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };

describe("an entry copied by forks", () => {
  test("is one hit in the oldest session, which lists the other locations", async () => {
    const original = parent();
    const fork = original
      .fork({ id: "fork", timestamp: "2026-02-01T00:00:00.000Z" })
      .user("needle in the fork");
    const { index, paths } = await indexed(original, fork);
    const { hits, hitCount, sessionCount } = await index.searchEntries("needle");
    expect({ hitCount, sessionCount }).toEqual({ hitCount: 3, sessionCount: 2 });
    const places = hits.map(({ path, line, alsoIn }) => ({
      path,
      line,
      alsoIn: alsoIn.map((place) => `${place.sessionId}:${place.line}`),
    }));
    expect(places.sort((a, b) => a.line - b.line)).toEqual([
      { path: paths[0], line: 2, alsoIn: ["fork:2"] },
      { path: paths[0], line: 3, alsoIn: ["fork:3"] },
      { path: paths[1], line: 4, alsoIn: [] },
    ]);
  });

  test("is in the fork if filters exclude the original", async () => {
    const original = parent();
    const fork = original.fork({ id: "fork", cwd: "/home/ada/blog", timestamp: "2026-02-01T00:00:00.000Z" });
    const { index } = await indexed(original, fork);
    const { sessions } = await index.search("needle project:blog");
    expect(sessions.map(({ session }) => session.id)).toEqual(["fork"]);
    expect(sessions[0]?.hits[0]?.alsoIn.map(({ sessionId }) => sessionId)).toEqual(["parent"]);
  });

  test("is shown where it is on the current branch, even if only in a fork", async () => {
    const original = parent();
    const fork = original.fork({ id: "fork", timestamp: "2026-02-01T00:00:00.000Z" });
    original.branch(null).user("started over");
    const { index } = await indexed(original, fork);
    const { hits } = await index.searchEntries("needle");
    expect(hits.map(({ sessionId, onCurrentBranch }) => [sessionId, onCurrentBranch])).toEqual([
      ["fork", true],
      ["fork", true],
    ]);
    expect(hits[0]?.alsoIn).toMatchObject([{ sessionId: "parent", onCurrentBranch: false }]);
  });

  test("is distinguished from an unrelated entry with the same id", async () => {
    const entry = { id: "0000abcd", parentId: null };
    const { index } = await indexed(
      session({ id: "a" }).user("needle", { ...entry, timestamp: "2026-01-01T00:00:00.000Z" }),
      session({ id: "b" }).user("needle", { ...entry, timestamp: "2026-01-01T00:00:00.001Z" }),
      session({ id: "c" }).user("needle other", { ...entry, timestamp: "2026-01-01T00:00:00.001Z" }),
    );
    expect((await index.searchEntries("needle")).hitCount).toBe(3);
  });

  test("counts twice if one file contains it twice", async () => {
    const { index } = await indexed(session().user("needle", again).user("needle", again));
    expect((await index.searchEntries("needle")).hitCount).toBe(2);
  });

  test("counts as often as a file contains it", async () => {
    const talk = session();
    for (let n = 0; n < 5_000; n++) talk.user("needle", again);
    const { index } = await indexed(talk);
    const found = await index.searchEntries("needle", { exact: true, limit: 1000 });
    expect([found.hitCount, found.sessionCount]).toEqual([5_000, 1]);
    expect(found.hits.flatMap(({ alsoIn }) => alsoIn)).toEqual([]);
    const scanned = await collect(index.scan({ substring: "needle" }));
    expect(new Set(scanned.map(({ line }) => line)).size).toBe(5_000);
  });

  test("twice in one file has one copy for each in a fork", async () => {
    const original = session({ id: "parent" }).user("needle", again).assistant("…").user("needle", again);
    const { index } = await indexed(original, original.fork({ id: "fork" }));
    const { hits, hitCount } = await index.searchEntries("needle");
    expect(hitCount).toBe(2);
    const placesOf = (found: (Hit | ScanHit)[]) =>
      found
        .map((hit) => [hit, ...hit.alsoIn].map(({ sessionId, line }) => `${sessionId}:${line}`).sort())
        .sort();
    const expected = [
      ["fork:2", "parent:2"],
      ["fork:4", "parent:4"],
    ];
    expect(placesOf(hits)).toEqual(expected);
    expect(placesOf(await collect(index.scan({ substring: "needle" })))).toEqual(expected);
  });

  test("lists locations on the current branch first, then oldest first, those without a date last", async () => {
    const original = parent();
    const fork = (id: string, timestamp: string) => original.fork({ id, timestamp });
    const undated = original.fork({ id: "undated", header: { timestamp: "some day" } });
    const left = fork("left", "2026-02-01T00:00:00.000Z");
    left.branch(null).user("started over");
    const { index } = await indexed(
      undated,
      fork("late", "2026-04-01T00:00:00.000Z"),
      left,
      fork("early", "2026-03-01T00:00:00.000Z"),
      original,
    );
    const { hits } = await index.searchEntries("needle asked");
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(["parent"]);
    expect(hits[0]?.alsoIn.map(({ sessionId }) => sessionId)).toEqual(["early", "late", "undated", "left"]);
  });
});
