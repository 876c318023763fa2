import { expect, test } from "vitest";
import { AgentIndex } from "../../../bin/agents/agent-index.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened-queries.ts";

/** An agent index over the given sessions. */
async function openOver(...sessions: Session[]) {
  const { index, paths } = await indexed(...sessions);
  return { agents: new AgentIndex(index, {}), paths };
}

/** A session with an abandoned first attempt. */
function withTwoBranches() {
  const written = session();
  const question = written.user("Why is the list slow?").lastId as string;
  const given = written.assistant("I try a join.").assistant("The join reads 4 MB.").lastId as string;
  const tried = written.entries.at(-2)?.id as string;
  written.branch(question).branchSummary(given, "The join reads too much.").assistant("Two queries do.");
  return { written, question, tried };
}

test("a page cites the branches that replace its entries, and the citation reads them", async () => {
  const { written, tried } = withTwoBranches();
  const { agents, paths } = await openOver(written);
  const { text, data } = await agents.request("read", { session: paths[0] as string });
  expect(
    data.entries.map(({ otherBranches }) => otherBranches?.map(({ entryId, entries }) => [entryId, entries])),
  ).toEqual([undefined, [[tried, 2]], undefined]);
  expect(text).toContain(`(another branch continues here with :3#${tried}: 2 entries)`);
  const other = await agents.request("read", { session: `${paths[0]}:3#${tried}`, before: 0 });
  expect(other.data.entries.map((entry) => entry.text)).toEqual(["I try a join.", "The join reads 4 MB."]);
  expect(other.data.entries[0]?.otherBranches).toHaveLength(1);
});

test("a branch that leaves before the first message is cited at that message", async () => {
  const written = session().model("anthropic", "claude-opus-4-5").thinking("high");
  const start = written.lastId as string;
  const first = written.user("First wording").lastId as string;
  written.branch(start).thinking("low").user("Second wording");
  const { agents, paths } = await openOver(written);
  const { data } = await agents.request("read", { session: paths[0] as string });
  const said = data.entries.find(({ text }) => text === "Second wording");
  expect(said?.otherBranches?.map(({ entryId }) => entryId)).toEqual([first]);
});

test("at a point with many branches, the latest are cited", async () => {
  const written = session();
  const question = written.user("Try all of them").lastId as string;
  const tries: string[] = [];
  for (let n = 0; n < 6; n++) tries.push(written.branch(question).assistant(`Attempt ${n}`).lastId as string);
  const { agents, paths } = await openOver(written);
  const { data } = await agents.request("read", { session: paths[0] as string });
  expect(data.entries[1]?.otherBranches?.map(({ entryId }) => entryId)).toEqual(tries.slice(2, 5));
});

test("the result of a subagent names its session", async () => {
  const own = session({ id: "of-the-scout" })
    .user("Task: look")
    .assistant("await queue.done(job) comes next");
  const caller = session().user("Let the scout look");
  const { index, root } = await indexed(own);
  const path = own.writeUnder(root);
  caller.tool("subagent", { agent: "scout", task: "look" }, "It looked.", {
    details: { mode: "single", results: [{ agent: "scout", task: "look", exitCode: 0, sessionFile: path }] },
  });
  const callerPath = caller.writeUnder(root);
  await index.sync();
  const agents = new AgentIndex(index, {});
  const { text, data } = await agents.request("read", { session: callerPath });
  expect(data.entries.at(-1)?.subagents).toEqual([path]);
  expect(text).toContain(`(subagent session: ${path})`);
});

test("sessions of subagents are found unless excluded", async () => {
  const { index, path } = await indexed(session().user("Let somebody look"));
  const nested = session({ id: "nested" }).user("Task: look").assistant("the turnstile is rusty");
  nested.write(`${path.replace(/\.jsonl$/, "")}/run-0/nested.jsonl`);
  await index.sync();
  const agents = new AgentIndex(index, {});
  expect((await agents.request("search", { query: "turnstile" })).data.sessions).toHaveLength(1);
  expect((await agents.request("search", { query: "turnstile", subagents: "no" })).data.sessions).toEqual([]);
});

test("around the last entry, earlier entries fill the page; around others, two come before", async () => {
  const written = session();
  for (let n = 0; n < 12; n++) written.user(`Step ${n}`);
  const { agents, paths } = await openOver(written);
  const last = { session: paths[0] as string, entry: written.lastId as string };
  expect((await agents.request("read", last)).data.entries).toHaveLength(12);
  expect((await agents.request("read", { ...last, before: 1 })).data.entries).toHaveLength(2);
  const middle = { session: paths[0] as string, entry: written.entries[6]?.id as string };
  const { data } = await agents.request("read", { ...middle, after: 2 });
  expect(data.entries.map(({ text }) => text)).toEqual([4, 5, 6, 7, 8].map((n) => `Step ${n}`));
});
