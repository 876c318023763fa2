/** The page in a real browser: the system's Chromium, driven by Playwright. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, describe, expect, onTestFinished } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { type Served, served } from "./served.ts";

/** Tests that need a browser, with one for all of them: skipped where there is none, which `test/built.ts` says loudly. */
export function inBrowser(name: string, tests: () => void): void {
  describe.runIf(CHROMIUM !== undefined)(name, () => {
    // Here, and not in this module: it is loaded once for all files that a worker runs.
    afterAll(close);
    tests();
  });
}

let browser: Promise<Browser> | undefined;

export function launched(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: CHROMIUM as string,
    // Containers have too little shared memory for it.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--in-process-gpu", "--renderer-process-limit=1", "--no-zygote"],
  });
  return browser;
}

async function close(): Promise<void> {
  const launching = browser;
  browser = undefined;
  await (await launching)?.close();
}

export interface Browsing {
  page: Page;
  served: Served;
  /** What the page asked for that is not its own: there must be nothing. */
  foreign: string[];
  /** What the browser complained of: policies that were broken, errors that nobody caught. */
  complaints: string[];
}

export interface BrowsingOptions extends BrowserContextOptions {
  /** What is shown first. */
  path?: string;
  db?: string;
}

/**
 * Serves sessions, and opens the page on them. When the test is over, it must have asked nobody else for anything, and the
 * browser must have had nothing to complain of.
 */
export async function browsing(root: string | Served, options: BrowsingOptions = {}): Promise<Browsing> {
  const { path = "/", db, ...context } = options;
  const server = typeof root === "string" ? await served(root, db === undefined ? {} : { db }) : root;
  const opened = await (await launched()).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    ...context,
  });
  const [name, value] = server.cookie.split(/=(.*)/s) as [string, string];
  await opened.addCookies([{ name, value, url: server.origin, httpOnly: true, sameSite: "Lax" }]);
  const page = await opened.newPage();
  page.setDefaultTimeout(15_000);
  const foreign: string[] = [];
  const complaints: string[] = [];
  opened.on("request", (request) => {
    if (!request.url().startsWith(`${server.origin}/`)) foreign.push(request.url());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  onTestFinished(async () => {
    await opened.close();
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
  });
  await page.goto(new URL(path, server.origin).href);
  return { page, served: server, foreign, complaints };
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe-core finds on the page that keeps people out: rule, and the elements it is about. */
export async function violations(page: Page): Promise<string[]> {
  // Our own policy would not let it in: it goes through the browser's own door.
  await page.evaluate(readAxe());
  const found = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`,
    );
}

let axe: string | undefined;
function readAxe(): string {
  axe ??= `${readFileSync(AXE, "utf8")}; undefined`;
  return axe;
}
