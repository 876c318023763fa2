/** Changes of files, the index and the client while the server runs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { connected } from "./client.ts";

/** Enough sessions that a thread syncs them. */
function manyIn(root: string): void {
  for (let n = 0; n < 400; n++) {
    session({ id: `s${n}` })
      .user(`question ${n} `.repeat(400))
      .assistant("needle")
      .writeUnder(root);
  }
}

test("the first index reports progress, a cancelled call ends, and the next call is complete", async () => {
  const root = join(temporaryFolder(), "sessions");
  manyIn(root);
  const { call } = await connected(root);
  const stop = new AbortController();
  const progress: { progress: number; total?: number }[] = [];
  const cancelled = call(
    "search_sessions",
    { query: "needle" },
    {
      signal: stop.signal,
      onprogress: (one: { progress: number; total?: number }) => {
        progress.push(one);
        stop.abort(new Error("enough"));
      },
    },
  );
  await expect(cancelled).rejects.toThrow("enough");
  expect(progress).toEqual([expect.objectContaining({ progress: expect.any(Number) })]);
  const { data, text } = await call("list_sessions", {});
  expect([data.total, data.remark, text.startsWith("400 sessions")]).toEqual([400, undefined, true]);
});

test("the next response includes new content and excludes deleted sessions", async () => {
  const root = join(temporaryFolder(), "sessions");
  mkdirSync(root, { recursive: true });
  const { call } = await connected(root);
  expect((await call("search_sessions", { query: "needle" })).data.sessions).toEqual([]);
  const path = session({ id: "new" }).user("a needle").writeUnder(root);
  expect((await call("search_sessions", { query: "needle" })).data.sessions).toHaveLength(1);
  rmSync(root, { recursive: true });
  const { data, isError } = await call("search_sessions", { query: "needle" });
  expect([isError, data.sessions]).toEqual([false, []]);
  expect(await call("read_session", { session: path })).toMatchObject({
    isError: true,
    text: expect.stringContaining("NOT_FOUND"),
  });
});

test("every listed resource can be read, whatever its id", async () => {
  const root = join(temporaryFolder(), "sessions");
  for (const [n, id] of ["plain", "a/b c#?", "..", "%2F漢", "twice", "twice"].entries())
    session({ id, cwd: `/${n}` })
      .user(`needle ${n}`)
      .write(join(root, `${n}.jsonl`));
  const { client } = await connected(root);
  const { resources } = await client.listResources();
  const texts: unknown[] = [];
  for (const { uri } of resources) {
    const [content] = (await client.readResource({ uri })).contents;
    texts.push(/needle \d/.exec((content as { text: string }).text)?.[0]);
  }
  expect(texts.toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `needle ${n}`));
});

test("a failed open is an error response, and later calls retry", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  session({}).user("needle").writeUnder(root);
  const db = join(folder, "index.db");
  mkdirSync(db);
  const { call } = await connected(root, { db });
  expect(await call("list_sessions", {})).toMatchObject({
    isError: true,
    text: expect.stringContaining("DATABASE_UNAVAILABLE"),
  });
  rmSync(db, { recursive: true });
  expect((await call("list_sessions", {})).data.total).toBe(1);
});

test("stdout carries only the protocol, whatever the input, and the server ends with it", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  session({}).user("needle").writeUnder(root);
  const db = join(folder, "index.db");
  writeFileSync(db, "SQLite format 3\0 and then nothing of the kind".padEnd(5000, "x"));
  const child = spawn(process.execPath, [BUILT_PIDEX, "mcp", "--root", root, "--db", db], {
    env: { ...process.env, NODE_OPTIONS: "--trace-warnings" },
  });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
    if (out.includes('"id":2') && out.includes('"id":3')) child.stdin.end();
  });
  const initialize = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "old", version: "1" },
  };
  const lines = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    "this is no JSON",
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "search_sessions", arguments: { query: "needle" } },
    },
    { jsonrpc: "2.0", id: 3, method: "no/such/method" },
  ];
  for (const line of lines) child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  const [code] = await once(child, "exit");
  const answers = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  expect(byId.get(1).result.protocolVersion).toBe("2025-06-18");
  expect(byId.get(3).error.code).toBe(-32601);
  expect(byId.get(2).result.content[0].text).toContain("FOREIGN_DATABASE");
  expect(code).toBe(0);
});
