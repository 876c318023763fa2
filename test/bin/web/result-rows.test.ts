/** The rows of results: what opens their session, and what filters. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { describeInBrowser, openPage } from "./browser.ts";
import { CHROMIUM } from "./chromium.ts";
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

let folder = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  if (!CHROMIUM) return;
  folder = mkdtempSync(join(tmpdir(), "pidex-rows-"));
  const root = join(folder, "sessions");
  const parent = session({ id: "parent", cwd: "/home/ada/shop" });
  parent.user("Round the tax up").assistant("Done.", { usage: { input: 10, output: 5, cost: { total: 3 } } });
  parent.custom("pidex", { tags: ["money"] });
  const fork = parent.fork({ id: "fork" });
  fork.user("And the discount").assistant("Too.", { usage: { input: 10, output: 5, cost: { total: 2 } } });
  fork.label(fork.lastId, "rounded");
  parent.writeUnder(root);
  fork.writeUnder(root);
  server = await serveSynced(root, {
    db: join(folder, "index.db"),
    atEnd: (stop) => {
      end = stop;
    },
  });
});
afterAll(async () => {
  await end();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const WIDTHS = [1440, 1024, 600];

const open = async (width: number) => (await openPage(server, { viewport: { width, height: 900 } })).page;

/** Clicks the middle of an element with the mouse, whatever covers it. */
async function clickOn(page: Page, selector: string): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not visible`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

const addressOf = (page: Page) => new URL(page.url());

describeInBrowser("a row of the results", () => {
  test.each(WIDTHS)("opens its session wherever it has no control of its own, at %i px", async (width) => {
    const page = await open(width);
    for (const cell of [
      ".result-messages",
      ".result-cost",
      ".result-age",
      ".chip:text('fork')",
      ".chip:has(.unseen)",
    ]) {
      await page.locator(cell).first().waitFor();
      await clickOn(page, cell);
      await expect.poll(() => addressOf(page).pathname, { message: cell }).toMatch(/^\/session\//);
      await page.goBack();
    }
  });

  test("keeps its tooltips, above what opens the session", async () => {
    const page = await open(1440);
    await page.locator(".result").first().waitFor();
    const tooltips = await page.locator(".result").evaluateAll(([row]) =>
      [".result-title > span", ".result-age", ".result-project", ".chip:has(.unseen)"].map((selector) => {
        const { x, y, width, height } =
          (row as Element).querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
        return document
          .elementFromPoint(x + width / 2, y + height / 2)
          ?.closest("[title]")
          ?.getAttribute("title");
      }),
    );
    expect(tooltips).toEqual([
      "Round the tax up",
      expect.stringMatching(/\d{4}/),
      "Only sessions of /home/ada/shop",
      "1 labeled entry",
    ]);
  });

  test.each(WIDTHS)(
    "filters by its project, model and tags, which look like controls, at %i px",
    async (width) => {
      const page = await open(width);
      for (const [cell, parameter] of [
        [".result-project", "cwd"],
        [".result-model", "model"],
        [".chip-tag", "tags"],
      ] as const) {
        const control = page.locator(cell).first();
        await control.hover();
        expect(
          await control.locator("bdi").evaluate((text) => getComputedStyle(text).textDecorationLine),
        ).toBe("underline");
        await clickOn(page, cell);
        await expect
          .poll(() => addressOf(page).searchParams.get(parameter), { message: cell })
          .not.toBe(null);
        expect(addressOf(page).pathname).toBe("/");
        await page.goBack();
      }
    },
  );

  test.each([1440, 1024])("ends on the right where the search field ends, at %i px", async (width) => {
    const page = await open(width);
    const right = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      return Math.round((box?.x ?? 0) + (box?.width ?? 0));
    };
    await page.locator(".result").first().waitFor();
    expect(await right(".result")).toBe(await right(".query-input"));
  });

  test("opens in another tab with Ctrl", async () => {
    const page = await open(1440);
    await page.locator(".result-messages").first().waitFor();
    const opened = page.context().waitForEvent("page");
    await page.keyboard.down("Control");
    await clickOn(page, ".result-messages");
    await page.keyboard.up("Control");
    const tab = await opened;
    await expect.poll(() => addressOf(tab).pathname).toMatch(/^\/session\//);
    await tab.close();
    expect(addressOf(page).pathname).toBe("/");
  });
});
