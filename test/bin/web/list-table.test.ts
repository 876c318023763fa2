/** The list of sessions as a table on wide screens, and its groups by date. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatDayTime, formatShortDate } from "../../../bin/format/times.ts";
import { dateGroupOf } from "../../../bin/web/page/search/date-groups.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, openPage } from "./browser.ts";
import { CHROMIUM } from "./chromium.ts";
import type { TestServer } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

test.each([
  ["2026-03-10T23:30:00", "Today"],
  ["2026-03-09T00:10:00", "Yesterday"],
  ["2026-03-08T23:50:00", "Last 7 days"],
  ["2026-03-04T12:00:00", "Last 7 days"],
  ["2026-03-03T12:00:00", "March 2026"],
  ["2026-02-08T12:00:00", "February 2026"],
  ["2025-12-31T12:00:00", "December 2025"],
  ["2026-03-12T12:00:00", "Today"], // the clock of another machine
  ["?", "No date"],
])("a session modified at %s is in the group %s", (modified, group) => {
  const now = new Date("2026-03-10T23:45:00").getTime();
  expect(dateGroupOf({ modified, pinned: true }, false, now)).toBe(group);
  expect(dateGroupOf({ modified, pinned: true }, true, now)).toBe("Pinned");
});

test.each([
  ["2026-03-10T09:30:00", "2h"],
  ["2026-03-09T23:30:00", "Mon 23:30"], // not 12h, which could be today
  ["2026-03-04T09:05:00", "Wed 09:05"],
  ["2026-03-03T12:00:00", "3 Mar"],
  ["2025-12-01T12:00:00", "1 Dec 2025"],
  ["?", "?"],
])("%s is %s in a list", (date, shown) => {
  const now = new Date("2026-03-10T12:00:00").getTime();
  expect(formatShortDate(new Date(date), now)).toBe(shown);
});

test("an entry's time has its year only if it is another", () => {
  const now = new Date("2026-03-10T12:00:00").getTime();
  expect(formatDayTime(new Date("2026-01-31T09:05:00"), now)).toBe("31 Jan, 09:05");
  expect(formatDayTime(new Date("2025-12-08T22:41:00"), now)).toBe("8 Dec 2025, 22:41");
  expect(formatDayTime(new Date("?"), now)).toBe("?");
});

let folder = "";
let server: TestServer;
let end = async () => {};

beforeAll(async () => {
  if (!CHROMIUM) return;
  folder = mkdtempSync(join(tmpdir(), "pidex-table-"));
  const root = join(folder, "sessions");
  const write = (name: string, month: number, answers: number, dollars: number, pinned = false) => {
    const talk = session({ id: name, cwd: "/home/ada/shop", timestamp: `2025-0${month}-03T09:00:00.000Z` });
    talk.user(name);
    for (let n = 0; n < answers; n++)
      talk.assistant("Yes.", { usage: { input: 10, output: 5, cost: { total: dollars } } });
    if (pinned) talk.custom("pidex", { pinned: true });
    talk.writeUnder(root);
  };
  write("cheap", 1, 6, 0.01, true);
  write("dear", 2, 1, 9);
  write("between", 3, 3, 1);
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

describeInBrowser("a wide list", () => {
  test("is a table with groups; a heading sorts it, without groups", async () => {
    const { page } = await openPage(server, { viewport: { width: 1440, height: 900 } });
    const rows = () => page.locator(".results > li").allTextContents();
    const titles = () => page.locator(".result-title").allTextContents();
    await expect.poll(titles).toEqual(["cheap", "between", "dear"]);
    const shown = await rows();
    expect(shown.filter((_, n) => [0, 2, 4].includes(n))).toEqual(["Pinned", "March 2025", "February 2025"]);
    const boxes = await Promise.all(
      ["title", "project", "messages", "cost", "age"].map(async (column) => {
        const cell = await page.locator(`.result-${column}`).first().boundingBox();
        const heading = await page.locator(`.list-header-${column}`).boundingBox();
        return { cell, heading };
      }),
    );
    // One line, and every column below its heading.
    expect(
      new Set(boxes.map(({ cell }) => Math.round(((cell?.y ?? 0) + (cell?.height ?? 0) / 2) / 4))).size,
    ).toBe(1);
    for (const { cell, heading } of boxes.slice(2))
      expect(
        Math.abs((cell?.x ?? 0) + (cell?.width ?? 0) - (heading?.x ?? 0) - (heading?.width ?? 0)),
      ).toBeLessThan(2);
    expect(Math.abs((boxes[1]?.cell?.x ?? 0) - (boxes[1]?.heading?.x ?? 0))).toBeLessThan(2);

    const sort = page.getByRole("combobox", { name: "Sort" });
    const click = (heading: string) => page.locator(`.list-header-${heading}`).click();
    await click("cost");
    await expect.poll(titles).toEqual(["dear", "between", "cheap"]);
    await expect.poll(() => sort.inputValue()).toBe("cost");
    expect(await page.locator(".results-group").count()).toBe(0);
    await click("cost"); // reversed
    await expect.poll(titles).toEqual(["cheap", "between", "dear"]);
    await expect.poll(() => sort.inputValue()).toBe("cost-asc");
    expect(await page.locator(".list-header-cost").textContent()).toBe("Cost↑");
    await click("messages");
    await expect.poll(titles).toEqual(["cheap", "between", "dear"]);
    // The menu lists the main orders, and one of a heading only while it is selected.
    expect(await sort.locator("option").allTextContents()).not.toContain("Lowest cost");
    await click("messages");
    await expect.poll(titles).toEqual(["dear", "between", "cheap"]);
    await click("age");
    await expect.poll(titles).toEqual(["cheap", "between", "dear"]);
    await click("age");
    await expect.poll(titles).toEqual(["cheap", "dear", "between"]);
    await click("title");
    await expect.poll(titles).toEqual(["between", "cheap", "dear"]);
    await click("title");
    await expect.poll(titles).toEqual(["dear", "cheap", "between"]);
    await page.setViewportSize({ width: 1024, height: 800 });
    expect(await page.locator(".list-header").isVisible()).toBe(false);
  });

  test.each([1440, 1024])("stays where it is when a filter is chosen, at %i px", async (width) => {
    const { page } = await openPage(server, { viewport: { width, height: 900 } });
    const topOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y;
    await page.locator(".result").first().waitFor();
    await expect.poll(() => page.locator(".histogram").count()).toBe(1);
    const before = [await topOf(".histogram"), await topOf(".result")];
    for (const facet of ["shop", "Include archived"]) await page.locator(".filters").getByText(facet).click();
    await expect.poll(() => page.locator(".active-filters .chip").count()).toBe(2);
    await expect.poll(async () => [await topOf(".histogram"), await topOf(".result")]).toEqual(before);
  });

  test("says where no cost was recorded, in the column of costs alone", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "free" }).user("free").writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { viewport: { width: 1440, height: 900 } });
    const none = page.locator(".result-cost");
    await none.waitFor();
    expect(await none.textContent()).toBe("–no cost recorded");
    expect(await none.getAttribute("title")).toBe("The agent recorded no cost");
    await page.setViewportSize({ width: 390, height: 800 });
    await none.waitFor({ state: "hidden" });
  });

  test("has the headings that its results can be sorted by", async () => {
    const { page } = await openPage(server, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.origin}/?q=yes`);
    await expect.poll(() => page.locator(".result").count()).toBe(3);
    expect(await page.locator(".list-header button").allTextContents()).toEqual(["Updated"]);
    await page.goto(`${server.origin}/?q=${encodeURIComponent("project:shop")}`);
    await expect
      .poll(() => page.locator(".list-header button").allTextContents())
      .toEqual(["Title", "Messages", "Cost", "Updated↓"]);
  });

  test.each([1216, 1280, 1440, 1920])(
    "has no cells that overlap at %i px, also with costs of a range",
    async (width) => {
      const { page } = await openPage(server, { viewport: { width, height: 900 } });
      for (const path of ["/", "/?since=2025-01-01&until=2025-03-01&usage=yes", "/?q=yes"]) {
        await page.goto(new URL(path, server.origin).href);
        await page.locator(".result-cost").first().waitFor();
        const overlaps = await page.locator(".result, .list-header").evaluateAll((rows) =>
          rows.flatMap((row) => {
            const cells = [
              ...row.querySelectorAll(":scope > :not(.hits), .result-head > *, .result-facts > *"),
            ]
              .filter((cell) => getComputedStyle(cell).display !== "contents")
              .map((cell) => {
                // The text, which may be wider than its element.
                const range = document.createRange();
                range.selectNodeContents(cell);
                const unit = cell.querySelector(".result-unit"); // only read out
                if (unit) range.setEndBefore(unit);
                const { left, right } = range.getBoundingClientRect();
                const box = cell.getBoundingClientRect();
                const name = cell.className;
                const isCut = getComputedStyle(cell).overflow === "hidden";
                return isCut || left === right
                  ? { name, left: box.left, right: box.right }
                  : { name, left, right };
              })
              .filter(({ left, right }) => right > left)
              .sort((a, b) => a.left - b.left);
            return cells.flatMap((cell, n) => {
              const before = cells[n - 1];
              return before && cell.left < before.right - 0.5 ? [{ before, cell }] : [];
            });
          }),
        );
        expect(overlaps).toEqual([]);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
      }
    },
  );
});
