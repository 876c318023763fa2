/** The export route of the web server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { pidexAt } from "../cli.ts";
import { serve, type TestServer } from "./serve.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;
let folder = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  const root = join(folder, "sessions");
  const talk = session({ id: "talk" })
    .user("Where is the needle?", { id: "q" })
    .assistant("first", { id: "a1" });
  talk.branch("q").assistant(`In the haystack: ${SECRET}`, { id: "a2" });
  talk.writeUnder(root);
  session({ id: "hay", cwd: "/w/barn" })
    .user("Is the needle in the barn?")
    .assistant("No.")
    .user("Thanks.")
    .writeUnder(root);
  session({ id: "other", cwd: "/w/barn" }).user("Feed the cows.").assistant("Done.").writeUnder(root);
  await pidexAt(root, folder)(["index"]);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serve(root, { db: join(folder, "index.db"), atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

const cli = async (...argv: string[]) =>
  (await pidexAt(join(folder, "sessions"), folder)(["export", ...argv])).out;

test.each(["html", "md", "jsonl"])("%s is the output of the command line, as a download", async (format) => {
  const response = await server.fetch(`/api/export?session=talk&format=${format}`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="pidex-talk.${format}"`);
  const written = await response.text();
  expect(written).toContain("In the haystack");
  expect(written).not.toContain(SECRET);
  if (format === "jsonl") expect(written).toBe(await cli("talk", "--format", "jsonl"));
});

test("exports a branch, the whole session or search results, with secrets masked by default", async () => {
  const text = async (query: string) => (await server.fetch(`/api/export?format=md&${query}`)).text();
  expect(await text("session=talk&leaf=a1")).not.toContain("haystack");
  expect(await text("session=talk&all=true")).toMatch(/first[\s\S]*haystack/);
  expect(await text("search=needle")).toContain("Where is the needle?");
  expect(await text("session=talk&redact=false")).toContain(SECRET);
});

/** The ids of the sessions in a JSONL export, and its number of lines. */
async function exported(query: string): Promise<[ids: string[], lineCount: number]> {
  const response = await server.fetch(`/api/export?format=jsonl&${query}`);
  expect(response.status).toBe(200);
  const lines = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const headers = lines.filter(({ type }) => type === "session");
  return [headers.map(({ id }) => id).sort(), lines.length];
}

test("exports several sessions, each whole", async () => {
  expect(await exported("session=talk&session=other")).toEqual([["other", "talk"], 2 + 2 + 2]);
  expect(await exported("session=talk&session=other&all=true")).toEqual([["other", "talk"], 2 + 3 + 2]);
  expect(await exported("session=talk&session=talk&session=hay")).toEqual([["hay", "talk"], 2 + 2 + 3]);
  const many = Array.from({ length: 2500 }, () => "session=hay").join("&"); // longer than Node's limit of headers
  expect(await exported(many)).toEqual([["hay"], 4]);
  const text = async (format: string) =>
    (await server.fetch(`/api/export?session=talk&session=other&format=${format}`)).text();
  expect(await text("md")).toMatch(
    /^# 2 sessions\n[\s\S]*\n# Where is the needle\?\n[\s\S]*\n# Feed the cows/,
  );
  const html = await text("html");
  expect(html.match(/<section class="found"/g)).toHaveLength(2);
  expect(new Set(html.match(/ id="[^"]*"/g)).size).toBe(html.match(/ id="[^"]*"/g)?.length);
});

test("exports what a search or filters find, each session whole", async () => {
  expect(await exported("search=needle&whole=true")).toEqual([["hay", "talk"], 3 + 1 + 2 + 1]);
  expect(await exported("whole=true")).toEqual([["hay", "other", "talk"], 3 + 2 + 2 + 3]);
  expect(await exported("whole=true&cwd=/w/barn")).toEqual([["hay", "other"], 3 + 2 + 2]);
  const none = await server.fetch("/api/export?format=jsonl&search=needle&whole=true&model=nothing");
  expect([none.status, await none.text()]).toEqual([200, ""]);
});

test("exports no more sessions than the limit", async () => {
  const [ids, lineCount] = await exported("whole=true&limit=1");
  expect([ids.length, lineCount > 2]).toEqual([1, true]);
});

test("an error is reported before anything is sent", async () => {
  for (const [query, status, code] of [
    ["session=nobody", 404, "NOT_FOUND"],
    ["session=talk&leaf=nothing", 404, "NOT_FOUND"],
    ["", 400, "BAD_OPTION"],
    ["session=talk&search=x", 400, "BAD_OPTION"],
    ["session=talk&whole=true", 400, "BAD_OPTION"],
    ["search=needle&all=true", 400, "BAD_OPTION"],
    ["whole=true&role=user", 400, "BAD_OPTION"],
    ["session=talk&session=hay&leaf=a1", 400, "BAD_OPTION"],
    ["session=talk&session=nobody", 404, "NOT_FOUND"],
    ["session=talk&format=exe", 400, "BAD_OPTION"],
    ["search=since:never", 400, "BAD_QUERY"],
  ] as const) {
    const response = await server.fetch(`/api/export?${query}`);
    const { error } = (await response.json()) as { error: { code: string } };
    expect([query, response.status, error.code]).toEqual([query, status, code]);
  }
});

test("the command line reports it before reading any file", async () => {
  const { exit, err } = await pidexAt(join(folder, "nowhere"), folder)(["export"]);
  expect([exit, err]).toEqual([2, expect.stringContaining("specify either a session or --search")]);
});

test("a disconnected reader ends the export, and the server keeps running", async () => {
  const stop = new AbortController();
  const response = await server.fetch("/api/export?session=talk", { signal: stop.signal });
  await response.body?.getReader().read();
  stop.abort();
  expect((await server.fetch("/api/list")).status).toBe(200);
});

test("sessions that are too many for an address are selected by a form", async () => {
  const form = (body: string) =>
    server.fetch("/api/export", {
      method: "POST",
      headers: { Origin: server.origin, "Content-Type": "application/x-www-form-urlencoded" },
      body,
    });
  const response = await form("session=talk&session=other&format=md");
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/haystack[\s\S]*cows/);
  expect((await form("session=talk&typo=1")).status).toBe(400); // validated as in an address
  const long = Array.from({ length: 3000 }, () => `session=${"x".repeat(60)}`).join("&");
  expect((await (await form(long)).json()) as object).toMatchObject({ error: { code: "NOT_FOUND" } });
  expect((await form("x".repeat(2_100_000))).status).toBe(400);
});
