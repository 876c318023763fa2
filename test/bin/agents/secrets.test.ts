/** What agents are told of secrets, wherever in a session those stand. */
import { expect, test } from "vitest";
import type { AgentIndex } from "../../../bin/agents/agent-index.ts";
import { session } from "../../../fixtures/builder.ts";
import { agentIndex } from "./opened.ts";

// In two pieces: it is none.
const KEY = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"}`;

const leaky = () =>
  session({ id: "leaky", cwd: `/home/ada/${KEY}` })
    .user("Look for the needle.", { id: "e1" })
    .label("e1", `the key is ${KEY}`)
    .tool("read", { path: `/tmp/${KEY}.txt` }, "nothing")
    .toolResult("call", `tool-${KEY}`, "a tool with an odd name");

const ASKS: [string, (agents: AgentIndex, redact: boolean) => Promise<{ text: string; data: unknown }>][] = [
  ["a list", (agents, redact) => agents.list({ redact })],
  ["a search", (agents, redact) => agents.search({ query: "needle", redact })],
  ["a session", (agents, redact) => agents.read({ session: "leaky", redact })],
  ["its outline", (agents, redact) => agents.read({ session: "leaky", view: "outline", redact })],
  ["its tree", (agents, redact) => agents.tree({ session: "leaky", redact })],
  ["touched files", (agents, redact) => agents.touching({ file: "*.txt", redact })],
];

test("a key in a label, a folder or the path of a touched file is masked", async () => {
  const { agents, paths } = await agentIndex([leaky()]);
  for (const [what, ask] of ASKS) {
    const { text, data } = await ask(agents, true);
    // The file's own path is what it is asked for by, and is told as it is.
    const told = `${text}\n${JSON.stringify(data)}`.replaceAll(paths[0] as string, "");
    expect(told, what).not.toContain(KEY);
    expect((await ask(agents, false)).text.replaceAll(paths[0] as string, ""), what).toContain(KEY);
  }
});
