/** Cursors into sessions that have changed, and invalid cursors. */
import { expect, test } from "vitest";
import { type Session, session } from "../../../fixtures/builder.ts";
import { agentIndex } from "./agent-index.ts";

function labeled(): Session {
  const draft = session({ id: "talk" }).user("begin", { id: "b" });
  for (let n = 0; n < 30; n++) draft.user(`part ${n}`, { id: `p${n}` }).label(`p${n}`, `label ${n}`);
  return draft;
}

test("a tree continues at its cursor even if that entry is no longer notable", async () => {
  const draft = labeled();
  const { agents, paths } = await agentIndex([draft]);
  const params = { session: "talk", max_tokens: 600 };
  const first = (await agents.request("tree", params)).data;
  const last = String(first.entries.at(-1)?.entryId);
  const next = `p${Number(last.slice(1)) + 1}`;
  draft.label(next).appendTo(paths[0] as string);
  const { entries } = (await agents.request("tree", { ...params, cursor: first.next })).data;
  expect(entries[0]?.entryId).toBe(next);
});

test("a tree rejects the cursor of another tool", async () => {
  const { agents } = await agentIndex([labeled()]);
  const { next } = (await agents.request("read", { session: "talk", max_tokens: 400 })).data;
  await expect(agents.request("tree", { session: "talk", cursor: next })).rejects.toMatchObject({
    code: "BAD_CURSOR",
  });
});

test("a cursor to entries removed from the file is an error", async () => {
  const { agents, root } = await agentIndex([labeled()]);
  const params = { session: "talk", max_tokens: 600 };
  const cursors = {
    on: (await agents.request("read", params)).data.next,
    back: (await agents.request("read", { ...params, from: "end" })).data.previous,
    outline: (await agents.request("read", { ...params, view: "outline" })).data.next,
  };
  const tree = (await agents.request("tree", params)).data.next;
  session({ id: "talk" }).user("begin", { id: "b" }).writeUnder(root);
  const gone = { code: "BAD_CURSOR", hint: expect.stringContaining("Start again") };
  for (const cursor of Object.values(cursors))
    await expect(agents.request("read", { ...params, cursor })).rejects.toMatchObject(gone);
  await expect(agents.request("tree", { ...params, cursor: tree })).rejects.toMatchObject(gone);
});

test("a cursor past the end of an entry's text is an error", async () => {
  const { agents } = await agentIndex([session({ id: "long" }).user("word ".repeat(5000))]);
  const { next } = (await agents.request("read", { session: "long", max_tokens: 400 })).data;
  const parts = JSON.parse(Buffer.from(next as string, "base64url").toString());
  const cursor = Buffer.from(JSON.stringify([...parts.slice(0, -1), 1e9])).toString("base64url");
  await expect(agents.request("read", { session: "long", cursor })).rejects.toMatchObject({
    code: "BAD_CURSOR",
  });
});
