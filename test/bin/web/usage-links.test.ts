/** From a figure of the usage view to its sessions, and what these cost in its range. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatRange, toWholeDays } from "../../../bin/web/page/charts/days.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";

const costing = (total: number) => ({ usage: { input: 10, output: 5, cost: { total } } });

describe("a range", () => {
  test.each([
    ["2026-01-31", "2026-02-01", "31 Jan 2026", { since: "2026-01-31", until: "2026-02-01" }],
    [
      "2026-01-31T09:00",
      "2026-01-31T10:00",
      "31 Jan 2026, 09:00 – 10:00",
      { since: "2026-01-31", until: "2026-02-01" },
    ],
    [
      "2026-01-31T16:00",
      "2026-02-01T16:00",
      "31 Jan 2026, 16:00 – 1 Feb 2026, 16:00",
      { since: "2026-01-31", until: "2026-02-02" },
    ],
    ["2026-01-31T00:00", "2026-02-01T00:00", "31 Jan 2026", { since: "2026-01-31", until: "2026-02-01" }],
    ["2026-01-31T09:00", "", "since 31 Jan 2026, 09:00", { since: "2026-01-31", until: "" }],
    ["", "2026-01-31T09:00", "before 31 Jan 2026, 09:00", { since: "", until: "2026-02-01" }],
  ])("from %s until %s is %s", (since, until, text, days) => {
    expect(formatRange(since, until)).toBe(text);
    expect(toWholeDays(since, until)).toEqual(days);
  });
});

describeInBrowser("the sessions of a bar", () => {
  test("have the day as a filter and cost what they cost on that day", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "two-days", timestamp: "2026-01-05T09:00:00.000Z" })
      .user("Begun on Monday")
      .assistant("A dollar.", { ...costing(1), timestamp: "2026-01-05T09:01:00.000Z" })
      .assistant("Two more.", { ...costing(2), timestamp: "2026-01-06T09:00:00.000Z" })
      .writeUnder(root);
    session({ id: "tuesday", timestamp: "2026-01-06T12:00:00.000Z" })
      .user("Only on Tuesday")
      .assistant("Four.", costing(4))
      .writeUnder(root);
    const { page, served } = await openPage(root, {
      path: "/usage?since=2026-01-05&until=2026-01-07&zone=UTC&per=day",
    });
    const bars = page.getByRole("slider", { name: "Cost by day and model" });
    await bars.focus();
    await page.keyboard.press("Home");
    expect(await bars.getAttribute("aria-valuetext")).toMatch(/^5 Jan 2026: \$1\.00/);
    await page.keyboard.press("Enter");
    const costs = page.locator(".result-cost");
    await expect.poll(() => costs.allTextContents()).toEqual(["$1.00 in range"]);
    expect(await page.getByRole("combobox", { name: /search/i }).inputValue()).toBe("");
    await page.getByRole("button", { name: /^5 Jan 2026 *: show all days$/ }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ role: "assistant", since: "2026-01-05", until: "2026-01-06", archived: "yes" },
    });
    expect(await findViolations(page)).toEqual([]);

    // The sum of the range leads back to its usage.
    await page.getByRole("link", { name: "$1.00 in range" }).click();
    await page.locator('[data-figure="Cost"][data-value="1000000000"]').waitFor();

    // Both sessions spent something on Tuesday; without the range, costs are those of whole sessions.
    await page.goto(`${served.origin}/?since=2026-01-06&until=2026-01-07`);
    await expect
      .poll(async () => (await costs.allTextContents()).sort())
      .toEqual(["$2.00 in range", "$4.00 in range"]);
    await page.getByRole("button", { name: /show all days/ }).click();
    await expect.poll(async () => (await costs.allTextContents()).sort()).toEqual(["$3.00", "$4.00"]);
  });
});
