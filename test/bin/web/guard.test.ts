/** Access control of the web server. */
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { PI } from "../cli.ts";
import { serve, signIn } from "./serve.ts";
import { startServe } from "./start-serve.ts";

/** The status of a request with exactly these headers. */
function statusOf(url: URL, headers: Record<string, string>, method = "GET"): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: url.hostname, port: url.port, path: url.pathname + url.search, method, headers },
      (got) => {
        got.resume();
        resolve(got.statusCode ?? 0);
      },
    );
    sent.on("error", reject).end();
  });
}

/** The response to a raw request line. */
function answerTo(
  url: URL,
  line: string,
  authorization: string,
  more: Record<string, string> = {},
): Promise<string> {
  const headers = { host: url.host, authorization, connection: "close", ...more };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(`GET ${line} HTTP/1.1\r\n${lines.join("")}\r\n`);
    });
    socket.on("data", (chunk) => {
      said += chunk;
    });
    socket.on("close", () => resolve(said));
    socket.on("error", reject);
  });
}

describe("the server of the page", () => {
  test("signs one browser in by a link, once, and accepts only its key", async () => {
    const { origin, key, link } = await serve(PI);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(link).toMatch(/\/#token=[\w-]{43}$/);
    const send = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${origin}${path}`, { headers, redirect: "manual" });
    for (const authorization of [
      "",
      "Bearer",
      `Bearer ${key}x`,
      `Basic ${key}`,
      key,
      `Bearer ${link.split("=")[1]}`,
    ]) {
      const refused = await send("/api/list", { authorization });
      expect([authorization, refused.status, (await refused.json()).error]).toEqual([
        authorization,
        401,
        expect.objectContaining({ code: "NOT_SIGNED_IN", message: "This browser isn't signed in." }),
      ]);
    }
    expect((await send("/api/list", { cookie: `pidex-${new URL(origin).port}=${key}` })).status).toBe(401);
    expect((await send(`/api/list?token=${key}`)).status).toBe(401);
    expect((await send("/api/list", { authorization: `Bearer ${key}` })).status).toBe(200);
    const again = await signIn(link);
    expect([again.status, (await again.json()).error.code]).toEqual([401, "LINK_USED"]);
  });

  test("sets no cookie, which browsers would send to every port", async () => {
    const { signedIn, fetch: send } = await serve(PI);
    for (const answer of [signedIn, await send("/"), await send("/api/list"), await send("/api/nothing")])
      expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("the page is the same with and without sign-in, and contains no private data", async () => {
    const { origin, fetch: send } = await serve(PI);
    for (const address of ["/", "/session/one", "/usage", "/icon.svg"]) {
      const [stranger, known] = [await fetch(origin + address), await send(address)];
      expect([address, stranger.status, await stranger.text()]).toEqual([address, 200, await known.text()]);
    }
  });

  test("a ticket downloads one URL, once", async () => {
    const { origin, act, fetch: send } = await serve(PI);
    const [address, other] = ["/api/usage.csv?by=day", "/api/usage.csv?by=model"];
    const ticket = async (wanted = address) =>
      (await act("/api/ticket", { address: wanted })).body.address as string;
    const first = await ticket();
    expect(first).toMatch(/^\/api\/download\/[\w-]{43}\/usage\.csv\?by=day$/);
    const saved = await fetch(origin + first);
    expect([saved.status, await saved.text()]).toEqual([200, await (await send(address)).text()]);
    expect((await fetch(origin + first)).status).toBe(404);
    expect((await fetch(origin + (await ticket()).replace("by=day", "by=model"))).status).toBe(404);
    expect((await fetch(`${origin}/api/download/${"x".repeat(43)}/list`)).status).toBe(404);
    expect((await fetch(`${origin}/api/download/${"x".repeat(43)}/${other.slice(5)}`)).status).toBe(404);
    for (const refused of [
      "/api/list",
      "/api/rename",
      "http://evil.example/api/export",
      "/api/exports",
      "//x/api/export",
    ])
      expect([refused, (await act("/api/ticket", { address: refused })).status]).toEqual([refused, 400]);
    const stranger = await fetch(`${origin}/api/ticket`, {
      method: "POST",
      headers: { origin },
      body: JSON.stringify({ address }),
    });
    expect(stranger.status).toBe(401);
  });

  test("accepts only its own host name", async () => {
    const { origin, authorization } = await serve(PI);
    const url = new URL("/api/list", origin);
    const port = url.port;
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:1`,
      `[::1]:${port}`,
      `localhost:${port}`,
      `localhost.:${port}`,
      `127.1:${port}`,
      `0.0.0.0:${port}`,
    ])
      expect([host, await statusOf(url, { host, authorization })]).toEqual([host, 403]);
    expect(await statusOf(url, { host: `127.0.0.1:${port}.evil.example`, authorization })).toBe(400);
    expect(await statusOf(url, { host: `127.0.0.1:${port}`, authorization })).toBe(200);
  });

  test("redirects browsers from localhost, where another program may listen on ::1", async () => {
    const { origin } = await serve(PI);
    const port = new URL(origin).port;
    const goTo = (line: string, more: Record<string, string> = {}) =>
      answerTo(new URL(origin), line, "none", { host: `localhost:${port}`, ...more });
    const navigates = { "sec-fetch-mode": "navigate" };
    for (const line of ["/", "/session/one?line=3", "//evil.example/x"]) {
      const [status, ...rest] = (await goTo(line, navigates)).split("\r\n");
      const location = rest.find((each) => /^location:/i.test(each))?.slice("location:".length);
      expect([line, status]).toEqual([line, "HTTP/1.1 307 Temporary Redirect"]);
      expect(new URL(location as string).origin).toBe(origin);
    }
    expect(await goTo("/session/one?line=3", navigates)).toContain(`${origin}/session/one?line=3\r\n`);
    for (const line of ["/api/list", "/api/download/x/export", "/mcp"])
      expect([line, (await goTo(line, navigates)).split("\r\n")[0]]).toEqual([
        line,
        "HTTP/1.1 403 Forbidden",
      ]);
    expect(await goTo("/")).toContain("403 Forbidden");
  });

  test("rejects other pages, whatever headers they send", async () => {
    const { origin, authorization } = await serve(PI);
    const url = new URL("/api/list", origin);
    const host = url.host;
    for (const foreign of [
      "http://evil.example",
      "null",
      "http://127.0.0.1:1",
      `https://${host}`,
      `http://localhost:${url.port}`,
      `http://[::1]:${url.port}`,
    ])
      expect([foreign, await statusOf(url, { host, authorization, origin: foreign })]).toEqual([
        foreign,
        403,
      ]);
    expect(await statusOf(url, { host, authorization, origin })).toBe(200);
    for (const site of ["cross-site", "same-site"])
      expect([
        site,
        await statusOf(url, { host, authorization, "sec-fetch-site": site, "sec-fetch-mode": "cors" }),
      ]).toEqual([site, 403]);
    const link = { host, authorization, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(await statusOf(new URL("/", origin), link)).toBe(200);
  });

  test("rejects writes without the Origin of the page", async () => {
    const { origin, authorization } = await serve(PI);
    const url = new URL("/api/rename", origin);
    expect(await statusOf(url, { host: url.host, authorization }, "POST")).toBe(403);
    expect(
      await statusOf(url, { host: url.host, authorization, origin: "http://evil.example" }, "POST"),
    ).toBe(403);
    const simple = {
      host: url.host,
      authorization,
      "content-type": "text/plain",
      "sec-fetch-site": "cross-site",
    };
    expect(await statusOf(url, simple, "POST")).toBe(403);
  });

  test("a program signs in without Origin; another page can't", async () => {
    const server = await startServe(["--no-open", "--root", PI, "--db", join(temporaryFolder(), "index.db")]);
    const { origin, hash } = new URL(server.line);
    const body = JSON.stringify({ token: hash.replace("#token=", "") });
    const post = (path: string, headers: Record<string, string>, text: string) =>
      fetch(origin + path, { method: "POST", headers, body: text });
    for (const foreign of ["http://evil.example", "null"])
      expect((await post("/api/sign-in", { origin: foreign }, body)).status).toBe(403);
    for (const site of ["cross-site", "same-site", "none", "same-origin"])
      expect([site, (await post("/api/sign-in", { "sec-fetch-site": site }, body)).status]).toEqual([
        site,
        403,
      ]);
    const signedIn = await post("/api/sign-in", {}, body);
    expect(signedIn.status).toBe(200);
    const { key } = (await signedIn.json()) as { key: string };
    const authorization = `Bearer ${key}`;
    expect((await fetch(`${origin}/api/list`, { headers: { authorization } })).status).toBe(200);
    expect((await post("/api/sign-in", {}, body)).status).toBe(401);
    const rename = JSON.stringify({ session: "none", name: "" });
    const refused = await post("/api/rename", { authorization }, rename);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining(`need the header Origin: ${origin}`),
    ]);
    expect((await post("/api/rename", { authorization, origin }, rename)).status).toBe(404);
  });

  test("no URL leads to a file outside the page", async () => {
    const { origin, authorization } = await serve(PI);
    const url = new URL(origin);
    for (const line of [
      "/../../package.json",
      "/assets/../../../package.json",
      "/%2e%2e/%2e%2e/package.json",
      "/..%2f..%2fpackage.json",
      "/assets/..%5c..%5cpackage.json",
      "//etc/passwd",
      "/etc/passwd",
      "/assets/%00",
      "/session/../../etc/passwd",
      "/.env",
    ]) {
      const answer = await answerTo(url, line, authorization);
      expect([line, answer.split("\r\n")[0]]).toEqual([line, expect.stringMatching(/ (404|400|403) /)]);
      expect(answer).not.toMatch(/devDependencies|root:/);
    }
  });

  test("sends a content security policy that forbids framing", async () => {
    const { fetch: send } = await serve(PI);
    for (const address of ["/", "/api/list", "/api/nothing", "/icon.svg"]) {
      const { headers } = await send(address);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
