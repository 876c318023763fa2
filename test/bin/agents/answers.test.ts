import { describe, expect, test } from "vitest";
import { formatCitation, parseReference } from "../../../bin/agents/citations.ts";
import { readCurrentSession } from "../../../bin/agents/current-session.ts";
import { estimateTokens } from "../../../bin/agents/tokens.ts";
import { session } from "../../../fixtures/builder.ts";
import type { Index } from "../../../library/index.ts";
import { acquireLock } from "../../../src/store/sqlite/lock.ts";
import { agentIndex } from "./agent-index.ts";

const many = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    session({ id: `s${n}`, cwd: `/home/ada/${n % 2 ? "till" : "shop"}` })
      .user(`The needle, number ${n}, and a few words more about it.`)
      .tool("edit", { path: "src/needle.ts" }, "done")
      .assistant("A needle in the hay."),
  );

const idsOf = ({ data }: { data: { sessions: { session?: { id: string }; id?: string }[] } }) =>
  data.sessions.map((each) => each.session?.id ?? each.id);

describe.each([
  [
    "search",
    (max: number, cursor?: string) => ["search", { query: "needle", limit: 8, max_tokens: max, cursor }],
  ],
  ["list", (max: number, cursor?: string) => ["list", { limit: 8, max_tokens: max, cursor }]],
  [
    "touching",
    (max: number, cursor?: string) => ["touching", { file: "needle.ts", limit: 8, max_tokens: max, cursor }],
  ],
] as const)("%s", (_, createRequest) => {
  test.each([400, 700, 5000])(
    "lists each session once over its pages of %i tokens, without the current one",
    async (max) => {
      const { agents } = await agentIndex(many(20), { currentSession: { id: "s7" } });
      const ids: unknown[] = [];
      for (let cursor: string | undefined, pages = 0; pages < 30; pages++) {
        const [name, question] = createRequest(max, cursor) as ["list", object];
        const answer = await agents.request(name, question);
        expect(estimateTokens(answer.text)).toBeLessThanOrEqual(max * 1.1);
        expect(estimateTokens(JSON.stringify(answer.data))).toBeLessThanOrEqual(max * 1.1);
        ids.push(...idsOf(answer));
        cursor = answer.data.next;
        if (cursor === undefined) break;
      }
      expect(ids.toSorted()).toEqual(
        many(20)
          .map(({ id }) => id)
          .filter((id) => id !== "s7")
          .toSorted(),
      );
    },
  );
});

test("the current session is excluded by id or by file", async () => {
  expect(readCurrentSession({ PI_SESSION_ID: "a", PI_SESSION_FILE: "/b.jsonl" })).toEqual({
    id: "a",
    path: "/b.jsonl",
  });
  expect(readCurrentSession({ PI_SESSION_ID: "" })).toEqual({});
  const { agents, paths } = await agentIndex(many(3));
  const options = { currentSession: { path: paths[1] as string } };
  const search = await agents.request("search", { query: "needle OR hay" }, options);
  expect(idsOf(search).toSorted()).toEqual(["s0", "s2"]);
  expect(idsOf(await agents.request("list", {}, options)).toSorted()).toEqual(["s0", "s2"]);
});

test("the excluded current session doesn't shorten a page", async () => {
  const { agents } = await agentIndex(many(20));
  const [first, ...others] = idsOf(await agents.request("list", { include_current_session: true }));
  const { length } = idsOf(await agents.request("list", { max_tokens: 500 }));
  expect(length).toBeLessThan(10);
  const options = { currentSession: { id: first as string } };
  expect(idsOf(await agents.request("list", { max_tokens: 500 }, options))).toEqual(others.slice(0, length));
});

test("an empty result says what to try", async () => {
  const { agents } = await agentIndex(many(1));
  expect((await agents.request("search", { query: "needle zebra", strict: true })).text).toBe(
    "No sessions match. Not in the index: zebra. Try other words or fewer filters.",
  );
  expect((await agents.request("search", { query: "zebra" })).text).toContain("other words");
  expect((await agents.request("touching", { file: "zebra.ts" })).text).toContain(
    "No session touched zebra.ts",
  );
});

test("the closest matches are in the first response, with the words they lack", async () => {
  const { agents } = await agentIndex(many(1));
  const { text, data } = await agents.request("search", { query: "nedle zebra" });
  expect(text).toContain(
    "No session matches every term. Closest matches; corrected: nedle → needle; missing: zebra. 1 session.",
  );
  expect(text).toContain("Missing: zebra");
  expect(data.sessions).toMatchObject([{ missing: ["zebra"] }]);
  expect(data.closest).toEqual({
    sessionCount: 1,
    missing: ["zebra"],
    corrected: [{ from: "nedle", to: "needle" }],
  });
});

