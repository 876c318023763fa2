import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { buildTree, type Outline, type TreeEntry, type TreeNode } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { FIXTURES, indexed, indexedFixtures, openOver, sessionFiles } from "./opened-queries.ts";

/** The line of each entry of a tree and of its parent. */
function parentLines(roots: readonly TreeNode<TreeEntry>[]): [line: number, parent: number][] {
  const found: [number, number][] = [];
  const ahead = roots.map((node) => ({ node, parent: 0 }));
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, parent } = next;
    found.push([node.entry.line, parent]);
    for (const child of node.children) ahead.push({ node: child, parent: node.entry.line });
  }
  return found.sort(([a], [b]) => a - b);
}

const parentLineOf = ({ line, parent }: Outline) =>
  line.map((each, position) => [each, line[parent[position] as number] ?? 0]);

test("the outline of every fixture agrees with the rows of its tree", async () => {
  const index = await indexedFixtures();
  for (const path of sessionFiles(FIXTURES)) {
    const found = await index.treeEntries(path).catch(() => undefined);
    if (!found) continue; // not a session
    const outline = await index.outline(path);
    expect(parentLineOf(outline)).toEqual(parentLines(buildTree(found)));
    expect(outline.id).toEqual(found.map(({ id }) => id));
    const kinds = outline.kind.map((kind) => outline.kinds[kind]);
    expect(kinds.map((kind) => [kind?.type, kind?.role])).toEqual(
      found.map(({ type, role }) => [type, role]),
    );
    const labels = found.map(({ label }, position) => ({ position, label }));
    expect(outline.labels).toEqual(labels.filter(({ label }) => label !== undefined));
  }
});

test("an entry's kind has its tool, and says if it records a failure or has text of its own", async () => {
  const talk = session().user("Fix it.").assistant("I look first.");
  talk.tool("read", { path: "a.ts" }, "text").tool("bash", { command: "make" }, "no rule", { isError: true });
  talk.assistant("👍");
  const { index, path } = await indexed(talk);
  const { kind, kinds } = await index.outline(path);
  const message = { type: "message" };
  expect(kind.map((each) => kinds[each])).toEqual([
    { ...message, role: "user", hasText: true },
    { ...message, role: "assistant", hasText: true },
    { ...message, role: "assistant" },
    { ...message, role: "toolResult", tool: "read" },
    { ...message, role: "assistant" },
    { ...message, role: "toolResult", tool: "bash", failed: true },
    { ...message, role: "assistant", hasText: true },
  ]);
});

test("a cycle of parents has a root", async () => {
  const circle = session();
  circle.user("one", { id: "a", parentId: "c" }).user("two", { id: "b", parentId: "a" });
  circle.user("three", { id: "c", parentId: "b" });
  const { index, path } = await indexed(circle);
  expect((await index.outline(path)).parent).toEqual([-1, 0, 1]);
});

test("an entry that names a subagent's file is linked to it", async () => {
  const { index, paths } = await indexedRun();
  const { runs, line } = await index.outline(paths[0] as string);
  expect(runs.map(({ position, path }) => [line[position], path])).toEqual([[4, paths[1]]]);
});

/** A session, and a subagent's session that it started. */
async function indexedRun() {
  const root = join(temporaryFolder(), "sessions");
  const folder = join(root, "--home-ada-shop--");
  const run = session({ id: "run" }).user("Look into it.").assistant("Done.");
  const runPath = run.write(join(folder, "runs", "a", "b", "session.jsonl"));
  const starter = session({ id: "starter" }).user("Have it looked into.");
  starter.tool("subagent", { agent: "scout" }, "ok", {
    details: { results: [{ agent: "scout", sessionFile: runPath }] },
  });
  const index = await openOver([root]);
  const paths = [starter.write(join(folder, starter.fileName)), runPath];
  await index.sync();
  return { index, paths };
}
