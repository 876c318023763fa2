import { expect, test } from "vitest";
import { entryKind } from "../../../bin/format/entry-kinds.ts";
import { type TreeOptions, treeLines } from "../../../bin/format/tree-lines.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { Outline } from "../../../library/index.ts";
import { indexed } from "../../query/opened-queries.ts";

/** The lines of a tree as text. */
async function draw(talk: Session, options: Partial<TreeOptions> = {}): Promise<string[]> {
  const { index, path } = await indexed(talk);
  return drawn(await index.outline(path), options);
}

function drawn(outline: Outline, options: Partial<TreeOptions> = {}): string[] {
  return treeLines(outline, { all: false, ...options }).map((line) =>
    [
      `${line.prefix}${line.calls ? "calls" : entryKind(line.kind)} ${line.line}`,
      line.calls?.each
        .map(({ tool, failed, count }) => `${count} ${tool}${failed ? " failed" : ""}`)
        .join(", "),
      line.hidden && `+${line.hidden}`,
      line.isMember && "member",
      line.isLeaf && "leaf",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

test("a tree indents branches only", async () => {
  const talk = session({}).user("one");
  const fork = talk.lastId;
  talk.assistant("answer").user("left").assistant("left answer").branch(fork).assistant("other").user("last");
  const whole = [
    "user 2",
    "├─ assistant 3",
    "│  user 4",
    "│  assistant 5",
    "└─ assistant 6",
    "   user 7 leaf",
  ];
  expect(await draw(talk, { all: true })).toEqual(whole);
  expect(await draw(talk)).toEqual(whole);
  // A closed prompt hides what follows, up to the next prompt; not the next branch's lines.
  expect(await draw(talk, { closed: [4] })).toEqual([
    ...whole.slice(0, 2),
    "│  user 4 +1",
    ...whole.slice(4),
  ]);
});

test("consecutive tool calls are one line, which can be opened", async () => {
  const talk = session({}).user("one");
  const use = (tool: string, isError = false) => {
    const id = `call${talk.entries.length}`;
    talk.assistant([{ type: "toolCall", id, name: tool, arguments: {} }]);
    talk.toolResult(id, tool, "done", { isError });
  };
  use("read");
  use("read");
  use("bash", true);
  talk.assistant("answer");
  use("edit");
  expect(await draw(talk)).toEqual([
    "user 2",
    "calls 3 2 read, 1 bash failed",
    "assistant 9",
    "calls 10 1 edit leaf",
  ]);
  expect(await draw(talk, { opened: [10] })).toEqual([
    "user 2",
    "calls 3 2 read, 1 bash failed",
    "assistant 9",
    "calls 10 1 edit",
    "assistant 10 member",
    "output 11 member leaf",
  ]);
  expect(await draw(talk, { all: true })).toHaveLength(10);
});

test("names, labels and pins at the end are not in the short tree, and don't move the leaf", async () => {
  const talk = session({}).user("one").assistant("answer");
  const answer = talk.lastId as string;
  talk
    .custom("pidex", { pinned: true })
    .name("A name")
    .custom("pidex", { tags: ["money"] });
  const { index, path } = await indexed(talk);
  const draw = async (all: boolean) => drawn(await index.outline(path), { all });
  expect(await draw(false)).toEqual(["user 2", "assistant 3 leaf"]);
  expect(await draw(true)).toEqual(["user 2", "assistant 3 leaf", "custom 4", "name 5", "custom 6"]);
  // A hidden sibling makes no branch; later messages are visible.
  talk.branch(answer).user("two").assistant("second").custom("pidex", { archived: true }).user("three");
  talk.appendTo(path);
  await index.sync();
  expect(await draw(false)).toEqual(["user 2", "assistant 3", "user 7", "assistant 8", "user 10 leaf"]);
});

test("the kind of an entry is one safe word", () => {
  expect(entryKind({ type: "message", role: "toolResult" })).toBe("output");
  expect(entryKind({ type: "session_info", role: null } as never)).toBe("name");
  expect(entryKind({ type: "constructor", role: null } as never)).toBe("constructor");
  expect(entryKind({ type: "\x1b[31m\n", role: null } as never)).toBe("␛[31m");
});

test("a chain of twenty thousand entries is not too deep", () => {
  const positions = Array.from({ length: 20_000 }, (_, n) => n);
  const outline: Outline = {
    kinds: [{ type: "message", role: "user" }],
    kind: positions.map(() => 0),
    line: positions.map((n) => n + 2),
    parent: positions.map((n) => n - 1),
    time: positions.map(() => null),
    id: positions.map(String),
    costUsd: positions.map(() => 0),
    labels: [],
    runs: [],
  };
  expect(treeLines(outline, { all: true })).toHaveLength(20_000);
});
