/** Browsers stay signed in across runs of `pidex serve`. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { getStay, hasOtherPeople, signOutBrowsers } from "../../../bin/web/stay-signed-in.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, launchBrowser } from "./browser.ts";
import { signIn } from "./serve.ts";
import { startServe } from "./start-serve.ts";

/** Listens on a port as another program. */
async function listen(port: number, respond = () => "") {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(JSON.stringify([request.url, request.headers]));
    response.statusCode = request.url?.startsWith("/api/sign-in") ? 200 : 401;
    response.setHeader("Content-Type", "application/json").end(respond());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return { received, close, port: (server.address() as AddressInfo).port };
}

/** A user's index, and a port of its page that is free. */
async function createSite() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  session({ id: "one" }).user("Why?").assistant("So.").name("First name").writeUnder(root);
  const { port, close } = await listen(0);
  await close();
  const config = join(folder, "config");
  const env = {
    PIDEX_CONFIG: config,
    PIDEX_DB: join(folder, "index.db"),
    PIDEX_ROOTS: root,
    PIDEX_STAY_SIGNED_IN: "always",
    PIDEX_PAGE_PORT: String(port),
  };
  const origin = `http://127.0.0.1:${port}`;
  const start = (...flags: string[]) => startServe(["--no-open", ...flags], { env });
  return { start, port, origin, env, secretPath: join(config, "page.json") };
}

async function browserContext(): Promise<BrowserContext> {
  const context = await (await launchBrowser()).newContext({ locale: "en-GB" });
  context.setDefaultTimeout(15_000);
  onTestFinished(() => context.close());
  return context;
}

describeInBrowser("a browser that stays signed in", () => {
  test("opens kept addresses in later runs; open tabs go on; --sign-out ends that", async () => {
    const { start, origin, secretPath } = await createSite();
    const first = await start();
    expect(new URL(first.line).origin).toBe(origin);
    await expect.poll(() => first.stderr()).toContain("That browser stays signed in.");
    const context = await browserContext();
    const open = await context.newPage();
    await open.goto(first.line);
    await open.getByText("First name").waitFor();
    expect(statSync(secretPath).mode & 0o777).toBe(0o600);
    await first.stop();

    const second = await start();
    const kept = await context.newPage();
    await kept.goto(`${origin}/session/one?line=3`);
    await kept.getByRole("heading", { name: "First name" }).waitFor();
    await open.getByRole("link", { name: "Usage" }).click();
    await open.getByRole("heading", { name: "Usage" }).waitFor();
    await second.stop();

    const third = await start("--sign-out");
    await kept.reload();
    await kept.getByText("This browser isn't signed in").waitFor();
    await kept.goto(third.line);
    await kept.getByRole("heading", { name: "First name" }).waitFor();
    expect(new URL(kept.url()).pathname).toBe("/session/one");
  });

  test("sends nothing to another program on the port that is valid later", async () => {
    const { start, port, origin, secretPath } = await createSite();
    const first = await start();
    const context = await browserContext();
    const page = await context.newPage();
    await page.goto(first.line);
    await page.getByText("First name").waitFor();
    await first.stop();

    const other = await listen(port, () => JSON.stringify({ linksFrom: "serve", run: "of another program" }));
    await page.getByRole("searchbox").or(page.getByRole("combobox")).first().fill("why");
    await page.getByText("This browser isn't signed in").waitFor();
    await other.close();
    const { secret } = JSON.parse(readFileSync(secretPath, "utf8")) as { secret: string };
    const sent = other.received.join("\n");
    expect(sent).not.toContain(secret);
    const keys = new Set([...sent.matchAll(/Bearer ([\w-]+)/g)].map(([, key]) => key as string));
    expect(keys.size).toBeGreaterThan(0);

    await start();
    for (const key of keys) {
      const answer = await fetch(`${origin}/api/list`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(401);
    }
  });
});

describe("without a browser", () => {
  test("if the port is in use, the page has another one, whose browsers get no secret", async () => {
    const { start, port } = await createSite();
    await listen(port);
    const server = await start();
    expect(Number(new URL(server.line).port)).not.toBe(port);
    await expect
      .poll(() => server.stderr())
      .toContain(`port ${port} is in use: the page has another address`);
    expect(await (await signIn(server.line)).json()).toEqual({ key: expect.any(String) });
  });

  test("with --port, with other sessions, or with never, there is no secret either", async () => {
    const { start, env } = await createSite();
    const { port, close } = await listen(0);
    await close();
    const chosen = await start("--port", String(port));
    expect(await (await signIn(chosen.line)).json()).toEqual({ key: expect.any(String) });
    expect(getStay({ roots: ["/x"] }, { env })).toBeUndefined();
    expect(getStay({ db: "/x" }, { env })).toBeUndefined();
    expect(getStay({ hub: {} }, { env })).toBeUndefined();
    expect(getStay({}, { env: { ...env, PIDEX_STAY_SIGNED_IN: "never" } })).toBeUndefined();
    expect(getStay({}, { env })).toEqual({ port: Number(env.PIDEX_PAGE_PORT), secret: expect.any(String) });
    expect(getStay({}, { env: { ...env, PIDEX_PAGE_PORT: "" } })?.port).toBe(7439);
  });

  test("the secret is the same in each run, until it is damaged, readable by others or replaced", async () => {
    const { env, secretPath } = await createSite();
    const notices: string[] = [];
    const read = () => getStay({}, { env, onNotice: (text) => notices.push(text) })?.secret;
    const first = read();
    expect(read()).toBe(first);
    expect(notices).toEqual([]);
    chmodSync(secretPath, 0o644);
    const second = read();
    expect(second).not.toBe(first);
    expect(statSync(secretPath).mode & 0o777).toBe(0o600);
    writeFileSync(secretPath, "{");
    const third = read();
    expect(third).not.toBe(second);
    expect(notices).toEqual([
      expect.stringContaining("was readable by others"),
      expect.stringContaining("cannot read"),
    ]);
    signOutBrowsers(env);
    expect(read()).not.toBe(third);
  });

  test("without a folder for the secret, browsers sign in once per run, and a notice says so", async () => {
    const { env } = await createSite();
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const notices: string[] = [];
    const broken = { ...env, PIDEX_CONFIG: join(file, "config") };
    expect(getStay({}, { env: broken, onNotice: (text) => notices.push(text) })).toBeUndefined();
    expect(notices.at(-1)).toMatch(/^browsers sign in once per run: cannot write /);
  });

  test.runIf(process.getuid?.() === 0)("home folders of other people are recognized by their owners", () => {
    const parent = temporaryFolder();
    expect(hasOtherPeople([parent, join(parent, "absent")], 1000)).toBe(false);
    const add = (name: string, uid: number) => {
      mkdirSync(join(parent, name));
      chownSync(join(parent, name), uid, uid);
    };
    add("own", 1000);
    add("of-the-system", 104);
    expect(hasOtherPeople([parent], 1000)).toBe(false);
    add("other", 1001);
    expect(hasOtherPeople([parent], 1000)).toBe(true);
  });
});
