/** Hostile requests, with and without sign-in, don't break the server. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AuthTokens, createGuard } from "../../../bin/web/server/guard.ts";
import { session } from "../../../fixtures/builder.ts";
import { pidexAt } from "../cli.ts";
import { serve, type TestServer } from "./serve.ts";

let folder = "";
let root = "";
let path = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-requests-"));
  root = join(folder, "sessions");
  path = session({ id: "one" }).user("Why?").assistant("So.").name("one").writeUnder(root);
  // Old, so that the session is not active.
  utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05"));
  const outside = session({ id: "outside" }).user("Not for the page.").write(join(folder, "outside.jsonl"));
  cpSync(outside, join(folder, "elsewhere", "other.jsonl"));
  writeFileSync(join(folder, "secret.txt"), "secret\n");
  if (process.platform !== "win32") {
    symlinkSync(join(folder, "secret.txt"), join(root, "--home-ada-shop--", "secret.jsonl"));
    symlinkSync(outside, join(root, "--home-ada-shop--", "linked.jsonl"));
    symlinkSync(join(folder, "elsewhere"), join(root, "linked"));
  }
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

const LISTED = "cwd project model since until named labeled pinned archived subagents problems";
const USED =
  "by cwd project session model provider kind agent tool branch subagents since until timeZone weekStart limit budget now";
/** The endpoints and their parameters. */
const ROUTES: Readonly<Record<string, string>> = {
  list: `${LISTED} query title sort order pinnedFirst models limit cursor`,
  search: `${LISTED} query role sort exact quick facets models limit hits cursor snippetLength`,
  facets: `${LISTED} query`,
  scan: `${LISTED} regex query limit`,
  unmatched: "query",
  complete: "query at",
  session: "session",
  candidates: "session",
  outline: "session from mark at leaf",
  entries: "session lines",
  previews: "session lines",
  edits: "session lines",
  hits: "session query",
  image: "session line block",
  usage: USED,
  "usage.csv": `${USED} running`,
  insights: "cwd project machine person since until kind limit examples minOccurrences minSessions timeZone",
  spend: "session",
  budgets: "timeZone weekStart",
  problems: "",
  trashed: "",
  line: "file line offset",
  forks: "session",
  commits: "session",
  handoff: "session leaf",
  export: "session search whole limit leaf all format images redact",
  nothing: "x",
};
const VALUES = [
  ..."one|@last|1|0|true|false|-1|1e9|NaN|999999999999999|9999999999999999|2026|7d|day|yes|UTC|cost".split(
    "|",
  ),
  ..."__proto__|constructor|/etc/passwd|../../../etc/passwd|..|.|~|*|%|'|\"|\\|<script>|(|[|re:(|-a|a OR|a:b".split(
    "|",
  ),
  ..."session:|is:error|file:**|\0|\ud800|\u202e|🔑|1-2|2,3|1-500|3-1|1,|+275760-09-13|' OR 1=1 --".split(
    "|",
  ),
  "",
  "x".repeat(5000),
  "(".repeat(3000),
  "a OR ".repeat(2000),
];

async function expectTold(response: Response, what: string): Promise<void> {
  const text = await response.text();
  expect([what, response.status, text.slice(0, 300)]).toEqual([
    what,
    expect.toSatisfy((status: number) => status === 200 || (status >= 400 && status < 500)),
    text.slice(0, 300),
  ]);
  if (response.status === 200) return;
  if (response.status === 431) return; // it was too long for Node already
  expect(JSON.parse(text).error, what).toMatchObject({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
    hint: expect.any(String),
  });
  // Nothing about the program or its location.
  expect(text, what).not.toMatch(/node_modules|node:internal|SQLITE|at .*\.js:\d/);
}

test("any request gets an answer or a named error", async () => {
  const question = fc.constantFrom(...Object.keys(ROUTES)).chain((route) => {
    const names = (ROUTES[route] as string).split(" ");
    const name = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "token2", "") },
    );
    const value = fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 8, unit: "binary" }));
    // Required parameters are present most of the time.
    const first = fc.tuple(
      ...names
        .filter((one) => /^(session|query|regex|lines?|file|by)$/.test(one))
        .map((one) => fc.tuple(fc.constant(one), value)),
    );
    return fc.tuple(fc.constant(route), first, fc.array(fc.tuple(name, value), { maxLength: 3 }));
  });
  await fc.assert(
    fc.asyncProperty(question, async ([route, first, more]) => {
      const address = `/api/${route}?${new URLSearchParams([...first, ...more])}`;
      await expectTold(await server.fetch(address), address);
    }),
    { numRuns: 120 },
  );
});

