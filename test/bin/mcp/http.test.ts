/** The MCP server over HTTP: access control, and the same answers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";

const KEY = "a-long-random-token";
const folder = mkdtempSync(join(tmpdir(), "pidex-mcp-http-"));
const root = join(folder, "sessions");
let end = async () => {};
let address: URL;
let header = "";

const start = (env: Record<string, string>, flags = ["--http"]) =>
  spawn(process.execPath, [BUILT_PIDEX, "mcp", ...flags, "--root", root, "--db", join(folder, "index.db")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(async () => {
  session({ id: "till" }).user("Where is the needle?").assistant("In the hay.").writeUnder(root);
  const child = start({ PIDEX_TOKEN: KEY });
  end = async () => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  };
  const lines = createInterface({ input: child.stdout });
  const printed: string[] = [];
  for await (const line of lines) if (printed.push(line) === 2) break;
  address = new URL(printed[0] as string);
  header = printed[1] as string;
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

test("it prints its URL and key, and answers requests with that key", async () => {
  expect([address.hostname, address.pathname, header]).toEqual([
    "127.0.0.1",
    "/mcp",
    `Authorization: Bearer ${KEY}`,
  ]);
  const requestInit = { headers: { Authorization: `Bearer ${KEY}` } };
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  expect((await client.listTools()).tools).toHaveLength(9);
  const { content } = await client.callTool({ name: "search_sessions", arguments: { query: "needle" } });
  expect(content).toMatchObject([{ text: expect.stringContaining("> Where is the needle?") }]);
  await client.close();
});

test("a session with a pending call of the tool is the current session, and excluded", async () => {
  const call = {
    type: "toolCall",
    id: "a",
    name: "mcp__pidex__search_sessions",
    arguments: { query: "needle" },
  };
  session({ id: "current", timestamp: new Date().toISOString(), step: 0 })
    .user("Was there a needle before?")
    .message({ role: "assistant", content: [call] })
    .writeUnder(root);
  const requestInit = { headers: { Authorization: `Bearer ${KEY}` } };
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  const search = async (more: object) => {
    const given = { name: "search_sessions", arguments: { query: "needle", ...more } };
    const { sessions } = (await client.callTool(given)).structuredContent as {
      sessions: { session: { id: string } }[];
    };
    return sessions.map(({ session }) => session.id).sort();
  };
  expect(await search({})).toEqual(["till"]);
  expect(await search({ include_current_session: true })).toEqual(["current", "till"]);
  await client.close();
});

const ASK = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const OWN = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test.each([
  ["without a key", {}, 401],
  ["with another key", { authorization: "Bearer another-key-of-some-length" }, 401],
  ["with the key in no form", { authorization: KEY }, 401],
  ["from a page of elsewhere", { authorization: `Bearer ${KEY}`, origin: "https://evil.example" }, 403],
  ["from a page of ours", { authorization: `Bearer ${KEY}`, origin: "OURS" }, 403],
  ["by another name of this machine", { authorization: `Bearer ${KEY}`, host: "evil.example" }, 403],
  ["as it should be", { authorization: `Bearer ${KEY}` }, 200],
])("a request %s", async (_, headers: Record<string, string>, status) => {
  const own = headers.origin === "OURS" ? { ...headers, origin: address.origin } : headers;
  expect(await posted({ ...OWN, ...own })).toBe(status);
});

test("the key is valid only for the protocol, not for the page", async () => {
  const answer = await fetch(new URL("/api/list", address), { headers: { authorization: `Bearer ${KEY}` } });
  expect(answer.status).toBe(401);
});

test.each([
  ["a key that could be guessed", { PIDEX_TOKEN: "short" }, ["--http"], "PIDEX_TOKEN"],
  ["a port that nobody listens on", {}, ["--port", "7333"], "Add --http"],
])("%s is an error at startup", async (_, env, flags, words) => {
  const child = start(env as Record<string, string>, flags);
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  expect([code, said]).toEqual([2, expect.stringContaining(words)]);
});

/** Unlike `fetch`, sends any Host header. */
function posted(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: "POST", headers }, (got) => {
      got.resume();
      resolve(got.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(ASK));
  });
}
