/** Attacks by web pages of other origins in the same browser, and by malformed requests. */
import { mkdtempSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { pidexAt } from "../cli.ts";
import { describeInBrowser, launchBrowser } from "./browser.ts";
import { serve, type TestServer } from "./serve.ts";

const HOSTILE_ID = "a\"; filename*=UTF-8''evil.html\r\nSet-Cookie: x=y\u0000../../etc/passwd";

let server: TestServer;
let folder = "";
let path = "";
let end = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-attacked-"));
  const root = join(folder, "sessions");
  path = session({ id: "one" }).user("Why?").assistant("So.").name("First name").writeUnder(root);
  session({ id: HOSTILE_ID })
    .user("Odd.")
    .assistant("Yes.")
    .write(join(root, "--home-ada--", "odd.jsonl"));
  utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05"));
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

test("the name of an exported file contains only letters, digits, dots and hyphens, whatever the session's id", async () => {
  const { sessions } = await server.json("/api/list");
  const hostile = (sessions as { path: string }[]).find(({ path }) => path.endsWith("odd.jsonl"));
  for (const format of ["html", "md", "jsonl"]) {
    const query = new URLSearchParams({ session: hostile?.path ?? "", format });
    const { status, headers } = await server.fetch(`/api/export?${query}`);
    expect(status).toBe(200);
    expect(headers.get("set-cookie")).toBeNull();
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="pidex-[\w.-]{1,80}\.\w+"$/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

/** Sends bytes on a new connection and returns the whole response. */
function sendRaw(bytes: string): Promise<string> {
  const { port, hostname } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    let response = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      response += chunk;
    });
    // The server closes the connection for some requests without a response.
    socket
      .on("close", () => resolve(response))
      .on("error", (error) => response === "" && !isReset(error) && reject(error));
  });
}

const isReset = (error: Error) => "code" in error && error.code === "ECONNRESET";

test("smuggled and ambiguous requests are rejected", async () => {
  const { host } = new URL(server.origin);
  const authorization = `Authorization: ${server.authorization}\r\n`;
  const get = `GET /api/list HTTP/1.1\r\nConnection: close\r\n${authorization}`;
  for (const [name, bytes] of [
    ["two hosts", `${get}Host: ${host}\r\nHost: evil.example\r\n\r\n`],
    ["no host", `${get}\r\n`],
    ["a host in the address", `${get.replace("/api", "http://evil.example/api")}Host: evil.example\r\n\r\n`],
    ["a NUL in a header", `${get}Host: ${host}\r\nX: a\0b\r\n\r\n`],
    ["a folded header", `${get}Host: ${host}\r\nX: a\r\n b: c\r\n\r\n`],
    ["headers of 100 KB", `${get}Host: ${host}\r\nX: ${"x".repeat(100_000)}\r\n\r\n`],
    [
      "two lengths",
      `POST /api/rename HTTP/1.1\r\n${authorization}Host: ${host}\r\nOrigin: ${server.origin}\r\nContent-Length: 2\r\nContent-Length: 60\r\nConnection: close\r\n\r\n{}`,
    ],
    [
      "a length and chunks",
      `POST /api/rename HTTP/1.1\r\n${authorization}Host: ${host}\r\nOrigin: ${server.origin}\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    ],
  ] as const)
    expect([name, (await sendRaw(bytes)).split("\r\n")[0]]).toEqual([
      name,
      expect.stringMatching(/^(HTTP\/1\.1 4\d\d .*|)$/),
    ]);
});

/** Serves a page of another origin. @returns its address and the requests it received */
async function serveHostilePage(body: string): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const other = createServer((request, response) => {
    requests.push(request);
    response.setHeader("Content-Type", "text/html").end(body);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  return { url: `http://127.0.0.1:${(other.address() as AddressInfo).port}/`, requests };
}

describeInBrowser("a hostile page in the browser that is signed in", () => {
  test("cannot change or read data, frame pages, or keep a reference to an opened page", async () => {
    const before = readFileSync(path, "utf8");
    const context = await (await launchBrowser()).newContext({
      storageState: {
        cookies: [],
        origins: [{ origin: server.origin, localStorage: [{ name: "pidex-key", value: server.key }] }],
      },
    });
    onTestFinished(() => context.close());
    const { origin } = server;
    const rename = JSON.stringify({ session: "one", name: "Taken" });
    const { url, requests } = await serveHostilePage(`<!doctype html>
      <form id="form" method="post" enctype="text/plain" target="inside" action="${origin}/api/rename">
        <input name='${rename.slice(0, -1)},"x":"' value='"}'></form>
      <iframe name="inside"></iframe><iframe id="framed" src="${origin}/"></iframe>
      <script>
        const outcomes = {};
        const outcome = (promise) => promise.then((answer) => answer.text().then((text) => "read " + text), () => "refused");
        const event = (target, names) => new Promise((resolve) => names.forEach((name) => target.addEventListener(name, () => resolve(name))));
        async function attack() {
          const simple = { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: ${JSON.stringify(rename)} };
          await fetch("${origin}/api/rename", simple).catch(() => {});
          document.getElementById("form").submit();
          outcomes.fetch = await outcome(fetch("${origin}/api/list", { credentials: "include" }));
          outcomes.key = await outcome(fetch("${origin}/api/list", { headers: { Authorization: "Bearer guessed" } }));
          outcomes.page = await outcome(fetch("${origin}/"));
          outcomes.events = await event(new EventSource("${origin}/api/changes"), ["open", "error"]);
          outcomes.socket = await event(new WebSocket("${origin.replace("http", "ws")}/api/changes"), ["open", "error"]);
          const script = Object.assign(document.createElement("script"), { src: "${origin}/api/list" });
          document.body.append(script);
          outcomes.script = await event(script, ["load", "error"]);
          const image = Object.assign(new Image(), { src: "${origin}/icon.svg" });
          outcomes.image = await event(image, ["load", "error"]);
          let framed; try { framed = String(document.getElementById("framed").contentDocument.body.innerHTML); } catch { framed = "refused"; }
          outcomes.framed = framed;
          return outcomes;
        }
      </script><button onclick="window.opened = window.open('${origin}/session/one')">Open</button>`);
    const page = await context.newPage();
    await page.goto(url);
    expect(await page.evaluate("attack()")).toEqual({
      fetch: "refused",
      key: "refused",
      page: "refused",
      events: "error",
      socket: "error",
      script: "error",
      image: "error",
      framed: "refused",
    });
    const [opened] = await Promise.all([context.waitForEvent("page"), page.getByText("Open").click()]);
    await opened.getByRole("heading", { name: "First name" }).waitFor();
    expect(await page.evaluate("window.opened.closed")).toBe(true); // the opener has no access to it
    expect(await opened.evaluate("window.opener")).toBeNull();
    // Leaving the page sends no referrer.
    await opened.evaluate(`location.href = ${JSON.stringify(url)}`);
    await opened.waitForURL(url);
    expect(requests.filter(({ url }) => url === "/")).toHaveLength(2);
    for (const { headers } of requests) {
      expect(headers.referer ?? "").not.toContain(origin);
      expect(headers.authorization).toBeUndefined();
    }
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});
