/** Going back and forward in a real browser restores the state of views. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { describeInBrowser, openPage } from "./browser.ts";
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

const folder = mkdtempSync(join(tmpdir(), "pidex-back-"));
const root = join(folder, "sessions");
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  const start = Date.parse("2026-01-05T09:00:00.000Z");
  for (let n = 0; n < 130; n++) {
    const draft = session({ id: `s${n}`, timestamp: new Date(start + n * 3_600_000).toISOString() });
    draft.user(`Question ${n}`).assistant(`Answer ${n} with a kettle`).writeUnder(root);
  }
  const long = session({ id: "long", timestamp: "2026-01-20T09:00:00.000Z" });
  for (let n = 0; n < 150; n++) {
    long.user(`Ask ${n}`);
    long.tool("bash", { command: `echo ${n}` }, `line one of ${n}\n`.repeat(60));
    long.assistant(`Report ${n} `.repeat(40));
  }
  long.writeUnder(root);
  for (let n = 0; n < 30; n++)
    writeFileSync(
      join(
        session({ id: `bad${n}` })
          .user("hello")
          .writeUnder(root),
      ),
      "{broken\n",
      { flag: "a" },
    );
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serveSynced(root, { db: join(folder, "index.db"), env: { HOME: folder, PATH: "" }, atEnd });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

const scrolled = (page: Page, what = "html") =>
  page.evaluate((name) => Math.round(document.querySelector(name)?.scrollTop ?? -1), what);
/** Waits until scrolling by wheel has ended: the browser scrolls asynchronously. */
const scrollEnd = async (page: Page, what: string, to: (top: number) => boolean) => {
  await expect.poll(async () => to(await scrolled(page, what))).toBe(true);
  await page.waitForFunction((name) => {
    const frames = window as { tops?: number[] };
    frames.tops = [document.querySelector(name)?.scrollTop ?? -1, ...(frames.tops ?? [])].slice(0, 10);
    return frames.tops.length === 10 && new Set(frames.tops).size === 1;
  }, what);
};
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
const open = (page: Page, path: string) => openPage(server, { path }).then((opened) => opened.page ?? page);

describeInBrowser("back", () => {
  test.each(["/", "/?q=kettle"])(
    "restores the length, scroll position and focus of a list: %s",
    async (path) => {
      const page = await open(undefined as never, path);
      await page.locator(".result").first().waitFor();
      // Beyond the first page of results.
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, 4000);
          return page.locator(".result").count();
        })
        .toBeGreaterThan(60);
      const title = page.locator(".result-title").nth(45);
      await title.scrollIntoViewIfNeeded();
      const name = await title.textContent();
      const before = await scrolled(page);
      expect(before).toBeGreaterThan(1000);
      await title.click();
      await page.locator(".transcript").waitFor();
      await page.goBack();
      await expect.poll(() => focused(page)).toBe(name);
      await expect.poll(() => scrolled(page)).toBe(before);
    },
  );

  test("restores the scroll position and expanded entries of a session", async () => {
    const page = await open(undefined as never, "/session/long");
    const scroller = page.locator(".transcript-scroller");
    await page.locator(".row", { hasText: "Report 149" }).waitFor();
    await scroller.hover();
    for (let times = 0; times < 6; times++) {
      const before = await scrolled(page, ".transcript-scroller");
      await page.mouse.wheel(0, -3000);
      await scrollEnd(page, ".transcript-scroller", (top) => top < before);
    }
    await page.locator(".row details").first().waitFor();
    await expect.poll(() => page.locator(".row", { hasText: "Report 149" }).count()).toBe(0);
    await page.waitForFunction(() => document.querySelectorAll(".transcript [aria-busy=true]").length === 0);
    // A visible one: clicking another would scroll, and rows move under the mouse while they are measured.
    const firstVisible = () => {
      const box = document.querySelector(".transcript-scroller")?.getBoundingClientRect();
      const all = [...document.querySelectorAll<HTMLElement>(".row details")];
      const seen = all.find((details) => {
        const { top, bottom } = (details.querySelector("summary") ?? details).getBoundingClientRect();
        return (
          box &&
          details.closest("[data-index]")?.querySelector("details") === details &&
          top > box.top + 20 &&
          bottom < box.bottom - 20
        );
      });
      return seen?.closest<HTMLElement>("[data-index]")?.dataset.index;
    };
    await page.waitForFunction(firstVisible);
    const row = await page.evaluate(firstVisible);
    const details = page.locator(`[data-index="${row}"] details`).first();
    const isOpen = () => details.evaluate((one) => (one as HTMLDetailsElement).open);
    const wasOpen = await isOpen();
    await details.locator("summary").first().click();
    await expect.poll(isOpen).toBe(!wasOpen);
    const top = () =>
      page.evaluate(() => {
        const box = document.querySelector(".transcript-scroller")?.getBoundingClientRect();
        const rows = [...document.querySelectorAll<HTMLElement>(".transcript-scroller .row")];
        const first = rows.find((row) => row.getBoundingClientRect().bottom > (box?.top ?? 0) + 1);
        return first && box
          ? [first.dataset.index, Math.round(first.getBoundingClientRect().top - box.top)]
          : undefined;
      });
    await page.waitForFunction(() => document.querySelectorAll(".transcript [aria-busy=true]").length === 0);
    const before = await top();
    await page.getByRole("link", { name: "Usage", exact: true }).click();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await page.goBack();
    await expect.poll(top).toEqual(before);
    await expect.poll(isOpen).toBe(!wasOpen);
  });

  test("restores the scroll position and expanded elements of usage and health", async () => {
    const page = await open(undefined as never, "/health");
    const problem = page.locator("details:has(summary.problem)").nth(20);
    await problem.locator("summary").click();
    await problem.locator(".broken-line").waitFor(); // the broken line, which loads separately
    await problem.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => {
      const { scrollTop } = document.documentElement;
      document.querySelector<HTMLElement>('.bar a[href="/usage"]')?.click();
      return Math.round(scrollTop);
    });
    expect(before).toBeGreaterThan(200);
    await page.locator(".usage-grid").waitFor();
    // The page grows while figures load, so this scrolls until it is long enough.
    const inUsage = 150;
    await expect
      .poll(() =>
        page.evaluate((top) => {
          document.documentElement.scrollTop = top;
          return document.documentElement.scrollTop;
        }, inUsage),
      )
      .toBe(inUsage);
    await page.goBack();
    await expect.poll(() => scrolled(page)).toBe(before);
    expect(await page.locator("details[open]:has(summary.problem)").count()).toBe(1);
    await page.goForward();
    await expect.poll(() => scrolled(page)).toBe(inUsage);
  });
});
