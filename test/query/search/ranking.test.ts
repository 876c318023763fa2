import { describe, expect, test } from "vitest";
import { thinking } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { SearchOptions } from "../../../library/index.ts";
import { indexed } from "../opened-queries.ts";

const FILLER = "some words that every session of this test has";
const talk = (id: string, say: (talk: Session) => Session, timestamp = "2026-01-05T09:00:00.000Z"): Session =>
  say(session({ id, timestamp }).user(FILLER)).assistant(FILLER);

const order = async (sessions: Session[], query: string, options: SearchOptions = {}) => {
  const { index } = await indexed(...sessions);
  return (await index.search(query, options)).sessions.map(({ session }) => session.id);
};

describe("ranked higher are", () => {
  test("messages, above thinking", async () => {
    const said = talk("said", (s) => s.assistant("rounding"));
    const thought = talk("thought", (s) => s.assistant([thinking("rounding")]));
    expect(await order([thought, said], "rounding")).toEqual(["said", "thought"]);
  });

  test("newer entries, if otherwise equal", async () => {
    const old = talk("old", (s) => s.user("rounding"), "2020-01-01T00:00:00.000Z");
    const recent = talk("new", (s) => s.user("rounding"), new Date(Date.now() - 3600e3).toISOString());
    expect(await order([old, recent], "rounding")).toEqual(["new", "old"]);
    expect(await order([recent, old], "rounding")).toEqual(["new", "old"]);
  });

  test("words in a row, above the same words apart", async () => {
    const row = talk("row", (s) => s.user("a tax that is rounded twice is double tax in the end"));
    const apart = talk("apart", (s) => s.user("a tax that in the end is rounded double is twice tax"));
    expect(await order([apart, row], "double tax")).toEqual(["row", "apart"]);
    expect(await order([row, apart], "double tax")).toEqual(["row", "apart"]);
  });

  test("sessions with a matching name", async () => {
    const named = talk("named", (s) => s.user("the rounding").name("Rounding of the till"));
    const other = talk("other", (s) => s.user("the rounding").name("Something else"));
    expect(await order([named, other], "rounding")).toEqual(["named", "other"]);
    expect(await order([other, named], "rounding")).toEqual(["named", "other"]);
  });

  test("the current branch, above abandoned ones", async () => {
    const current = talk("current", (s) => s.user("rounding"));
    const left = talk("left", (s) => s.user("rounding").branch(null).user("started over"));
    expect(await order([current, left], "rounding")).toEqual(["current", "left"]);
    expect(await order([left, current], "rounding")).toEqual(["current", "left"]);
    const { index } = await indexed(left);
    expect((await index.searchEntries("rounding")).hits[0]?.onCurrentBranch).toBe(false);
    expect((await index.searchEntries("rounding is:current")).hits).toEqual([]);
    expect((await index.searchEntries("rounding -is:current")).hits).toHaveLength(1);
  });

  test("newer or older entries, if sorted by time", async () => {
    const days = ["2026-01-03", "2026-01-01", "2026-01-02"];
    const talks = days.map((day) => talk(day, (s) => s.user("rounding"), `${day}T00:00:00.000Z`));
    expect(await order(talks, "rounding", { sort: "newest" })).toEqual(days.toSorted().reverse());
    expect(await order(talks, "rounding", { sort: "oldest" })).toEqual(days.toSorted());
    const { index } = await indexed(...talks);
    const { hits } = await index.searchEntries("rounding", { sort: "oldest" });
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(days.toSorted());
  });
});

describe("of more hits than are ranked at once", () => {
  const crowd = () => {
    const many = session({ id: "many" });
    for (let n = 0; n < 2_100; n++) many.user("needle in a long line with many other words");
    return [session({ id: "old", timestamp: "2025-01-01T00:00:00.000Z" }).user("needle"), many];
  };

  test("the newest are ranked when they fill a page", async () => {
    const { index } = await indexed(...crowd());
    const answer = await index.searchEntries("needle");
    expect(answer).toMatchObject({ hitCount: 2_000, more: true });
    expect(answer.next).toBeDefined();
  });

  test("older ones are added if they do not", async () => {
    const { index } = await indexed(...crowd());
    const { sessions, hitCount, more } = await index.search("needle");
    expect({ hitCount, more }).toEqual({ hitCount: 2_101, more: false });
    expect(sessions.map(({ session }) => session.id).sort()).toEqual(["many", "old"]);
  });

  test("all are ranked with exact", async () => {
    const { index } = await indexed(...crowd());
    const { hits, hitCount, more } = await index.searchEntries("needle", { exact: true, limit: 1 });
    expect({ hitCount, more, best: hits[0]?.sessionId }).toEqual({
      hitCount: 2_101,
      more: false,
      best: "old",
    });
  });
});
