import { join } from "node:path";
import { expect, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import type { ForkLocations } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { indexed, openOver } from "./opened-queries.ts";

/** Fork locations by session id: the line in the requested session, and in the other one. */
const places = ({ parent, forks }: ForkLocations) => ({
  parent: parent && [parent.session.id, parent.line, parent.lineThere],
  forks: forks.map(({ session, line, lineThere }) => [session.id, line, lineThere]),
});

const talk = (): Session => {
  const talk = session({ id: "talk", timestamp: "2026-01-01T10:00:00.000Z" }).user("Which way?", { id: "q" });
  talk.assistant("Left.", { id: "left" }).label("left", "dead end").branch("q");
  return talk.assistant("Right.", { id: "right" }).user("Thanks.", { id: "thanks" });
};

test("a fork begins after the last entry that both sessions contain, regardless of later entries", async () => {
  const source = talk();
  const path = source.fork({ id: "path", leaf: "right", timestamp: "2026-01-02T10:00:00.000Z" });
  path.user("And then?").assistant("Straight on.");
  const whole = source.fork({ id: "whole", timestamp: "2026-01-03T10:00:00.000Z" }).name("A copy");
  const { index } = await indexed(source.user("More."), path, whole);
  expect(places(await index.forks("talk"))).toEqual({
    parent: undefined,
    forks: [
      ["whole", 6, 6],
      ["path", 5, 3],
    ],
  });
  expect(places(await index.forks("path"))).toEqual({ parent: ["talk", 3, 5], forks: [] });
  expect((await index.forks("talk", { limit: 1 })).forks.map(({ session }) => session.id)).toEqual(["whole"]);
});

test("only direct forks that share an entry are listed", async () => {
  const source = talk();
  const fork = source.fork({ id: "fork", leaf: "right" }).user("Here?");
  const next = fork.fork({ id: "next" }).user("There?");
  const stranger = session({ id: "stranger", parentSession: source.path }).user("Which way?", { id: "q" });
  const { index } = await indexed(source, fork, next, stranger);
  expect(places(await index.forks("talk")).forks).toEqual([["fork", 5, 3]]);
  expect(places(await index.forks("fork")).forks).toEqual([["next", 4, 4]]);
  expect(await index.forks("stranger")).toEqual({ forks: [] });
});

test("a moved parent is found by its file name; a deleted one is omitted", async () => {
  const source = talk();
  const fork = source.fork({ id: "fork", leaf: "thanks" });
  const orphan = source.fork({ id: "orphan", parentSession: "/gone/nosuch.jsonl" });
  const root = join(temporaryFolder(), "sessions");
  for (const each of [source, fork, orphan]) each.write(join(root, "--moved--", each.fileName));
  const index = await openOver([root]);
  await index.sync();
  expect(places(await index.forks("fork")).parent).toEqual(["talk", 4, 6]);
  expect(await index.forks("orphan")).toEqual({ forks: [] });
});
