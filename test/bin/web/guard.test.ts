/** Who may ask the page's server for anything. */
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { PI } from "../cli.ts";
import { served } from "./served.ts";

/** The status of a request with just these headers, as any program could send it. */
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

/** What is answered to a request line that no client of ours would send. */
function answerTo(url: URL, line: string, cookie: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(
        `GET ${line} HTTP/1.1\r\nHost: ${url.host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
      );
    });
    socket.on("data", (chunk) => {
      said += chunk;
    });
    socket.on("close", () => resolve(said));
    socket.on("error", reject);
  });
}

describe("the server of the page", () => {
  test("lets one browser in by a link, once, and then by its cookie alone", async () => {
    const { origin, cookie, link } = await served(PI);
    expect(cookie).toMatch(/^pidex-\d+=[\w-]{43}$/);
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${origin}${path}`, { headers, redirect: "manual" });
    expect((await ask("/")).status).toBe(403);
    expect((await ask("/api/list")).status).toBe(403);
    expect((await ask("/?token=")).status).toBe(403);
    expect((await ask("/", { cookie: `${cookie}x` })).status).toBe(403);
    expect((await ask("/", { cookie })).status).toBe(200);
    expect((await ask("/api/list", { cookie })).status).toBe(200);
    const again = await ask(new URL(link).pathname + new URL(link).search);
    expect([again.status, await again.text()]).toEqual([403, expect.stringContaining("was used already")]);
    const known = await ask(new URL(link).pathname + new URL(link).search, { cookie });
    expect([known.status, known.headers.get("location")]).toEqual([303, "/"]);
  });

  test("no script reads its cookie, and no other page's request has it sent along", async () => {
    const { letIn } = await served(PI);
    expect([letIn.status, letIn.headers.get("location")]).toEqual([303, "/"]);
    expect(letIn.headers.get("set-cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test("answers to its own name alone, whatever name leads to it", async () => {
    const { origin, cookie } = await served(PI);
    const url = new URL("/api/list", origin);
    const port = url.port;
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:1`])
      expect([host, await statusOf(url, { host, cookie })]).toEqual([host, 403]);
    expect(await statusOf(url, { host: `127.0.0.1:${port}.evil.example`, cookie })).toBe(400);
    expect(await statusOf(url, { host: `localhost:${port}`, cookie })).toBe(200);
    expect(await statusOf(url, { host: `127.0.0.1:${port}`, cookie })).toBe(200);
  });

  test("answers no other page, which could send our cookie along", async () => {
    const { origin, cookie } = await served(PI);
    const url = new URL("/api/list", origin);
    const host = url.host;
    for (const foreign of [
      "http://evil.example",
      "null",
      "http://127.0.0.1:1",
      `https://${host}`,
      `http://localhost:${url.port}`,
    ])
      expect([foreign, await statusOf(url, { host, cookie, origin: foreign })]).toEqual([foreign, 403]);
    expect(await statusOf(url, { host, cookie, origin })).toBe(200);
    for (const site of ["cross-site", "same-site"])
      expect([
        site,
        await statusOf(url, { host, cookie, "sec-fetch-site": site, "sec-fetch-mode": "cors" }),
      ]).toEqual([site, 403]);
    const link = { host, cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(await statusOf(new URL("/", origin), link)).toBe(200);
  });

  test("has nothing done for a request that does not say it is from the page", async () => {
    const { origin, cookie } = await served(PI);
    const url = new URL("/api/rename", origin);
    expect(await statusOf(url, { host: url.host, cookie }, "POST")).toBe(403);
    expect(await statusOf(url, { host: url.host, cookie, origin: "http://evil.example" }, "POST")).toBe(403);
    const simple = { host: url.host, cookie, "content-type": "text/plain", "sec-fetch-site": "cross-site" };
    expect(await statusOf(url, simple, "POST")).toBe(403);
  });

  test("no address leads to a file that is not the page's", async () => {
    const { origin, cookie } = await served(PI);
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
      const answer = await answerTo(url, line, cookie);
      expect([line, answer.split("\r\n")[0]]).toEqual([line, expect.stringMatching(/ (404|400|403) /)]);
      expect(answer).not.toMatch(/devDependencies|root:/);
    }
  });

  test("says what the page may load, and that nobody frames it", async () => {
    const { fetch: ask } = await served(PI);
    for (const address of ["/", "/api/list", "/api/nothing", "/icon.svg"]) {
      const { headers } = await ask(address);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
