/** The layout of a session's tree. */
import { expect, test } from "vitest";
import { locateForks } from "../../../bin/web/page/session/linked-sessions.ts";
import { SessionTree } from "../../../bin/web/page/session/session-tree.ts";
import { layOutTree } from "../../../bin/web/page/session/tree-layout.ts";
import { toOutlineColumns } from "../../../bin/web/server/outline-columns.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

async function treeOf(talk: Session): Promise<SessionTree> {
  const { index, path } = await indexed(talk);
  return new SessionTree(toOutlineColumns(await index.outline(path), {}));
}

/** The lines that have a row, and their lanes. */
function rows(
  tree: SessionTree,
  forkPoints?: ReadonlySet<number>,
): [line: number | undefined, lane: number | undefined][] {
  const { positions, lanes } = layOutTree(tree, forkPoints);
  return positions.map((position, row) => [tree.line[position], lanes[row]]);
}

test("data of programs is not a row, branch or leaf of the tree", async () => {
  const talk = session({}).user("one", { id: "one" }).assistant("two", { id: "two" });
  talk.custom("pidex", { pinned: true }).custom("other", { state: 1 });
  expect(rows(await treeOf(talk))).toEqual([
    [2, 0],
    [3, 0],
  ]);
  talk
    .branch("two")
    .user("three")
    .custom("pidex", { tags: ["x"] })
    .assistant("four");
  // Lines 4 and 5 are a branch without messages, which has no rows.
  expect(rows(await treeOf(talk))).toEqual([
    [2, 0],
    [3, 0],
    [6, 0],
    [8, 0],
  ]);
  expect(rows(await treeOf(session({}).custom("pidex", { pinned: true })))).toEqual([]);
});

test("an entry where a fork was made has a row, whatever its type", async () => {
  const talk = session({ id: "talk" }).user("one").assistant("two").assistant("three").assistant("four");
  const tree = await treeOf(talk);
  const { index, paths } = await indexed(
    talk,
    talk.fork({ id: "fork", leaf: String(talk.entries[1]?.id) }).user("new"),
  );
  const answer = JSON.parse(JSON.stringify(await index.forks(paths[0] as string)));
  const { forks, parent } = locateForks(tree, answer);
  expect([[...forks.keys()], parent]).toEqual([[1], undefined]);
  expect(rows(tree).map(([line]) => line)).toEqual([2, 5]);
  expect(rows(tree, new Set(forks.keys())).map(([line]) => line)).toEqual([2, 3, 5]);
});
