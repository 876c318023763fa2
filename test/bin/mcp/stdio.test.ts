/** The MCP server as agents start it: a child process, with the client of the SDK. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type Connected, connected } from "./client.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-mcp-"));
const root = join(folder, "sessions");
const SECRET = `ghp_${"aB3dE6gH9".repeat(4)}`;
let server: Connected;
let end = async () => {};
let tillPath = "";

beforeAll(async () => {
  tillPath = session({ id: "till", cwd: "/home/ada/till" })
    .user("Why is the till wrong by a cent?", { id: "q" })
    .tool("read", { path: "src/round.ts" }, "export const round = Math.round;", { id: "r" })
    .assistant("It rounds twice: once for each line.", { id: "a" })
    .branch("q")
    .assistant("Another way: count in cents.", { id: "b" })
    .label("a", "found")
    .name("The wrong cent")
    .writeUnder(root);
  session({ id: "current", cwd: "/home/ada/till" })
    .user("How did we mend the till that rounds twice?")
    .writeUnder(root);
  session({ id: "leaky", cwd: "/home/ada/till" })
    .user(`The deploy key is ${SECRET} for now.`, { id: "k" })
    .writeUnder(root);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await connected(root, { db: join(folder, "index.db"), env: { PI_SESSION_ID: "current" }, atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

describe("the tools", () => {
  test("have descriptions and are read-only", async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_sessions",
      "list_sessions",
      "read_session",
      "handoff",
      "session_tree",
      "sessions_touching_file",
      "blame_file",
      "usage_summary",
      "session_insights",
    ]);
    for (const { annotations, inputSchema, outputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect([inputSchema.type, outputSchema?.type]).toEqual(["object", "object"]);
      expect(description?.length).toBeGreaterThan(40);
    }
    expect(server.client.getInstructions()).toContain("data");
  });

  test("search_sessions cites its hits and excludes the current session", async () => {
    const { text, data } = await server.call("search_sessions", { query: "rounds twice" });
    expect(data.sessions.map(({ session }: { session: { id: string } }) => session.id)).toEqual(["till"]);
    expect(text).toMatch(new RegExp(`^${tillPath}:\\d+#a assistant`, "m"));
    expect(text).toContain("> It rounds twice: once for each line.");
    const all = await server.call("search_sessions", {
      query: "rounds twice",
      include_current_session: true,
    });
    expect(all.data.sessions).toHaveLength(2);
  });

  test("handoff returns a brief, and read_session accepts its citations", async () => {
    const { text, data } = await server.call("handoff", { session: "till" });
    expect(text).toMatch(/^# Handoff/);
    const [, citation] = / (:\d+~[a-z]{5})$/m.exec(text) ?? [];
    const { isError } = await server.call("read_session", { session: `${data.session.path}${citation}` });
    expect(isError).toBeFalsy();
  });

  test("read_session reads around a citation", async () => {
    const { data } = await server.call("search_sessions", { query: "rounds twice" });
    const [{ session, hits }] = data.sessions;
    const cited = `${session.path}:${hits[0].line}#${hits[0].entryId}`;
    const { text, data: read } = await server.call("read_session", { session: cited });
    expect(read.entries.map(({ entryId }: { entryId: string }) => entryId)).toContain("a");
    expect(text).toContain("> export const round = Math.round;");
  });

  test("session_tree, sessions_touching_file, usage_summary and list_sessions work", async () => {
    const tree = await server.call("session_tree", { session: "till" });
    expect(tree.data.branchCount).toBe(2);
    expect(tree.text).toContain("[label found]");
    const touching = await server.call("sessions_touching_file", { file: "round.ts" });
    expect(touching.data.sessions[0].touches).toMatchObject([
      { action: "read", path: "/home/ada/till/src/round.ts" },
    ]);
    const usage = await server.call("usage_summary", { by: ["model"] });
    expect(usage.data.total).toMatchObject({ messages: 3, toolCalls: 1 });
    expect(usage.text).toMatch(/^Total: \$/);
    const insights = await server.call("session_insights", {
      since: "2026-01-01",
      min_occurrences: 1,
      min_sessions: 1,
    });
    expect(insights.data.totals.now).toMatchObject({ sessions: 1 });
    expect(insights.text).toMatch(/model responses: 3/);
    const list = await server.call("list_sessions", {});
    expect(list.data.total).toBe(2);
    expect(list.text).toContain('"The wrong cent"');
  });

  test("mask secrets by default", async () => {
    const masked = await server.call("read_session", { session: "leaky" });
    expect(masked.text).toContain("[redacted");
    expect(JSON.stringify(masked)).not.toContain(SECRET);
    expect((await server.call("read_session", { session: "leaky", redact: false })).text).toContain(SECRET);
    expect(JSON.stringify(await server.call("search_sessions", { query: "deploy key" }))).not.toContain(
      SECRET,
    );
    expect(JSON.stringify(await server.call("list_sessions", {}))).not.toContain(SECRET);
  });

  test.each([
    ["search_sessions", {}, "query"],
    ["search_sessions", { query: 5 }, "query"],
    ["search_sessions", { query: "x", color: "red" }, "color"],
    ["search_sessions", { query: "((" }, "BAD_QUERY"],
    ["search_sessions", { query: "x", since: "soon" }, "BAD_OPTION"],
    ["search_sessions", { query: "x", cursor: "x" }, "BAD_CURSOR"],
    ["read_session", { session: "nobody" }, "NOT_FOUND"],
    ["read_session", { session: "till", entry: "nowhere" }, "NOT_FOUND"],
    ["read_session", { session: "till", cursor: "x" }, "BAD_CURSOR"],
    ["read_session", { session: "till:99" }, "NOT_FOUND"],
    ["read_session", { session: "pidex://session/%" }, "BAD_OPTION"],
    ["read_session", { session: "till", max_tokens: 1 }, "max_tokens"],
    ["usage_summary", { by: ["color"] }, "by"],
    ["usage_summary", { time_zone: "Mars" }, "BAD_OPTION"],
  ])("%s says what is wrong with %j", async (name, args, words) => {
    const { text, isError } = await server.call(name, args);
    expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
  });

  test("unknown tools are errors, and the server keeps running", async () => {
    await expect(server.client.callTool({ name: "drop_tables", arguments: {} })).rejects.toThrow(
      "drop_tables",
    );
    expect((await server.call("list_sessions", {})).isError).toBe(false);
  });
});

describe("the resources", () => {
  test("are outlines of the newest sessions, and their entries", async () => {
    const { resources } = await server.client.listResources();
    const till = resources.find(({ name }) => name === "The wrong cent");
    expect(till?.uri).toBe("pidex://session/till");
    const { contents } = await server.client.readResource({ uri: "pidex://session/till" });
    expect(contents[0]).toMatchObject({
      text: expect.stringContaining("> Why is the till wrong by a cent?"),
    });
    const entry = await server.client.readResource({ uri: "pidex://session/till/entry/a" });
    expect(entry.contents[0]).toMatchObject({ text: expect.stringContaining("> It rounds twice") });
    const { resourceTemplates } = await server.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "pidex://session/{id}",
      "pidex://session/{id}/entry/{entry}",
    ]);
  });

  test.each(["pidex://session/nobody", "pidex://session/till/entry/nowhere", "pidex://elsewhere"])(
    "%s is not a resource",
    async (uri) => {
      await expect(server.client.readResource({ uri })).rejects.toThrow();
    },
  );
});
