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
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

/** Tests that share one browser. Skipped if there is none, which `test/built.ts` reports. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.runIf(CHROMIUM !== undefined)(name, () => {
    // Not at the top of this module, which a worker loads once for all its test files.
    afterAll(close);
    tests();
  });
}

let browser: Promise<Browser> | undefined;

export function launchBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: CHROMIUM as string,
    // Containers have too little shared memory for Chromium.
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
  reusable = undefined;
  await (await launching)?.close();
}

/** The page of the previous test, and its options: opening another, and loading the page's files, takes as long as most tests. */
let reusable: { options: string; page: Page } | undefined;

export interface OpenedPage {
  page: Page;
  served: TestServer;
  /** Requests to other origins: there must be none. */
  foreign: string[];
  /** Console errors, such as policy violations, and uncaught errors. */
  complaints: string[];
}

export interface OpenPageOptions extends BrowserContextOptions {
  /** The first address. */
  path?: string;
  db?: string;
}

/**
 * Serves sessions, and opens the page once they are indexed. At the end of the test there must have been no requests to other origins and no errors in
 * the browser.
 */
export async function openPage(
  root: string | TestServer,
  options: OpenPageOptions = {},
): Promise<OpenedPage> {
  const { path = "/", db, ...context } = options;
  const server = typeof root === "string" ? await serveSynced(root, db === undefined ? {} : { db }) : root;
  const page = await pageFor(server, context);
  const foreign: string[] = [];
  const complaints: string[] = [];
  const onRequest = (request: Request) => {
    // The page shows images from addresses of its own, such as blob:http://127.0.0.1:7777/ID.
    const address = request.url().replace(/^blob:/, "");
    if (!address.startsWith(`${server.origin}/`)) foreign.push(request.url());
  };
  const onError = (error: Error) => void complaints.push(String(error));
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === "error") complaints.push(message.text());
  };
  page.on("request", onRequest).on("pageerror", onError).on("console", onConsole);
  onTestFinished(async ({ task }) => {
    page.off("request", onRequest).off("pageerror", onError).off("console", onConsole);
    // A failed test may leave anything behind, and a server of one test is gone after it.
    if (task.result?.state === "fail") await discardPage(page);
    else if (typeof root === "string") await page.goto("about:blank");
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
  });
  await page.goto(new URL(path, server.origin).href);
  return { page, served: server, foreign, complaints };
}

const DEFAULTS = { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" } as const;

/** The page of the previous test if it has the same options, reset except for the browser's cache; otherwise a new one. */
async function pageFor(server: TestServer, options: BrowserContextOptions): Promise<Page> {
  const { viewport = DEFAULTS.viewport, colorScheme = null, ...others } = options;
  const key = JSON.stringify(others);
  if (reusable && (reusable.options !== key || reusable.page.isClosed())) await discardPage(reusable.page);
  reusable ??= { options: key, page: await openNewPage(others) };
  const { page } = reusable;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  for (const event of EVENTS) page.removeAllListeners(event);
  await page.emulateMedia({ media: null, colorScheme });
  if (viewport) await page.setViewportSize(viewport);
  await page.mouse.move(-1, -1);
  // A server of another test may have had the same address. An image runs no code of the page, which would use that one's key,
  // and ends the requests of the previous test, whose errors are not this one's.
  await page.goto(`${server.origin}/icon.svg`);
  await page.evaluate((signedIn) => {
    sessionStorage.clear();
    localStorage.clear();
    localStorage.setItem("pidex-key", signedIn);
  }, server.key);
  return page;
}

/** What tests listen to. */
const EVENTS = ["console", "dialog", "download", "pageerror", "popup", "request", "response"] as const;

async function openNewPage(options: BrowserContextOptions): Promise<Page> {
  const settings = { ...DEFAULTS, locale: "en-GB", timezoneId: "UTC", ...options };
  const page = await (await (await launchBrowser()).newContext(settings)).newPage();
  page.setDefaultTimeout(15_000);
  return page;
}

/** Closes a page so that no other test reuses it. */
export async function discardPage(page: Page): Promise<void> {
  if (reusable?.page === page) reusable = undefined;
  await page.context().close();
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Serious accessibility violations found by axe-core, with their elements. */
export async function findViolations(page: Page): Promise<string[]> {
  // `evaluate` bypasses the page's content security policy, which would block a script tag.
  await page.evaluate(readAxe());
  const results = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return results.violations
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
