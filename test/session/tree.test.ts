import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTree, type EntryLink, indexById, pathTo, type TreeNode } from "../../src/session/tree.ts";

/** A tree as text: `a(b c(d))`. */
function formatTree(nodes: TreeNode<EntryLink>[]): string {
  return nodes
    .map(
      ({ entry, children }) => `${entry.id ?? "?"}${children.length > 0 ? `(${formatTree(children)})` : ""}`,
    )
    .join(" ");
}

/** `child<parent`, one second apart. */
const items = (...lines: string[]): EntryLink[] =>
  lines.map((line, second) => {
    const [id, parentId] = line.split("<");
    return { id, parentId, timestamp: second * 1000 };
  });

/** Every item under the nodes, without recursion. */
function flat<T>(roots: TreeNode<T>[]): T[] {
  const found: T[] = [];
  const left = [...roots];
  for (let node = left.pop(); node; node = left.pop()) {
    found.push(node.entry);
    for (const child of node.children) left.push(child);
  }
  return found;
}

describe("the tree", () => {
  test.each<[string, string[], string]>([
    ["hangs children from their parents", ["a", "b<a", "c<b", "d<a"], "a(b(c) d)"],
    ["accepts parents after their children", ["c<b", "b<a", "a"], "a(b(c))"],
    ["has orphans as roots, in file order", ["z<gone", "a", "b<gone"], "z a b"],
    ["has entries that are their own parent as roots", ["a<a", "b<a"], "a(b)"],
    ["adds children to the last of two entries with the same id", ["a", "b<a", "a<gone", "c<a"], "a a(b c)"],
    ["opens a circle at its first entry", ["x", "b<d", "c<b", "d<c", "e<c"], "x b(c(d e))"],
    ["opens two circles", ["a<b", "b<a", "c<d", "d<c", "e<d"], "a(b) c(d(e))"],
    ["opens a circle that a branch leads into", ["t<b", "a<b", "b<a"], "a(b(t))"],
    ["of no entries is empty", [], ""],
  ])("%s", (_, lines, expected) => {
    expect(formatTree(buildTree(items(...lines)))).toBe(expected);
  });

  test("sorts children by time, and keeps file order for equal and missing times", () => {
    const child = (id: string, timestamp?: string | number | null) => ({ id, parentId: "a", timestamp });
    const tree = buildTree([
      { id: "a" },
      child("late", "2026-01-01T00:00:02.000Z"),
      child("number", Date.parse("2026-01-01T00:00:01.500Z")),
      child("early", "2026-01-01T00:00:01.000Z"),
      child("none"),
      child("no date", "yesterday"),
      child("null", null),
      child("same", "2026-01-01T02:00:01.000+02:00"),
    ]);
    const order = tree[0]?.children.map(({ entry }) => entry.id);
    expect(order).toEqual(["none", "no date", "null", "early", "same", "number", "late"]);
  });

  test("does not sort roots", () => {
    const roots = buildTree([
      { id: "late", timestamp: 2 },
      { id: "early", timestamp: 1 },
    ]);
    expect(formatTree(roots)).toBe("late early");
  });

  test("distinguishes 5 from '5', and accepts missing ids and names of JavaScript properties as ids", () => {
    const tree = buildTree([
      { id: 5 },
      { id: "5" },
      { id: "x", parentId: 5 },
      { id: "y", parentId: "5" },
      {},
      { parentId: null },
      { id: "__proto__" },
      { id: "z", parentId: "__proto__" },
      { id: "w", parentId: "toString" },
    ]);
    expect(formatTree(tree)).toBe("5(x) 5(y) ? ? __proto__(z) w");
  });

  test("contains every entry exactly once, with any parents", () => {
    const id = fc.option(fc.oneof(fc.nat(12), fc.nat(12).map(String)));
    const item = fc.record({ id, parentId: id, timestamp: fc.oneof(fc.nat(9), fc.constant(null)) });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), (items) => {
        const found = flat(buildTree(items));
        expect(found).toHaveLength(items.length);
        expect(new Set(found)).toEqual(new Set(items));
      }),
      { numRuns: 500 },
    );
  });

  test("of a chain 200,000 deep is built without recursion", () => {
    const chain = Array.from({ length: 200_000 }, (_, n) => ({ id: n + 1, parentId: n, timestamp: n }));
    const roots = buildTree(chain.toReversed());
    expect(roots).toHaveLength(1);
    expect(flat(roots)).toHaveLength(200_000);
  });

  test("of 200,000 entries in one cycle is built too", () => {
    const circle = Array.from({ length: 200_000 }, (_, n) => ({ id: n, parentId: (n + 1) % 200_000 }));
    expect(flat(buildTree(circle))).toHaveLength(200_000);
  });

  test("can have 150,000 children of one entry", () => {
    const start = Date.parse("2026-01-01T00:00:00.000Z");
    const children = Array.from({ length: 150_000 }, (_, n) => ({
      id: `c${n}`,
      parentId: "root",
      timestamp: new Date(start + ((n * 7919) % 150_000) * 1000).toISOString(),
    }));
    const [root] = buildTree<EntryLink>([{ id: "root" }, ...children]);
    const times = root?.children.map(({ entry }) => entry.timestamp as string) ?? [];
    expect(times).toEqual(times.toSorted());
    expect(times).toHaveLength(150_000);
  });
});

describe("a path", () => {
  const path = (leaf: string, ...lines: string[]) => {
    const byId = indexById(items(...lines));
    return pathTo(byId.get(leaf), byId).map(({ id }) => id);
  };

  test.each<[string, string, string[], string[]]>([
    ["leads from the root to the leaf", "c", ["a", "b<a", "c<b", "d<a"], ["a", "b", "c"]],
    ["starts at an orphan", "b", ["b<gone"], ["b"]],
    ["ends on a circle, each entry once", "d", ["a<c", "b<a", "c<b", "d<c"], ["a", "b", "c", "d"]],
    ["ends at an entry that is its own parent", "b", ["a<a", "b<a"], ["a", "b"]],
    ["uses the last of two entries with the same id", "c", ["r", "a<r", "a", "c<a"], ["a", "c"]],
    ["to an unknown entry is empty", "x", ["a"], []],
  ])("%s", (_, leaf, lines, expected) => {
    expect(path(leaf, ...lines)).toEqual(expected);
  });

  test("does not follow falsy parent ids, as in pi", () => {
    const byId = indexById<EntryLink>([
      { id: 0 },
      { id: "" },
      { id: "a", parentId: 0 },
      { id: "b", parentId: "" },
    ]);
    expect(pathTo(byId.get("a"), byId)).toHaveLength(1);
    expect(pathTo(byId.get("b"), byId)).toHaveLength(1);
  });

  test("can be 200,000 long", () => {
    const byId = indexById(Array.from({ length: 200_000 }, (_, n) => ({ id: n + 1, parentId: n })));
    expect(pathTo(byId.get(200_000), byId)).toHaveLength(200_000);
  });
});
