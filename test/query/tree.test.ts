import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { buildTree, type EntryId, type TreeEntry, type TreeNode } from "../../library/index.ts";
import { type Fields, plainSession } from "./brute-force.ts";
import { FIXTURES, failure, indexed, indexedFixtures, sessionFiles } from "./opened-queries.ts";

type Outline = [EntryId | null | undefined, Outline[]];
const outline = ({ entry, children }: TreeNode<{ id?: EntryId | null }>): Outline => [
  entry.id ?? null,
  children.map(outline),
];
const idsOf = (entries: readonly TreeEntry[]) => entries.map(({ id }) => id);
const idOf = (value: unknown): EntryId | null =>
  typeof value === "string" || typeof value === "number" ? value : null;

/** Two branches from the question; the second is current. */
function branched() {
  const talk = session({ id: "branched" }).user("question", { id: "q" }).assistant("first", { id: "a1" });
  talk.label("a1", "dead end").branch("q").assistant("second", { id: "a2" }).user("thanks", { id: "t" });
  return talk;
}

describe("every fixture", () => {
  test("has the tree that buildTree builds from its entries", async () => {
    const index = await indexedFixtures();
    for (const path of sessionFiles(FIXTURES)) {
      const plain = plainSession(path);
      if (!plain || Number(plain.header.version ?? 1) < 2) continue;
      const entries = plain.entries.map(({ entry }) => ({
        id: idOf(entry.id),
        parentId: idOf(entry.parentId),
        timestamp: typeof entry.timestamp === "string" ? entry.timestamp : undefined,
      }));
      expect((await index.tree(path)).map(outline)).toEqual(buildTree(entries).map(outline));
    }
  });

  test("has rows with the type, role, time and location of each entry", async () => {
    const index = await indexedFixtures();
    for (const path of sessionFiles(FIXTURES)) {
      const plain = plainSession(path);
      if (!plain) continue;
      const rows = await index.treeEntries(path);
      expect(rows.map(({ line, type, role }) => [line, type, role])).toEqual(
        plain.entries.map(({ line, entry }) => [
          line,
          typeof entry.type === "string" ? entry.type : "",
          roleOf(entry),
        ]),
      );
      for (const [n, { timestamp }] of rows.entries()) {
        const time = plain.entries[n]?.entry.timestamp;
        const isTime = typeof time === "string" && !Number.isNaN(Date.parse(time));
        const isUnixTime = typeof time === "number" && time > 1e11 && time <= 8.64e15;
        expect(timestamp).toBe(isUnixTime ? new Date(time).toISOString() : isTime ? time : undefined);
      }
    }
  });

  const roleOf = ({ type, message }: Fields): unknown => {
    const role = type === "message" ? (message as Fields | null | undefined)?.role : undefined;
    return role === "hookMessage" ? "custom" : role;
  };
});

describe("a branched session", () => {
  test("has branches from the root to the last entry, and to any other", async () => {
    const { index } = await indexed(branched());
    expect(idsOf(await index.branch("branched"))).toEqual(["q", "a2", "t"]);
    expect(idsOf(await index.branch("branched", "a1"))).toEqual(["q", "a1"]);
    expect(idsOf(await index.branch("branched", "q"))).toEqual(["q"]);
    expect((await failure(index.branch("branched", "nobody"))).code).toBe("NOT_FOUND");
  });

  test("marks the current branch and labels", async () => {
    const talk = branched();
    const { index } = await indexed(talk);
    const rows = await index.treeEntries("branched");
    expect(idsOf(rows.filter(({ onCurrentBranch }) => onCurrentBranch))).toEqual(["q", "a2", "t"]);
    const labeled = rows.filter(({ label }) => label !== undefined);
    expect(labeled).toMatchObject([
      { id: "a1", label: "dead end", labelTimestamp: talk.entries[2]?.timestamp },
    ]);
  });

  test("returns the children of an entry, in file order", async () => {
    const { index } = await indexed(branched());
    expect(idsOf(await index.children("branched", "q"))).toEqual(["a1", "a2"]);
    expect(idsOf(await index.children("branched", "t"))).toEqual([]);
    expect((await failure(index.children("branched", "nobody"))).code).toBe("NOT_FOUND");
  });
});

describe("unusual sessions", () => {
  const fixture = async (minute: number) => {
    const index = await indexedFixtures();
    const start = `2026-01-30T12-${minute}-00-000Z`;
    const path = sessionFiles(join(FIXTURES, "broken")).find((path) => path.includes(start)) as string;
    return { index, path };
  };

  test("with a cycle keep all entries, and their branch ends", async () => {
    const { index, path } = await fixture(17);
    const count = (nodes: TreeNode<TreeEntry>[]): number =>
      nodes.reduce((sum, { children }) => sum + 1 + count(children), 0);
    expect(count(await index.tree(path))).toBe(4);
    expect((await index.branch(path)).length).toBe(4);
  });

  test('distinguish 5 from "5"', async () => {
    const { index, path } = await fixture(20);
    const texts = async (id: EntryId) =>
      Promise.all((await index.children(path, id)).map(async ({ line }) => line));
    const [number] = await texts(5);
    const [string] = await texts("5");
    expect(number).not.toBe(string);
    expect(idsOf(await index.branch(path, "__proto__"))).toContain("__proto__");
    expect(idsOf(await index.branch(path, "constructor"))).toContain("constructor");
  });

  test("without entries have an empty tree and branch", async () => {
    const { index } = await indexed(session({ id: "empty" }));
    expect(await index.tree("empty")).toEqual([]);
    expect(await index.treeEntries("empty")).toEqual([]);
    expect(await index.branch("empty")).toEqual([]);
    expect(await index.context("empty")).toEqual({ messages: [], thinkingLevel: "off", model: null });
  });

  test("accept a numeric id as a string if no other entry has it", async () => {
    const { index } = await indexed(session({ id: "numbers" }).user("one", { id: 1 }).user("two", { id: 2 }));
    expect(idsOf(await index.branch("numbers", "2"))).toEqual([1, 2]);
    expect((await index.entry("numbers", "1")).entry.id).toBe(1);
  });

  test("with a chain 20,000 deep are complete", async () => {
    const talk = session({ id: "deep" });
    for (let n = 0; n < 20_000; n++) talk.custom("step");
    const { index } = await indexed(talk);
    expect(await index.branch("deep")).toHaveLength(20_000);
    let depth = 0;
    for (let node = (await index.tree("deep"))[0]; node; node = node.children[0]) depth++;
    expect(depth).toBe(20_000);
  });
});
