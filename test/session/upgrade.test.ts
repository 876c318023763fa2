import { describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { v1Malformed } from "../../fixtures/stories/broken.ts";
import { INITIAL_READ_STATE, readSession } from "../../src/session/read.ts";
import { getHeaderVersion, toEntryId, upgradeEntry } from "../../src/session/upgrade.ts";
import { openFile, readWhole } from "./open-file.ts";

const entriesOf = (content: Buffer | string) =>
  readWhole(content).lines.flatMap(({ entry }) => (entry ? [entry] : []));

const first = { index: 1, previousId: null };

describe("the version of a header", () => {
  test.each([
    [undefined, 1],
    [null, 1],
    [0, 1],
    [-4, 1],
    [1, 1],
    [1.5, 1],
    ["1", 1],
    [2, 2],
    [2.5, 2],
    ["2", 2],
    [3, 3],
    ["3", 3],
    [99, 3],
    [Number.POSITIVE_INFINITY, 3],
    ["three", 3],
    [{}, 3],
    [[[[]]], 3],
  ])("%j counts as %i", (version, counts) => {
    expect(getHeaderVersion({ type: "session", version })).toBe(counts);
  });
});

describe("version 1", () => {
  const old = () => session({ version: 1 }).user("a").assistant("b").user("c").assistant("d");

  test("gets ids and parents in line order, the same in every run", () => {
    const entries = entriesOf(old().bytes());
    expect(entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["00000001", null],
      ["00000002", "00000001"],
      ["00000003", "00000002"],
      ["00000004", "00000003"],
    ]);
    expect(entriesOf(old().bytes())).toEqual(entries);
  });

  test("gets the same ids wherever reading resumes", () => {
    const bytes = old().raw("no JSON").raw("7").compaction("sum", 3).assistant("e").bytes();
    const fd = openFile(bytes);
    const whole = [...readSession(fd, { ...INITIAL_READ_STATE }, bytes.length)];
    for (const { offset } of whole) {
      let state = { ...INITIAL_READ_STATE };
      const before = [...readSession(fd, state, offset)];
      state = JSON.parse(JSON.stringify(state));
      expect([...before, ...readSession(fd, state, bytes.length)]).toEqual(whole);
    }
  });

  test("loses its own ids: pi replaces them too", () => {
    const entry = upgradeEntry({ type: "message", id: "own", parentId: "other" }, first, 1);
    expect(entry).toEqual({ type: "message", id: toEntryId(1), parentId: null });
  });

  test("finds the first kept entry after a line that is not JSON", () => {
    const entries = entriesOf(v1Malformed().bytes());
    const compaction = entries.find(({ type }) => type === "compaction");
    const kept = entries.find(
      ({ id }) => id === (compaction as { firstKeptEntryId?: string })?.firstKeptEntryId,
    );
    expect(kept).toMatchObject({ message: { content: [{ text: "Keep this." }] } });
    expect(compaction).not.toHaveProperty("firstKeptEntryIndex");
  });

  test("counts JSON lines that are not entries, but not null, blanks or lines before the header", () => {
    const content = session({ version: 1, before: ["garbage", "12", ""] })
      .raw("null")
      .raw("0")
      .raw("false")
      .raw('""')
      .raw("  ")
      .raw("[1]")
      .raw("12")
      .raw('"text"')
      .user("the fourth counted line")
      .bytes();
    expect(entriesOf(content).map(({ id }) => id)).toEqual([toEntryId(4)]);
  });

  test.each([
    ["the header", 0, undefined],
    ["an entry before it", 2, toEntryId(2)],
    ["itself", 5, toEntryId(5)],
    ["a later entry", 6, undefined],
    ["nothing", -1, undefined],
    ["between two", 1.5, undefined],
  ])("converts a kept index that points to %s", (_, firstKeptEntryIndex, id) => {
    const entry = upgradeEntry({ type: "compaction", firstKeptEntryIndex }, { index: 5, previousId: "x" }, 1);
    expect(entry.firstKeptEntryId).toBe(id);
    expect(entry).not.toHaveProperty("firstKeptEntryIndex");
  });

  test("does not change an index that is not a number, or outside of a compaction", () => {
    const word = { type: "compaction", firstKeptEntryIndex: "2" };
    expect(upgradeEntry(word, first, 1)).toMatchObject(word);
    const custom = { type: "custom", firstKeptEntryIndex: 2 };
    expect(upgradeEntry(custom, first, 1)).toMatchObject(custom);
  });

  test("has its parent session from the field's old name", () => {
    const { lines } = readWhole(session({ version: 1, header: { branchedFrom: "/old.jsonl" } }).bytes());
    expect(lines[0]?.header).toMatchObject({ branchedFrom: "/old.jsonl" });
  });
});

describe("the role hookMessage", () => {
  const hook = { type: "message", id: "a", message: { role: "hookMessage", customType: "x", content: "y" } };

  test.each([1, 2])("is custom in version %i, without changing the parsed entry", (version) => {
    const before = structuredClone(hook);
    expect(upgradeEntry(hook, first, version).message).toEqual({ ...hook.message, role: "custom" });
    expect(hook).toEqual(before);
  });

  test("is unchanged in version 3", () => {
    expect(upgradeEntry(hook, first, 3)).toBe(hook);
  });

  test("is found only in messages", () => {
    const custom = { type: "custom", message: { role: "hookMessage" } };
    expect(upgradeEntry(custom, first, 2)).toBe(custom);
    expect(upgradeEntry({ type: "message", message: null }, first, 2)).toEqual({
      type: "message",
      message: null,
    });
  });
});

test("an entry of version 2 keeps its id and is not copied if nothing changes", () => {
  const entry = { type: "message", id: "a", parentId: null, message: { role: "user" } };
  expect(upgradeEntry(entry, first, 2)).toBe(entry);
});
