/** Sign-in in a real browser: per origin, including the port, while the server runs. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, launchBrowser } from "./browser.ts";
import { type ServeProcess, startServe } from "./start-serve.ts";

interface Site {
  folder: string;
  /** The file of a session called "one". */
  path: string;
  start(port?: number): Promise<ServeProcess>;
}

function createSite(): Site {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const path = session({ id: "one" }).user("Why?").assistant("So.").name("First name").writeUnder(root);
  const flags = ["--no-open", "--root", root, "--db", join(folder, "index.db")];
  return { folder, path, start: (port) => startServe(port ? [...flags, "--port", String(port)] : flags) };
}

async function browserContext(): Promise<BrowserContext> {
  const context = await (await launchBrowser()).newContext({ locale: "en-GB" });
  context.setDefaultTimeout(15_000);
  onTestFinished(() => context.close());
  return context;
}

const portOf = ({ line }: ServeProcess) => Number(new URL(line).port);

/** Another program that listens on this machine: records its requests and responds with anything. */
async function otherProgram(headers: Record<string, string[]>, body: string) {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    for (const [name, values] of Object.entries(headers)) response.setHeader(name, values);
    response.setHeader("Content-Type", "text/html").end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** The server's list of sessions, fetched in the page. */
const LIST = `fetch("/api/list", { headers: { authorization: "Bearer " + localStorage.getItem("pidex-key") } }).then((list) => list.text())`;

const isSignedIn = (page: Page) => page.getByRole("heading", { name: "First name" }).waitFor();

describeInBrowser("signing in to the page", () => {
  test("another port gets no credentials and can't replace any", async () => {
    const server = await createSite().start();
    const port = portOf(server);
    const context = await browserContext();
    const page = await context.newPage();
    await page.goto(server.line);
    await page.getByText("First name").waitFor();
    const cookies = ["", "; Path=/api", "; HttpOnly", "; SameSite=Strict; Path=/session"].map(
      (more) => `pidex-${port}=${"x".repeat(43)}${more}`,
    );
    const other = await otherProgram(
      { "Set-Cookie": cookies },
      `<script>
        localStorage.setItem("pidex-key", "${"x".repeat(43)}");
        for (let n = 0; n < 300; n++) document.cookie = "filler" + n + "=" + "y".repeat(50);
        fetch("http://127.0.0.1:${port}/api/list", { credentials: "include" })
          .then((answer) => answer.text()).then((text) => { document.title = "read " + text.length; }, () => { document.title = "refused"; });
      </script>`,
    );
    const there = await context.newPage();
    await there.goto(other.url);
    await there.waitForFunction("document.title !== ''");
    expect(await there.title()).toBe("refused");
    await there.goto(other.url);
    for (const headers of other.received) {
      expect(headers.authorization).toBeUndefined();
      expect(headers.cookie ?? "").not.toMatch(new RegExp(`pidex-${port}=(?!x{43})`));
    }
    expect(
      (await context.cookies()).filter(({ value }) => /^[\w-]{43}$/.test(value) && !/^x+$/.test(value)),
    ).toEqual([]);
    await page.reload();
    await page.getByText("First name").waitFor();
    await page.goto(new URL("/session/one", server.line).href);
    await isSignedIn(page);
  });

  test("after a restart a bookmark says that the browser isn't signed in, and works after sign-in", async () => {
    const { start } = createSite();
    const first = await start();
    const port = portOf(first);
    const context = await browserContext();
    const kept = await context.newPage();
    await kept.goto(first.line);
    await kept.getByText("First name").waitFor();
    await kept.goto(new URL("/session/one?line=3", first.line).href);
    await isSignedIn(kept);
    const open = await context.newPage();
    await open.goto(new URL("/usage", first.line).href);
    await open.getByRole("navigation", { name: "Views" }).waitFor();
    await first.stop();
    const second = await start(port);
    // An open tab notices by itself.
    await open.getByText("This browser isn't signed in").waitFor();
    await open.close();
    await kept.reload();
    await kept.getByText("This browser isn't signed in").waitFor();
    await kept.getByText("Open a new link from the terminal").waitFor();
    // In another tab, as from a click in the terminal.
    const opened = await context.newPage();
    await opened.goto(second.line);
    await opened.getByText("First name").waitFor();
    await isSignedIn(kept);
    expect(new URL(kept.url()).pathname + new URL(kept.url()).search).toBe("/session/one?line=3");
  });

  test("a link opened in the tab of a bookmark leads there; a used link says so", async () => {
    const { start } = createSite();
    const server = await start();
    const context = await browserContext();
    const kept = await context.newPage();
    await kept.goto(new URL("/session/one?line=3", server.line).href);
    await kept.getByText("This browser isn't signed in").waitFor();
    expect(await findViolations(kept)).toEqual([]);
    await kept.goto(server.line);
    await isSignedIn(kept);
    expect(kept.url()).toBe(new URL("/session/one?line=3", server.line).href);
    // For a signed-in browser, a used link is an ordinary URL.
    const again = await context.newPage();
    await again.goto(server.line);
    await again.getByText("First name").waitFor();
    expect(again.url()).toBe(new URL("/", server.line).href);
    const stranger = await (await browserContext()).newPage();
    await stranger.goto(server.line);
    await stranger.getByRole("alert").filter({ hasText: "This link was already used" }).waitFor();
    expect(stranger.url()).toBe(new URL("/", server.line).href);
  });

  test("when the subscribing tab is closed, another one takes over", async () => {
    const { start, path } = createSite();
    const server = await start();
    const context = await browserContext();
    const first = await context.newPage();
    await first.goto(server.line);
    await first.getByText("First name").waitFor();
    const second = await context.newPage();
    await second.goto(new URL("/session/one", server.line).href);
    await isSignedIn(second);
    await second.getByText("up to date").waitFor();
    await first.close();
    const { SessionManager } = await import("../../../library/index.ts");
    SessionManager.open(path).setName("Second name");
    await second.getByText("Second name").first().waitFor();
  });

  test("a change between the first list and the subscription shows", async () => {
    const { start, path } = createSite();
    const server = await start();
    const context = await browserContext();
    const earlier = await context.newPage();
    await earlier.goto(server.line);
    await earlier.getByText("First name").waitFor(); // the first index is complete
    await earlier.close();
    const page = await context.newPage();
    const subscription = Promise.withResolvers<void>();
    await page.route("**/api/changes*", (route) => subscription.promise.then(() => route.continue()));
    await page.goto(new URL("/", server.line).href);
    await page.getByText("First name").waitFor();
    const { SessionManager } = await import("../../../library/index.ts");
    SessionManager.open(path).setName("Second name");
    await expect.poll(() => page.evaluate(LIST)).toContain("Second name");
    subscription.resolve();
    await page.getByText("Second name").waitFor();
  });

  test("images and downloads need the key, which never appears in a URL", async () => {
    const { start, path } = createSite();
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { SessionManager } = await import("../../../library/index.ts");
    SessionManager.open(path).appendMessage({
      role: "user",
      content: [{ type: "image", data: png, mimeType: "image/png" }],
      timestamp: Date.now(),
    });
    const server = await start();
    const page = await (await browserContext()).newPage();
    await page.goto(server.line.replace("/#", "/session/one#"));
    await page.locator("figure img").waitFor();
    await page.waitForFunction("document.querySelector('figure img').naturalWidth === 1");
    await page.goto(new URL("/usage?range=all", server.line).href);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "By model: CSV" }).click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toContain("costUsd");
    expect((await fetch(download.url())).status).toBe(404); // it was used
    const key = await page.evaluate("localStorage.getItem('pidex-key')");
    expect(download.url()).not.toContain(key);
    expect(page.url()).toBe(new URL("/usage?range=all", server.line).href);
  });

  test("with eight open tabs, the last one loads and all show changes", async () => {
    const { start, path } = createSite();
    const server = await start();
    const context = await browserContext();
    const first = await context.newPage();
    await first.goto(server.line);
    await first.getByText("First name").waitFor();
    const address = new URL("/session/one", server.line).href;
    const pages: Page[] = [];
    for (let n = 0; n < 8; n++) {
      const page = await context.newPage();
      pages.push(page);
      await page.goto(address);
      await isSignedIn(page);
    }
    const { SessionManager } = await import("../../../library/index.ts");
    SessionManager.open(path).setName("Second name");
    for (const page of [first, ...pages]) await page.getByText("Second name").first().waitFor();
  });
});