test("a body that is far too long is rejected before it is read", async () => {
  const long = "x".repeat(1 << 20);
  // No longer than the data in flight before the response: the rest would meet a closed connection.
  const search = `/api/search?query=${long.slice(0, 1 << 15)}`;
  expect((await untilAnswered(() => server.fetch(search))).status).toBe(431);
  const list = `/api/list?${"a=b&".repeat(3000)}`;
  await expectTold(await untilAnswered(() => server.fetch(list)), "many names");
  const lengths: Record<string, string>[] = [
    { "content-length": String(2 << 20) },
    { "transfer-encoding": "chunked" },
  ];
  for (const headers of lengths) {
    const { status, text } = await untilAnswered(() => posted(headers, long + long));
    expect([status, JSON.parse(text).error.code]).toEqual([400, "BAD_OPTION"]);
  }
});

/**
 * Sends a request again if its connection was closed: a client that is still sending may see that before it reads the response.
 *
 * @throws what the last of five attempts threw
 */
async function untilAnswered<Answer>(send: () => Promise<Answer>, attempts = 5): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    const { code, cause } = error as NodeJS.ErrnoException;
    const reason = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? "";
    if (attempts === 1 || !["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(reason)) throw error;
    return untilAnswered(send, attempts - 1);
  }
}

/** The response to a body, on its own connection, which closes while the body is still being sent. */
function posted(headers: Record<string, string>, body: string): Promise<{ status: number; text: string }> {
  const { authorization, origin } = server;
  return new Promise((resolve, reject) => {
    const options = { method: "POST", agent: false, headers: { authorization, origin, ...headers } };
    const sent = request(`${origin}/api/rename`, options, async (got) => {
      let said = "";
      for await (const chunk of got) said += chunk;
      resolve({ status: got.statusCode ?? 0, text: said });
    });
    sent.on("error", reject).end(body);
  });
}

