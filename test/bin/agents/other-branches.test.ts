import { expect, test } from "vitest";
import { AgentIndex } from "../../../bin/agents/agent-index.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { indexed } from "../../query/opened.ts";

/** Asks over some sessions, as an agent does. */
async function askingOver(...sessions: Session[]) {
  const { index, paths } = await indexed(...sessions);
  return { agents: new AgentIndex(index, {}), paths };
}

/** A session whose first attempt was given up. */
function withTwoWays() {
  const told = session();
  const question = told.user("Why is the list slow?").lastId as string;
  const given = told.assistant("I try a join.").assistant("The join reads 4 MB.").lastId as string;
  const tried = told.entries.at(-2)?.id as string;
  told.branch(question).branchSummary(given, "The join reads too much.").assistant("Two queries do.");
  return { told, question, tried };
}

test("a page names the branches that leave at its entries, and their citation reads them", async () => {
  const { told, tried } = withTwoWays();
  const { agents, paths } = await askingOver(told);
  const { text, data } = await agents.read({ session: paths[0] as string });
  expect(
    data.entries.map(({ instead }) => instead?.map(({ entryId, entries }) => [entryId, entries])),
  ).toEqual([undefined, [[tried, 2]], undefined]);
  expect(text).toContain(`(another branch goes on with :3#${tried} in its place: 2 entries)`);
  const other = await agents.read({ session: `${paths[0]}:3#${tried}`, before: 0 });
  expect(other.data.entries.map((entry) => entry.text)).toEqual(["I try a join.", "The join reads 4 MB."]);
  expect(other.data.entries[0]?.instead).toHaveLength(1);
});

test("a branch that leaves before anything was said is named at the first that was", async () => {
  const told = session().model("anthropic", "claude-opus-4-5").thinking("high");
  const start = told.lastId as string;
  const first = told.user("First wording").lastId as string;
  told.branch(start).thinking("low").user("Second wording");
  const { agents, paths } = await askingOver(told);
  const { data } = await agents.read({ session: paths[0] as string });
  const said = data.entries.find(({ text }) => text === "Second wording");
  expect(said?.instead?.map(({ entryId }) => entryId)).toEqual([first]);
});

test("of many branches at one place, the latest are named", async () => {
  const told = session();
  const question = told.user("Try all of them").lastId as string;
  const tries: string[] = [];
  for (let n = 0; n < 6; n++) tries.push(told.branch(question).assistant(`Attempt ${n}`).lastId as string);
  const { agents, paths } = await askingOver(told);
  const { data } = await agents.read({ session: paths[0] as string });
  expect(data.entries[1]?.instead?.map(({ entryId }) => entryId)).toEqual(tries.slice(2, 5));
});

test("what a subagent answered names its session", async () => {
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
  const { text, data } = await agents.read({ session: callerPath });
  expect(data.entries.at(-1)?.subagents).toEqual([path]);
  expect(text).toContain(`(the subagent's own session: ${path})`);
});

test("subagents' sessions are found, unless somebody wants none", async () => {
  const { index, path } = await indexed(session().user("Let somebody look"));
  const nested = session({ id: "nested" }).user("Task: look").assistant("the turnstile is rusty");
  nested.write(`${path.replace(/\.jsonl$/, "")}/run-0/nested.jsonl`);
  await index.sync();
  const agents = new AgentIndex(index, {});
  expect((await agents.search({ query: "turnstile" })).data.sessions).toHaveLength(1);
  expect((await agents.search({ query: "turnstile", subagents: "no" })).data.sessions).toEqual([]);
});

test("around a last entry, what led to it fills the page; around others, two come before", async () => {
  const told = session();
  for (let n = 0; n < 12; n++) told.user(`Step ${n}`);
  const { agents, paths } = await askingOver(told);
  const last = { session: paths[0] as string, entry: told.lastId as string };
  expect((await agents.read(last)).data.entries).toHaveLength(12);
  expect((await agents.read({ ...last, before: 1 })).data.entries).toHaveLength(2);
  const middle = { session: paths[0] as string, entry: told.entries[6]?.id as string };
  const { data } = await agents.read({ ...middle, after: 2 });
  expect(data.entries.map(({ text }) => text)).toEqual([4, 5, 6, 7, 8].map((n) => `Step ${n}`));
});
