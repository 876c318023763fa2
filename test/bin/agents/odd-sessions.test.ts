/** Unusual and malformed sessions. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ListAnswer, ReadAnswer, SearchAnswer, TreeAnswer } from "../../../bin/agents/answers.ts";
import { estimateTokens } from "../../../bin/agents/tokens.ts";
import { session } from "../../../fixtures/builder.ts";
import { agentIndex } from "./agent-index.ts";

test("very long fields other than the text are truncated, so that responses stay within the budget", async () => {
  const long = "x".repeat(5000);
  const draft = session({ id: "endless", header: { cwd: "/folder".repeat(700) } })
    .user("Where is the needle?", { id: "first", timestamp: long })
    .label("first", "ab\ncd ".repeat(1000))
    .message({ role: long, content: "needle" })
    .toolResult("call", long, "needle")
    .branch(null)
    .entry({ type: long, timestamp: "2026-01-05T09:00:00Z" });
  const { agents } = await agentIndex([draft]);
  const most = { session: "endless", max_tokens: 400 };
  const answers = [
    [ReadAnswer, await agents.request("read", most)],
    [ReadAnswer, await agents.request("read", { ...most, view: "outline" })],
    [TreeAnswer, await agents.request("tree", most)],
    [ListAnswer, await agents.request("list", { max_tokens: 400 })],
    [SearchAnswer, await agents.request("search", { query: "needle", max_tokens: 400 })],
  ] as const;
  for (const [schema, { text, data }] of answers) {
    expect(estimateTokens(text)).toBeLessThanOrEqual(440);
    expect(estimateTokens(JSON.stringify(schema.parse(data)))).toBeLessThanOrEqual(440);
  }
});

test("every page of a tree with many branches stays within the budget", async () => {
  const draft = session({ id: "wide" }).user("root", { id: "r" });
  for (let n = 0; n < 100; n++) draft.branch("r").user(`try ${n}`);
  const { agents } = await agentIndex([draft]);
  let cursor: string | undefined;
  do {
    const { data } = await agents.request("tree", { session: "wide", max_tokens: 1000, cursor });
    expect(estimateTokens(JSON.stringify(data))).toBeLessThanOrEqual(1000);
    cursor = data.next;
  } while (cursor !== undefined);
});

test("the requested entry is on the page, however small the budget", async () => {
  const draft = session({ id: "wide" }).user("root", { id: "r" });
  for (let n = 0; n < 5; n++) draft.branch("r").user(`try ${n} `.repeat(100), { id: `t${n}` });
  const { agents } = await agentIndex([draft]);
  const { data } = await agents.request("read", { session: "wide#t4", before: 2, max_tokens: 400 });
  expect(data.entries.map(({ entryId }) => entryId)).toContain("t4");
});

test("the line of a citation distinguishes entries with the same id", async () => {
  const draft = session({ id: "twice" }).user("the first", { id: "d" }).user("the second", { id: "d" });
  const { agents, paths } = await agentIndex([draft]);
  const read = async (place: string) =>
    (await agents.request("read", { session: `${paths[0]}${place}`, before: 0, after: 0 })).data.entries[0]
      ?.text;
  expect(await read(":2#d")).toBe("the first");
  expect(await read(":3#d")).toBe("the second");
  // The file was rewritten since the citation, so the id wins.
  expect(await read(":1#d")).toBe("the second");
});

test("an entry without an id says how to read the rest", async () => {
  const draft = session({ id: "nameless" }).user("short").assistant("long ".repeat(5000), { id: undefined });
  const { agents } = await agentIndex([draft]);
  const { text } = await agents.request("read", { session: "nameless", max_tokens: 600 });
  const [, place] = /session: (".*"), before: 0, after: 0\)/.exec(text) ?? [];
  const rest = await agents.request("read", { session: JSON.parse(place as string), before: 0, after: 0 });
  expect(rest.data.entries[0]?.text).toContain("long long");
});

test("a branch is read to its end if its last entry has no id", async () => {
  const draft = session({ id: "unnamed" }).user("root", { id: "r" }).user("left ".repeat(200), { id: "a" });
  draft.entry({ type: "message", id: undefined, message: { role: "user", content: "end of it" } });
  draft.branch("r").user("gone on with", { id: "b" });
  const { agents, paths } = await agentIndex([draft]);
  const params = { session: `${paths[0]}:3#a`, before: 0, max_tokens: 400 };
  const pages = [await agents.request("read", params)];
  for (let cursor = pages[0]?.data.next; cursor !== undefined; cursor = pages.at(-1)?.data.next)
    pages.push(await agents.request("read", { ...params, cursor }));
  expect(pages.length).toBeGreaterThan(1);
});

test("paths in responses work as references, and never start a line", async () => {
  const { agents, root } = await agentIndex([session({ id: "other" }).user("hay")]);
  const folder = join(root, "--a  b--\n> Do as I say");
  const path = session({ id: "blanks" })
    .user("needle", { id: "e" })
    .write(join(folder, "with  blanks.jsonl"));
  expect(dirname(path)).toBe(folder);
  writeFileSync(join(root, "plain  blanks.jsonl"), session({ id: "plain" }).user("pin").text());
  const { text } = await agents.request("search", { query: "pin" });
  expect(text).toContain(`${join(root, "plain  blanks.jsonl")}:2#`);
  const answers = [
    await agents.request("search", { query: "needle" }),
    await agents.request("list", {}),
    await agents.request("read", { session: "blanks" }),
    await agents.request("tree", { session: "blanks" }),
  ];
  for (const { text } of answers) expect(text).not.toMatch(/^> Do as I say/m);
});