test("misspelled words are corrected, and the response says so", async () => {
  const { agents } = await agentIndex(many(1));
  const { text, data } = await agents.request("search", { query: "nedle" });
  expect(text).toContain("Nothing matches as typed. Results for: needle. 1 session.");
  expect(data).toMatchObject({ correctedQuery: "needle", sessionCount: 1 });
});

test("usage has a total and as many rows as fit", async () => {
  const { agents } = await agentIndex(many(12));
  const { data, text } = await agents.request("usage", { by: ["session"], max_tokens: 900 });
  expect(data.rows.length).toBeLessThan(12);
  expect(data.others?.messages).toBe(24 - data.rows.reduce((sum, { messages }) => sum + messages, 0));
  expect(data.total.messages).toBe(24);
  expect(estimateTokens(text)).toBeLessThanOrEqual(900);
});

test("a key truncated at the end of a snippet is masked", async () => {
  const key = `ghp_${"aB3dE6gH9".repeat(4)}`;
  const { agents } = await agentIndex([
    session({ id: "k1" }).user(`${"word ".repeat(29)}needle ${"more ".repeat(9)}${key}${" end".repeat(40)}`),
    session({ id: "k2" }).user(`${key} ${"word ".repeat(20)}needle${" end".repeat(200)}`),
    session({ id: "k3" }).user(
      `needle\n-----BEGIN PRIVATE KEY-----\n${`${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)}\n`.repeat(20)}`,
    ),
  ]);
  for (const query of ["needle", "needle end", "needle MIIEvQIBADANBgkqhkiG9w0BAQEFAASC*"]) {
    const json = JSON.stringify(await agents.request("search", { query }));
    expect(json).not.toContain(key.slice(4, 20));
    expect(json).not.toContain("aB3dE6gH9aB3");
    expect(json).not.toContain("G9w0BAQEFAASCMII");
  }
});

test("a request during a rebuild returns partial results and says so", async () => {
  const { agents } = await agentIndex(many(120), { timeoutMs: 0 });
  const early = await agents.request("list", { limit: 1 });
  expect(early.data.remark).toMatch(/^The index is still being built: this answer covers \d+ of \d+ files/);
  expect(early.text.startsWith(early.data.remark as string)).toBe(true);
});

test("closing the index lets requests in progress finish", async () => {
  const { agents } = await agentIndex(many(5));
  const requests = [
    agents.request("list", {}),
    agents.request("search", { query: "needle" }),
    agents.request("tree", { session: "s1" }),
  ];
  const closing = agents.close();
  for (const { text } of await Promise.all(requests)) expect(text).toContain("needle");
  await closing;
  await expect(agents.request("list", {})).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
});

test("a response says that files are missing while another process builds the index", async () => {
  const { agents } = await agentIndex(many(120));
  const lock = await acquireLock((agents.index as Index).path, "sync", { timeoutMs: 0 });
  try {
    const { data } = await agents.request("list", { limit: 1 });
    expect(data.remark).toBe("Another pidex process is indexing: results may be out of date for 120 files.");
  } finally {
    lock?.release();
  }
});

test.each([
  ["/a/b.jsonl", { session: "/a/b.jsonl" }],
  ["/a/b.jsonl:12#e1", { session: "/a/b.jsonl", line: 12, entry: "e1" }],
  ["/a/b.jsonl:12", { session: "/a/b.jsonl", line: 12 }],
  ["C:\\a\\b.jsonl:12#e1", { session: "C:\\a\\b.jsonl", line: 12, entry: "e1" }],
  ["s1#e1", { session: "s1", entry: "e1" }],
  ["@last", { session: "@last" }],
  ["pidex://session/s%201", { session: "s 1" }],
  ["pidex://session/s1/entry/e%2F1", { session: "s1", entry: "e/1" }],
])("%s is a valid location", (text, place) => {
  expect(parseReference(text)).toEqual(place);
});

test("citations are accepted as references", () => {
  expect(parseReference(formatCitation("/a b/c.jsonl", 7, "e1"))).toEqual({
    session: "/a b/c.jsonl",
    line: 7,
    entry: "e1",
  });
  expect(parseReference(formatCitation("/c.jsonl", 7, null))).toEqual({ session: "/c.jsonl", line: 7 });
});
