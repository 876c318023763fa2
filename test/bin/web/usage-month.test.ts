import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { forecastMonth, parseMonthlyBudget } from "../../../bin/web/page/usage/forecast.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serve } from "./serve.ts";

const rowsOf = (costs: Record<string, number>) =>
  Object.entries(costs).map(([day, cost]) => ({ key: { day }, costNanoUsd: cost * 1e9 }));

describe("the forecast of a month", () => {
  const now = Date.parse("2026-04-11T00:00:00Z"); // 10 of 30 days
  const at = { now, today: "2026-04-11", timeZone: "UTC" };

  test("is the mean of the days so far for all days", () => {
    const rows = rowsOf({ "2026-04-02": 4, "2026-04-10": 6 });
    const { days, ...forecast } = forecastMonth(rows, at);
    expect(forecast).toEqual({
      dayCount: 30,
      elapsedDays: 10,
      spentUsd: 10,
      projectedUsd: 30,
      usedUpOn: undefined,
    });
    expect(days).toHaveLength(11);
    expect(days.at(-1)).toEqual({ day: "2026-04-11", costUsd: 0, sumUsd: 10 });
  });

  test("says when a budget was used up, or will be", () => {
    const rows = rowsOf({ "2026-04-02": 4, "2026-04-10": 6 });
    const usedUp = (budgetUsd: number) => forecastMonth(rows, { ...at, budgetUsd }).usedUpOn;
    expect(usedUp(4)).toBe("2026-04-02");
    expect(usedUp(10)).toBe("2026-04-10");
    expect(usedUp(20)).toBe("2026-04-21");
    expect(usedUp(31)).toBeUndefined();
  });

  test("reads budgets per month only", () => {
    const texts = ["200/month", " $12.50/month ", "10/day", "much", ""];
    expect(texts.map(parseMonthlyBudget)).toEqual([200, 12.5, undefined, undefined, undefined]);
  });
});

describeInBrowser("this month on the usage page", () => {
  test("shows the cost so far, the budget of the settings and a forecast", async () => {
    const root = join(temporaryFolder(), "sessions");
    const today = new Date().toISOString().slice(0, 10);
    session({ timestamp: `${today}T00:00:00.000Z` })
      .user("What did it cost?")
      .assistant("A dollar.", { usage: { input: 10, output: 10, totalTokens: 20, cost: { total: 1 } } })
      .writeUnder(root);
    const server = await serve(root, { env: { PIDEX_BUDGET: "1000/month" } });
    const { page } = await openPage(server, { path: "/usage?range=month&zone=UTC" });
    const words = page.locator("[data-projected]");
    await words.waitFor();
    expect(await words.textContent()).toMatch(
      /^On course for \$[\d.]+ of \$1,000\.00 by \d+ \w+ \d{4}: \$1\.00 so far \(<1% of the budget\)\.$/,
    );
    expect(await words.getAttribute("data-spent")).toBe("1");
    const slider = page.getByRole("slider", { name: "Cost of this month by day, cumulative" });
    await slider.focus();
    await page.keyboard.press("End");
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/: \$[\d.]+/);
    expect(await findViolations(page)).toEqual([]);

    // A budget in the address replaces that of the settings; the settings' one is not for a part of the usage.
    await page.goto(`${server.origin}/usage?range=month&zone=UTC&budget=0.5/month`);
    await page.getByText("used up on").waitFor();
    await page.goto(`${server.origin}/usage?range=month&zone=UTC&project=ada`);
    await page.getByText("To compare with a budget").or(page.getByText("No usage")).first().waitFor();
    expect(await page.getByText("$1,000.00").count()).toBe(0);
  });

  test("says where usage is if the month has none, and leads there", async () => {
    const root = join(temporaryFolder(), "sessions");
    const timestamp = "2026-01-10T12:00:00.000Z";
    const talk = session({ timestamp }).user("When?", { timestamp });
    talk.assistant("In January.", { timestamp }).writeUnder(root);
    const server = await serve(root, { env: { PIDEX_BUDGET: "1000/month" } });
    const { page } = await openPage(server, { path: "/usage?range=month&zone=UTC" });
    const card = page.getByRole("region", { name: "Cost of this month" });
    await card.getByText(/The last usage before it was on 10 Jan 2026/).waitFor();
    await card.getByRole("link", { name: "Show January 2026" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("since")).toBe("2026-01-01");
  });
});
