/** The files that tool calls changed. */
import { expect, test } from "vitest";
import { listFileEdits } from "../../../bin/format/file-edits.ts";
import { session } from "../../../fixtures/builder.ts";

/** The edits of a session, by lines of their messages. */
async function editsOf(draft: ReturnType<typeof session>, folder?: string) {
  async function* read() {
    for (const [n, text] of draft.lines.entries()) if (n > 0) yield { entry: JSON.parse(text), line: n + 1 };
  }
  return listFileEdits(read(), folder);
}

test("edits have their file, relative to the session's folder, and their lines", async () => {
  const talk = session({ id: "a", cwd: "/home/ada/shop" }).user("Go.");
  talk.tool(
    "edit",
    { path: "/home/ada/shop/till.ts", edits: [{ oldText: "a\nb", newText: "a\nc\nd" }] },
    "ok",
  );
  talk.tool("write", { path: "./notes.md", content: "one\ntwo\n" }, "ok");
  talk.tool("read", { path: "till.ts" }, "text");
  talk.tool("bash", { command: "make" }, "ok");
  expect(await editsOf(talk, "/home/ada/shop")).toEqual([
    { line: 3, edits: [{ path: "till.ts", added: 2, removed: 1, part: 0 }] },
    { line: 5, edits: [{ path: "notes.md", added: 2, removed: 0, part: 0 }] },
  ]);
});

test("a patch of several files counts for each of them", async () => {
  const talk = session({ id: "a" }).user("Go.");
  const input = [
    "*** Begin Patch",
    "*** Update File: b.ts",
    "@@",
    "-a",
    "+b",
    "+c",
    "*** Delete File: old.ts",
    "*** Add File: new.ts",
    "+d",
    "*** End Patch",
  ].join("\n");
  talk.tool("apply_patch", { input }, "ok");
  const diff =
    "--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- a/kept.ts\n+++ b/kept.ts\n@@ -1 +1 @@\n-y\n+z";
  talk.tool("apply_patch", { patch: diff }, "ok");
  expect((await editsOf(talk)).map(({ edits }) => edits)).toEqual([
    [
      { path: "b.ts", added: 2, removed: 1, part: 0 },
      { path: "old.ts", added: 0, removed: 0, part: 0 },
      { path: "new.ts", added: 1, removed: 0, part: 0 },
    ],
    [
      { path: "gone.ts", added: 0, removed: 1, part: 0 },
      { path: "kept.ts", added: 1, removed: 1, part: 0 },
    ],
  ]);
});

test("a failed call, and one without a result, changed nothing", async () => {
  const talk = session({ id: "a" }).user("Go.");
  talk.tool("write", { path: "a.ts", content: "x" }, "Permission denied", { isError: true });
  talk.assistant([{ type: "toolCall", id: "c9", name: "write", arguments: { path: "b.ts", content: "x" } }]);
  expect(await editsOf(talk)).toEqual([]);
});
