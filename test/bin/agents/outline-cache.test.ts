import { expect, test } from "vitest";
import { OutlineCache } from "../../../bin/agents/outline-cache.ts";
import { decodeReadCursor, encodeReadCursor } from "../../../bin/agents/read-cursor.ts";
import { session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

test("an outline is cached until its session changes", async () => {
  const talk = session().user("one");
  const { index, path } = await indexed(talk);
  const outlines = new OutlineCache(index);
  const first = await outlines.get(await index.find(path));
  expect(await outlines.get(await index.find(path))).toBe(first);
  talk.user("two").appendTo(path);
  await index.sync();
  const second = await outlines.get(await index.find(path));
  expect(second.outline.line).toEqual([2, 3]);
  expect(first.outline.line).toEqual([2]);
});

test("every session has its own outline", async () => {
  const { index, paths } = await indexed(
    session().user("one"),
    session({ id: "other" }).user("one").user("two"),
  );
  const outlines = new OutlineCache(index);
  const counts = [];
  for (const path of [...paths, ...paths]) {
    const { outline } = await outlines.get(await index.find(path));
    counts.push(outline.id.length);
  }
  expect(counts).toEqual([1, 2, 1, 2]);
});

test("a cursor decodes to what was encoded, only for its session", () => {
  const ends = [
    { mode: "on", leaf: "a1b2c3d4", line: 12, offset: 0 },
    { mode: "text", leaf: 7, line: 2, offset: 123_456 },
    { mode: "tree", leaf: null, line: 1, offset: 0 },
  ] as const;
  for (const end of ends) {
    const cursor = encodeReadCursor("/sessions/a.jsonl", end);
    expect(decodeReadCursor(cursor, "/sessions/a.jsonl")).toEqual(end);
    expect(() => decodeReadCursor(cursor, "/sessions/b.jsonl")).toThrow(
      "the cursor belongs to another session",
    );
  }
  for (const cursor of ["", "nonsense", Buffer.from('["a","on",null,0,0]').toString("base64url")])
    expect(() => decodeReadCursor(cursor, "/sessions/a.jsonl")).toThrow("the cursor is not from this tool");
});
