import { describe, expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { indexed } from "../opened-queries.ts";

const talk = (id: string, ...messages: string[]): Session => {
  const draft = session({ id });
  for (const message of messages) draft.user(message);
  return draft;
};

const found = async (sessions: Session[], query: string, limit = 20) => {
  const { index } = await indexed(...sessions);
  const { sessions: answers } = await index.search(query, { limit, strict: true });
  return answers.map(({ session, hits }) => ({
    id: session.id,
    lines: hits.map(({ line }) => line).sort(),
    crossEntry: hits.some(({ crossEntry }) => crossEntry),
  }));
};

describe("words that no single entry contains", () => {
  test("are found in several entries of one session", async () => {
    const answer = await found(
      [talk("a", "apple", "other", "pear"), talk("b", "apple"), talk("c", "pear")],
      "pear apple",
    );
    expect(answer).toEqual([{ id: "a", lines: [2, 4], crossEntry: true }]);
  });

  test("come after sessions with a full match in one entry", async () => {
    const answer = await found(
      [talk("a", "apple", "pear pear"), talk("b", "a long line about an apple and a pear")],
      "apple pear",
    );
    expect(answer).toEqual([
      { id: "b", lines: [2], crossEntry: false },
      { id: "a", lines: [2, 3], crossEntry: true },
    ]);
  });

  test("are shown where they are closest", async () => {
    const answer = await found([talk("a", "apple", "x", "x", "pear", "apple", "x", "pear")], "apple pear");
    expect(answer).toEqual([{ id: "a", lines: [5, 6], crossEntry: true }]);
  });

  test("rank by distance", async () => {
    const apart = ["apple", ...Array.from({ length: 60 }, () => "filler of many words"), "pear"];
    const close = [...Array.from({ length: 60 }, () => "filler of many words"), "apple", "pear"];
    const answer = await found([talk("close", ...close), talk("apart", ...apart)], "apple pear");
    expect(answer.map(({ id }) => id)).toEqual(["close", "apart"]);
  });

  test("must each satisfy exclusions and fields", async () => {
    const sessions = [talk("a", "apple", "pear"), talk("b", "apple rotten", "pear")];
    expect((await found(sessions, "apple pear -rotten")).map(({ id }) => id)).toEqual(["a"]);
    const mixed = session({ id: "m" }).user("apple").assistant("pear");
    expect(await found([mixed], "apple pear role:user")).toEqual([]);
    expect(await found([mixed], "apple pear role:user,assistant")).toHaveLength(1);
  });

  test("may be phrases, alternatives, prefixes, files and labels", async () => {
    const draft = session({ id: "a" })
      .user("a ripe apple")
      .assistant([toolCall("c", "edit", { path: "src/tax.ts" })])
      .user("pears");
    draft.label(draft.leaf as string, "good");
    for (const query of [
      '"ripe apple" pear*',
      "(plum OR apple) pears",
      "apple file:tax.ts",
      "file:src/tax.ts ripe pears",
      "apple label:good",
    ]) {
      expect([query, (await found([draft], query)).map(({ id }) => id)]).toEqual([query, ["a"]]);
    }
    expect(await found([draft], "apple file:elsewhere.ts")).toEqual([]);
    expect(await found([draft], "apple label:bad")).toEqual([]);
  });

  test("are found once despite copies in a fork", async () => {
    const parent = talk("parent", "apple", "pear");
    const answer = await found(
      [parent, parent.fork({ id: "fork", timestamp: "2026-03-01T00:00:00.000Z" })],
      "apple pear",
    );
    expect(answer).toEqual([{ id: "parent", lines: [2, 3], crossEntry: true }]);
  });

  test("are not searched if a page is already full", async () => {
    const sessions = [talk("a", "apple", "pear"), talk("b", "apple pear"), talk("c", "apple pear")];
    expect((await found(sessions, "apple pear", 2)).map(({ id }) => id).sort()).toEqual(["b", "c"]);
  });
});
