/** Secrets are masked in answers to agents, wherever a session contains them. */
import { expect, test } from "vitest";
import type { AgentIndex } from "../../../bin/agents/agent-index.ts";
import { session } from "../../../fixtures/builder.ts";
import { agentIndex } from "./agent-index.ts";

// Concatenated, so that scanners don't report this file.
const KEY = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"}`;

const leaky = () =>
  session({ id: "leaky", cwd: `/home/ada/${KEY}` })
    .user("Look for the needle.", { id: "e1" })
    .label("e1", `the key is ${KEY}`)
    .tool("read", { path: `/tmp/${KEY}.txt` }, "nothing")
    .toolResult("call", `tool-${KEY}`, "a tool with an odd name");

const REQUESTS: [
  string,
  (agents: AgentIndex, redact: boolean) => Promise<{ text: string; data: unknown }>,
][] = [
  ["a list", (agents, redact) => agents.request("list", { redact })],
  ["a search", (agents, redact) => agents.request("search", { query: "needle", redact })],
  ["a session", (agents, redact) => agents.request("read", { session: "leaky", redact })],
  ["its outline", (agents, redact) => agents.request("read", { session: "leaky", view: "outline", redact })],
  ["its tree", (agents, redact) => agents.request("tree", { session: "leaky", redact })],
  ["touched files", (agents, redact) => agents.request("touching", { file: "*.txt", redact })],
];

test("a key in a label, a folder or the path of a touched file is masked", async () => {
  const { agents, paths } = await agentIndex([leaky()]);
  for (const [what, request] of REQUESTS) {
    const { text, data } = await request(agents, true);
    // The path of the session itself stays as it is, because requests need it.
    const rendered = `${text}\n${JSON.stringify(data)}`.replaceAll(paths[0] as string, "");
    expect(rendered, what).not.toContain(KEY);
    expect((await request(agents, false)).text.replaceAll(paths[0] as string, ""), what).toContain(KEY);
  }
});

test("a key in a usage dimension is masked", async () => {
  const { agents } = await agentIndex([leaky().tool(`tool-${KEY}`, {}, "an odd name")]);
  for (const by of ["project", "tool"] as const) {
    const rows = JSON.stringify((await agents.request("usage", { by: [by] })).data);
    expect(rows, by).not.toContain(KEY);
    expect(rows, by).toContain("[redacted"); // there is a row whose key was masked
  }
});

// Placeholders, not real secrets.
const NAMED = [
  ["password: Xk9$mQ2!vLp7@wR4", "Xk9$mQ2!vLp7@wR4"],
  ["postgres://ada:s3cr3tPa55w0rd9x@db.example.com/till", "s3cr3tPa55w0rd9x"],
  ['{"api_key": "Zq8Lm3Vt6Rk1Xw9Ns4Pb7Hc2"}', "Zq8Lm3Vt6Rk1Xw9Ns4Pb7Hc2"],
  ["Authorization: Basic YWRhOnMzY3IzdFBhNTV3MHJkOXg=", "YWRhOnMzY3IzdFBhNTV3MHJkOXg="],
] as const;

test("a secret value is masked if the snippet cuts off its name or part of the value", async () => {
  const draft = session({ id: "cut" });
  const queries: [string, string][] = [];
  for (const [written, value] of NAMED)
    for (let between = 60; between < 180; between += 4) {
      const gap = "w ".repeat(between).slice(0, between);
      draft.user(`${"zz ".repeat(99)}${written} ${gap}word${queries.length} ${"yy ".repeat(99)}`);
      queries.push([`word${queries.length}`, value]);
      draft.user(`${"zz ".repeat(99)}word${queries.length} ${gap}${written} ${"yy ".repeat(99)}`);
      queries.push([`word${queries.length}`, value]);
    }
  const { agents } = await agentIndex([draft]);
  for (const [query, value] of queries) {
    const rendered = JSON.stringify((await agents.request("search", { query })).data.sessions[0]?.hits);
    expect(rendered).toContain(query);
    for (let at = 0; at + 6 <= value.length; at++) expect(rendered).not.toContain(value.slice(at, at + 6));
  }
});
