/** The page in a real browser: the system's Chromium, driven by Playwright. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
} from "playwright-core";
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
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--in-process-gpu",
      "--renderer-process-limit=1",
      "--no-zygote",
    ],
  });
  return browser;
}

async function close(): Promise<void> {
  const launching = browser;
  browser = undefined;
  kept = undefined;
  await (await launching)?.close();
}

/** The page that the test before had: to open another takes as long as most tests. */
let kept: { key: string; page: Page } | undefined;

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
  const page = await pageFor(server, context);
  const foreign: string[] = [];
  const complaints: string[] = [];
  const onRequest = (request: Request) => {
    if (!request.url().startsWith(`${server.origin}/`)) foreign.push(request.url());
  };
  const onError = (error: Error) => void complaints.push(String(error));
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === "error") complaints.push(message.text());
  };
  page.on("request", onRequest).on("pageerror", onError).on("console", onConsole);
  onTestFinished(async ({ task }) => {
    page.off("request", onRequest).off("pageerror", onError).off("console", onConsole);
    // What failed may have left anything behind; a server that ends is not asked again.
    if (task.result?.state === "fail" || typeof root === "string") await discard(page);
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
  });
  await page.goto(new URL(path, server.origin).href);
  return { page, served: server, foreign, complaints };
}

const USUAL = { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" } as const;

/** The page of the test before, where it was opened alike; as new, but for what the browser keeps of the page's own files. */
async function pageFor(server: Served, options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify([server.origin, options]);
  if (kept?.key === key && !kept.page.isClosed()) {
    const { page } = kept;
    await page.unrouteAll({ behavior: "ignoreErrors" });
    if (page.url().startsWith(server.origin)) {
      await page.evaluate((signedIn) => {
        localStorage.clear();
        localStorage.setItem("pidex-key", signedIn);
      }, server.key);
    }
    await page.emulateMedia({ colorScheme: options.colorScheme ?? null });
    await page.setViewportSize(options.viewport ?? USUAL.viewport);
    return page;
  }
  if (kept) await discard(kept.page);
  const context = await (await launched()).newContext({
    ...USUAL,
    locale: "en-GB",
    timezoneId: "UTC",
    storageState: {
      cookies: [],
      origins: [{ origin: server.origin, localStorage: [{ name: "pidex-key", value: server.key }] }],
    },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  kept = { key, page };
  return page;
}

/** Closes a page that is not to be had by another test, with all that it keeps. */
export async function discard(page: Page): Promise<void> {
  if (kept?.page === page) kept = undefined;
  await page.context().close();
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