test("a request aborted in its body changes nothing and prints nothing", async () => {
  const before = readFileSync(path, "utf8");
  const { authorization, origin, stderr } = server;
  const said = stderr();
  const url = new URL(origin);
  const lengths = ["Content-Length: 1000", "Transfer-Encoding: chunked"];
  for (const act of ["rename", "label", "pin", "archive", "compress", "tag", "trash", "sign-in", "ticket"]) {
    for (const length of lengths) {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(url.port), url.hostname, () => {
          const head = `POST /api/${act} HTTP/1.1\r\nHost: ${url.host}\r\nOrigin: ${origin}\r\nAuthorization: ${authorization}`;
          const body = length.startsWith("T") ? '14\r\n{"session":"one","nam' : '{"session":"one","nam';
          // Once the start is sent. The next request is answered after the server has seen the abort.
          socket.write(`${head}\r\n${length}\r\n\r\n${body}`, () => socket.resetAndDestroy());
        });
        socket.on("close", () => resolve()).on("error", reject);
      });
      expect((await server.fetch("/api/session?session=one")).status).toBe(200);
    }
  }
  // Errors are logged before later requests are answered.
  for (let n = 0; n < 20; n++) await server.fetch("/api/list");
  expect(stderr()).toBe(said);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("only a complete body in a POST request changes anything", async () => {
  const before = readFileSync(path, "utf8");
  const acts = ["rename", "label", "pin", "archive", "compress", "tag", "trash", "restore"];
  const all =
    '"session":"one","name":"x","entryId":"a","label":"x","pinned":true,"archived":true,"tags":["x"]';
  const bodies = [
    "",
    "null",
    "[]",
    "1",
    '"one"',
    "{",
    "{}",
    `{"__proto__":{${all}}}`,
    `{${all}}`,
    '{"session":{"toString":"one"}}',
    '{"session":["one"],"name":"x"}',
    '{"session":"one","name":{"length":1}}',
    `{"session":"one","name":"${"x".repeat(3000)}"}`,
    '{"session":"/etc/passwd"}',
    '{"session":"../outside.jsonl"}',
    '{"session":"one","tags":[""]}',
    '{"session":"one","session":"nosuch"}',
    '{"session":"one","entryId":"nosuch","label":"x"}',
    "\ufeff{}",
    '{"session":"one\\u0000"}',
  ];
  for (const act of acts) {
    for (const body of bodies) {
      const type = { "content-type": body.length % 2 ? "text/plain" : "application/x-www-form-urlencoded" };
      const headers = { ...type, origin: server.origin };
      const answer = await server.fetch(`/api/${act}`, { method: "POST", headers, body });
      expect([act, body, answer.status]).toEqual([
        act,
        body,
        expect.toSatisfy((status) => status >= 400 && status < 500),
      ]);
      expect((await answer.json()).error.code).toMatch(/^[A-Z_]+$/);
    }
    const inAddress = `/api/${act}?session=one&name=x&pinned=true&archived=true&tags=x`;
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
      expect([
        method,
        (await server.fetch(inAddress, { method, headers: { origin: server.origin } })).status,
      ]).toEqual([method, method === "HEAD" ? 405 : 404]);
  }
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("files outside the roots are never shown, by name or by link", async () => {
  const names = [
    join(folder, "outside.jsonl"),
    join(folder, "elsewhere", "other.jsonl"),
    join(folder, "secret.txt"),
    join(root, "..", "outside.jsonl"),
    `${path}/../../../outside.jsonl`,
    `file://${folder}/outside.jsonl`,
    "/proc/self/environ",
    "/dev/zero",
    root,
  ];
  for (const name of names) {
    const one = encodeURIComponent(name);
    for (const address of [
      `session?session=${one}`,
      `entries?session=${one}&lines=1-3`,
      `outline?session=${one}`,
      `image?session=${one}&line=2&block=0`,
      `line?file=${one}&line=1&offset=0`,
      `spend?session=${one}`,
      `hits?session=${one}&query=page`,
    ]) {
      const answer = await server.fetch(`/api/${address}`);
      const text = await answer.text();
      expect([address, answer.status]).toEqual([address, 404]);
      expect(text).not.toMatch(/Not for the page|secret\n/);
    }
  }
});

test("an undecodable path is not a view", async () => {
  for (const [address, status] of [
    ["/session/%", 404],
    ["/session/%E0%A4", 404],
    ["/session/%25", 200],
    ["/session/a%2Fb", 200],
    ["/session/a/b", 404],
    ["//session/a", 404],
    ["/Session/a", 404],
  ] as const)
    expect([address, (await server.fetch(server.origin + address)).status]).toEqual([address, status]);
});

test("a HEAD request starts no endless response", async () => {
  for (const question of ["changes", "scan?regex=a", "list"]) {
    const answer = await server.fetch(`/api/${question}`, { method: "HEAD" });
    expect([question, answer.status, answer.headers.get("allow")]).toEqual([question, 405, "GET, POST"]);
  }
});

test("a link on another site opens the page and no API", async () => {
  const keys = new AuthTokens();
  const app = new Hono().use(createGuard(keys, () => 7)).get("*", (context) => context.text("in"));
  const key = keys.redeem(keys.createToken().text);
  const request = async (target: string, more: Record<string, string>) =>
    (
      await app.request(`http://127.0.0.1:7${target}`, {
        headers: { host: "127.0.0.1:7", authorization: `Bearer ${key}`, ...more },
      })
    ).status;
  const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  for (const site of ["cross-site", "same-site"]) {
    expect(await request("/session/one", { ...link, "sec-fetch-site": site })).toBe(200);
    for (const question of ["/api/usage.csv?by=day", "/api/image?session=one", "/api", "/api/search?query=a"])
      expect([question, await request(question, { ...link, "sec-fetch-site": site })]).toEqual([
        question,
        403,
      ]);
  }
  expect(await request("/api/usage.csv?by=day", { ...link, "sec-fetch-site": "same-origin" })).toBe(200);
});

test("fifty subscribers get every change, and those that disconnect or never read block no other", async () => {
  const stop = new AbortController();
  const silent = await Promise.all(
    Array.from({ length: 10 }, () => server.fetch("/api/changes", { signal: stop.signal })),
  );
  const gone = new AbortController();
  await Promise.all(Array.from({ length: 10 }, () => server.fetch("/api/changes", { signal: gone.signal })));
  gone.abort();
  const listening = await Promise.all(
    Array.from({ length: 50 }, () => server.fetch("/api/changes", { signal: stop.signal })),
  );
  // Aborted in the middle.
  for (const question of ["search?query=w*", "scan?regex=.", "usage?by=session", "outline?session=one"]) {
    const hasty = new AbortController();
    const answer = server.fetch(`/api/${question}`, { signal: hasty.signal });
    hasty.abort();
    await expect(answer).rejects.toThrow();
  }
  const heard = Promise.all(
    listening.map(async ({ body }) => {
      let said = "";
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        said += Buffer.from(chunk).toString();
        if (said.includes(JSON.stringify(path))) return true;
      }
      return false;
    }),
  );
  expect((await server.act("/api/rename", { session: "one", name: "sent to all" })).status).toBe(200);
  expect(await heard).toEqual(Array(50).fill(true));
  expect(silent.every(({ ok }) => ok)).toBe(true);
  stop.abort();
  expect((await server.json("/api/session?session=one")).session.name).toBe("sent to all");
});
