import { expect, test } from "vitest";
import { entryKind } from "../../../bin/format/entry-kinds.ts";
import { treeLines } from "../../../bin/format/tree-lines.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

test("a tree indents branches only, and shows landmarks, or all entries", async () => {
  const talk = session({}).user("one");
  const fork = talk.lastId;
  talk.assistant("answer").user("left").assistant("left answer").branch(fork).assistant("other").user("last");
  const { index, path } = await indexed(talk);
  const entries = await index.treeEntries(path);
  const drawn = (all: boolean) =>
    treeLines(entries, all).map(({ entry, prefix }) => `${prefix}${entryKind(entry)} ${entry.line}`);
  expect(drawn(true)).toEqual([
    "user 2",
    "├─ assistant 3",
    "│  user 4",
    "│  assistant 5",
    "└─ assistant 6",
    "   user 7",
  ]);
  // The corner is at the first visible line of a branch; the last entry of a branch is always visible.
  expect(drawn(false)).toEqual(["user 2", "├─ user 4", "│  assistant 5", "└─ user 7"]);
});

test("a pin is not a row of the tree, and doesn't move the leaf", async () => {
  const talk = session({}).user("one").assistant("answer");
  const answer = talk.lastId;
  talk.custom("pidex", { pinned: true }).custom("pidex", { tags: ["money"] });
  const { index, path } = await indexed(talk);
  const drawn = async (all: boolean) =>
    treeLines(await index.treeEntries(path), all).map(
      ({ entry, prefix, isLeaf }) => `${prefix}${entryKind(entry)} ${entry.line}${isLeaf ? " leaf" : ""}`,
    );
  expect(await drawn(false)).toEqual(["user 2", "assistant 3 leaf"]);
  expect(await drawn(true)).toEqual(["user 2", "assistant 3", "custom 4", "custom 5 leaf"]);
  // A hidden sibling makes no branch; later messages are visible.
  talk.branch(answer).user("two").assistant("second").custom("pidex", { archived: true }).user("three");
  talk.appendTo(path);
  await index.sync();
  expect(await drawn(false)).toEqual(["user 2", "user 6", "user 9 leaf"]);
});

test("the kind of an entry is one safe word", () => {
  expect(entryKind({ type: "message", role: "toolResult" })).toBe("output");
  expect(entryKind({ type: "session_info", role: null } as never)).toBe("name");
  expect(entryKind({ type: "constructor", role: null } as never)).toBe("constructor");
  expect(entryKind({ type: "\x1b[31m\n", role: null } as never)).toBe("␛[31m");
});

test("a chain of twenty thousand entries, each branching, is not too deep", () => {
  const entries = Array.from({ length: 20_000 }, (_, n) => ({
    id: String(n),
    parentId: n === 0 ? null : String(n - 1),
    line: n + 2,
    type: "message",
    role: "user",
    onCurrentBranch: true,
  }));
  expect(treeLines(entries as never, true)).toHaveLength(20_000);
});
