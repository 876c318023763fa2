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
    session({ id: "archived", timestamp: "2026-01-05T08:00:00.000Z" })
      .user("Finished on Monday")
      .assistant("Half.", { ...costing(0.5), timestamp: "2026-01-05T08:01:00.000Z" })
      .custom("pidex", { archived: true })
      .writeUnder(root);
    session({ id: "asked", timestamp: "2026-01-05T10:00:00.000Z" }).user("Never answered").writeUnder(root);
    const { page, served } = await openPage(root, {
      path: "/usage?since=2026-01-05&until=2026-01-07&zone=UTC&per=day",
    });
    const bars = page.getByRole("slider", { name: "Cost by day and model" });
    await bars.focus();
    await page.keyboard.press("Home");
    expect(await bars.getAttribute("aria-valuetext")).toMatch(/^5 Jan 2026: \$1\.50/);
    await page.keyboard.press("Enter");
    const costs = page.locator(".result-cost");
    await expect.poll(() => costs.allTextContents()).toEqual(["$1.00 in range", "$0.50 in range"]);
    expect(await page.getByRole("combobox", { name: /search/i }).inputValue()).toBe("");
    await page.getByRole("button", { name: /^5 Jan 2026 *: show all days$/ }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ usage: "yes", since: "2026-01-05", until: "2026-01-06" },
    });
    // The day, and that it is about usage, are the only filters; archived sessions are named where they are counted.
    const filters = page.getByRole("list", { name: "Active filters" }).getByRole("button");
    expect(await filters.allTextContents()).toEqual(["With model responses ✕: remove this filter"]);
    await page.getByRole("heading", { name: /^Model responses over time/ }).waitFor();
    await page.getByText("2 sessions · with archived").waitFor();
    expect(await page.getByRole("button", { name: "assistant", pressed: true }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);

    // Without archived sessions, they are the sessions of the day.
    await page.getByRole("checkbox", { name: "Include archived" }).uncheck();
    await page.getByText(/^1 session/).waitFor();
    expect(new URL(page.url()).searchParams.get("usage")).toBeNull();
    await page.goBack();

    // The sum of the range leads back to its usage.
    await page.getByRole("link", { name: "$1.50 in range" }).click();
    await page.locator('[data-figure="Cost"][data-value="1500000000"]').waitFor();

    // Both sessions spent something on Tuesday; without the range, costs are those of whole sessions.
    await page.goto(`${served.origin}/?since=2026-01-06&until=2026-01-07`);
    await expect
      .poll(async () => (await costs.allTextContents()).sort())
      .toEqual(["$2.00 in range", "$4.00 in range"]);
    await page.getByRole("button", { name: /show all days/ }).click();
    await expect
      .poll(async () => (await costs.allTextContents()).sort())
      .toEqual(["$3.00", "$4.00", "–no cost recorded"]);
  });

  test("cost what the model of the figure did, and add up to it", async () => {
    const root = join(temporaryFolder(), "sessions");
    const timestamp = "2026-01-05T09:00:00.000Z";
    const begin = (id: string, cwd = "/home/ada/shop") => session({ id, cwd, timestamp }).user(`About ${id}`);
    begin("both")
      .assistant("A dollar.", costing(1))
      .model("openai", "gpt-5")
      .assistant("Four.", costing(4))
      .writeUnder(root);
    begin("cheap").model("openai", "gpt-5").assistant("Half.", costing(0.5)).writeUnder(root);
    begin("dear").model("openai", "gpt-5").assistant("Eight.", costing(8)).writeUnder(root);
    begin("elsewhere", "/home/ada/blog")
      .model("openai", "gpt-5")
      .assistant("16.", costing(16))
      .writeUnder(root);
    const { page } = await openPage(root, { path: "/usage?since=2026-01-05&until=2026-01-06&zone=UTC" });
    await page.getByRole("link", { name: "$12.50, shop, openai/gpt-5: sessions" }).click();
    const costs = page.locator(".result-cost");
    await expect
      .poll(async () => (await costs.allTextContents()).sort())
      .toEqual(["$0.50 in range", "$4.00 in range", "$8.00 in range"]);
    expect(await costs.first().getAttribute("title")).toContain("Cost of openai/gpt-5 on the selected days");

    await page.getByRole("link", { name: "$12.50 in range" }).click();
    await page.locator('[data-figure="Cost"][data-value="12500000000"]').waitFor();
    await page.goBack();

    const sort = page.getByRole("combobox", { name: "Sort" });
    await expect
      .poll(() => sort.getByRole("option").allTextContents())
      .toEqual(["Newest first", "Oldest first", "Highest range cost"]);
    await sort.selectOption({ label: "Highest range cost" });
    const dearestFirst = ["$8.00 in range", "$4.00 in range", "$0.50 in range"];
    await expect.poll(() => costs.allTextContents()).toEqual(dearestFirst);
    await page.reload();
    await expect.poll(() => costs.allTextContents()).toEqual(dearestFirst);
    expect(await sort.inputValue()).toBe("range");

    // Of sessions with a word, it would not be the sum.
    await page.getByRole("combobox", { name: /search/i }).fill("model:openai/gpt-5 eight");
    await page.getByText(/^1 session/).waitFor();
    await expect.poll(() => costs.allTextContents()).toEqual(["$8.00 in range"]);
    await expect.poll(() => page.locator(".days-cost").count()).toBe(0);
    expect(await sort.inputValue()).toBe("");
  });

  test("the range of a query is selected in the histogram, and dragging replaces it", async () => {
    const root = join(temporaryFolder(), "sessions");
    for (const day of ["05", "06", "07", "08"])
      session({ id: `day-${day}`, timestamp: `2026-01-${day}T09:00:00.000Z` })
        .user(`rounding on ${day}`)
        .writeUnder(root);
    const { page } = await openPage(root, { path: "/?q=rounding+since:2026-01-06+until:2026-01-08" });
    const range = page.getByRole("button", { name: /^6 Jan – 7 Jan 2026 *: show all days$/ });
    await range.waitFor();
    await page.getByRole("img", { name: /^4 hits;/ }).waitFor();
    const edge = (name: string) => page.getByRole("slider", { name }).getAttribute("aria-valuetext");
    expect([await edge("First day"), await edge("Last day")]).toEqual(["6 Jan 2026", "7 Jan 2026"]);
    await page.getByTitle("2 sessions found").waitFor();
    await page.getByRole("slider", { name: "First day" }).press("ArrowLeft");
    const params = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(params).toEqual({ q: "rounding", since: "2026-01-05", until: "2026-01-08" });
    await page.getByTitle("3 sessions found").waitFor();
    await page.goBack();
    await range.click();
    await expect.poll(params).toEqual({ q: "rounding" });
    await page.getByTitle("4 sessions found").waitFor();
  });
});
