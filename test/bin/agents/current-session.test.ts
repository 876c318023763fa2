/** The current session is excluded, and nothing else. */
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { agentIndex } from "./agent-index.ts";

const before = () => session({ id: "before" }).user("the needle").tool("read", { path: "tax.ts" }, "tax");
const current = () =>
  session({ id: "current", timestamp: "2026-01-09T09:00:00.000Z" })
    .user("the needle")
    .tool("read", { path: "tax.ts" }, "tax");
const opened = () => agentIndex([before(), current()], { currentSession: { id: "current" } });

test("a limit of one returns one other session", async () => {
  const { agents } = await opened();
  const lists = [
    (await agents.request("list", { limit: 1 })).data,
    (await agents.request("touching", { file: "tax.ts", limit: 1 })).data,
    (await agents.request("search", { query: "needle", limit: 1 })).data,
  ];
  for (const { sessions, next } of lists) {
    expect(sessions.map((one) => ("session" in one ? one.session.id : one.id))).toEqual(["before"]);
    expect(next).toBeUndefined();
  }
});

test("@last is the newest other session", async () => {
  const { agents } = await opened();
  expect((await agents.request("read", { session: "@last" })).data.session.id).toBe("before");
  expect((await agents.request("tree", { session: "@last" })).data.session.id).toBe("before");
  const { rows } = (await agents.request("usage", { session: "@last", by: ["session"] })).data;
  expect(rows).toMatchObject([{ key: { session: expect.stringContaining("before") } }]);
  const { data } = await agents.request("read", { session: "@last" }, { currentSession: {} });
  expect(data.session.id).toBe("current");
});

test.each(['"the needle', 'needle role:"user', "“the needle"])(
  "a query with an unclosed quotation excludes the current session too: %s",
  async (query) => {
    const { agents } = await opened();
    const { sessions } = (await agents.request("search", { query })).data;
    expect(sessions.map(({ session }) => session.id)).toEqual(["before"]);
  },
);

test("totals exclude it, on every page", async () => {
  const many = Array.from({ length: 4 }, (_, n) => session({ id: `s${n}` }).user("the needle"));
  const { agents } = await agentIndex([...many, current()], { currentSession: { id: "current" } });
  const first = await agents.request("list", { limit: 2 });
  const second = await agents.request("list", { limit: 2, cursor: first.data.next });
  expect([first.data.total, second.data.total]).toEqual([4, 4]);
});

test.each(["rol:needle", "needle OR", "-needle", "()", '"', ""])(
  "an error in a query quotes it as written: %s",
  async (query) => {
    const { agents } = await opened();
    const withIt = await agents.request("search", { query }).catch((error: Error) => error.message);
    const without = await agents
      .request("search", { query, include_current_session: true })
      .catch((error: Error) => error.message);
    expect(withIt).toBe(without);
  },
);
