import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { forecastMonth, parseBudget, parseMonthlyBudget } from "../../../bin/web/page/usage/forecast.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serve } from "./serve.ts";
import { serveSynced } from "./serve-synced.ts";

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

  test("reads a plain number as a budget per month", () => {
    const texts = ["600", "$12.50", " 200/month ", "10 / day", "much", "0", "5/hour", ""];
    const read = [
      "600/month",
      "12.50/month",
      "200/month",
      "10/day",
      undefined,
      undefined,
      undefined,
      undefined,
    ];
    expect(texts.map(parseBudget)).toEqual(read);
  });

  test("reads budgets per month only", () => {
    const texts = ["200/month", " $12.50/month ", "10/day", "much", ""];
    expect(texts.map(parseMonthlyBudget)).toEqual([200, 12.5, undefined, undefined, undefined]);
  });
});

/** In place of the settings of the user who runs the tests. */
const createNoSettings = () => ({ PIDEX_CONFIG: temporaryFolder() });

describeInBrowser("this month on the usage page", () => {
  test("shows the cost so far, the budget of the settings and a forecast", async () => {
    const root = join(temporaryFolder(), "sessions");
    const today = new Date().toISOString().slice(0, 10);
    session({ timestamp: `${today}T00:00:00.000Z` })
      .user("What did it cost?")
      .assistant("A dollar.", { usage: { input: 10, output: 10, totalTokens: 20, cost: { total: 1 } } })
      .writeUnder(root);
    const server = await serve(root, { env: { ...createNoSettings(), PIDEX_BUDGET: "1000/month" } });
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

  test("the further budgets of the settings have their lines, below that of all usage", async () => {
    const root = join(temporaryFolder(), "sessions");
    const timestamp = new Date().toISOString();
    for (const [name, total] of [
      ["shop", 3],
      ["blog", 1],
    ] as const)
      session({ timestamp, cwd: `/home/ada/${name}` })
        .user("What did it cost?", { timestamp })
        .assistant("This.", { timestamp, usage: { input: 10, output: 10, cost: { total } } })
        .writeUnder(root);
    const budgets = "1000/month;50/year;10/year project:shop";
    const env = { ...createNoSettings(), PIDEX_BUDGET: "1000/month", PIDEX_BUDGETS: budgets };
    const server = await serveSynced(root, { env });
    const { page } = await openPage(server, { path: "/usage?range=month&zone=UTC" });
    await page.getByRole("region", { name: "Budget of shop" }).waitFor();
    const lines = await page.locator(".budget-words").allTextContents();
    expect(lines).toEqual([
      expect.stringMatching(/^\$4\.00 of \$50\.00 this year \(8%\), projected /),
      expect.stringMatching(/^\$3\.00 of \$10\.00 for shop this year \(30%\), projected /),
    ]);
    expect(await findViolations(page)).toEqual([]);
    await page.goto(`${server.origin}/usage?range=month&zone=UTC&project=blog`);
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await page.locator(".usage-grid").waitFor();
    expect(await page.locator(".budget").count()).toBe(0);
    expect((await server.fetch("/api/budgets?timeZone=Nowhere")).status).toBe(400);
  });

  test("the budget that was typed is kept in the browser, for all usage; mistyped filters are explained", async () => {
    const root = join(temporaryFolder(), "sessions");
    const timestamp = new Date().toISOString();
    session({ timestamp, cwd: "/home/ada/gasworks" })
      .user("What did it cost?")
      .assistant("A dollar.", { timestamp, usage: { input: 10, output: 10, cost: { total: 1 } } })
      .writeUnder(root);
    const server = await serveSynced(root, { env: createNoSettings() });
    const { page, served } = await openPage(server, { path: "/usage?zone=UTC" });
    const field = page.getByRole("textbox", { name: "Budget" });
    const type = async (text: string) => {
      await field.fill(text);
      await field.press("Enter");
    };
    await page.getByRole("button", { name: "More", exact: true }).click();
    await type("much");
    await page.getByRole("alert").getByText("“much” is not a budget. Type dollars per month").waitFor();
    await type("600");
    await page.getByText("$1.00 of $600.00").waitFor();
    expect(new URL(page.url()).searchParams.get("budget")).toBe("600");
    expect(await page.getByRole("alert").count()).toBe(0);

    await page.goto(`${served.origin}/usage?zone=UTC`);
    await page.getByText("$1.00 of $600.00").waitFor();
    expect(await field.inputValue()).toBe("600");
    await page.goto(`${served.origin}/usage?zone=UTC&budget=10/day`);
    await page.getByText("$1.00 of $10.00").waitFor();
    await page.goto(`${served.origin}/usage?zone=UTC&project=gaswork`);
    await page.getByText("No session has the project “gaswork”").waitFor();
    expect(await page.getByText("of $600.00").count()).toBe(0);
    await page.getByRole("button", { name: "gasworks", exact: true }).click();
    await page.locator('[data-figure="Cost"][data-value="1000000000"]').waitFor();
    expect(new URL(page.url()).searchParams.get("project")).toBe("gasworks");

    await page.goto(`${served.origin}/usage?zone=UTC`);
    await type("");
    await expect.poll(() => page.getByText("of $600.00").count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "More", exact: true }).click();
    expect(await field.inputValue()).toBe("");
  });

  test("says where usage is if the month has none, and leads there", async () => {
    const root = join(temporaryFolder(), "sessions");
    const timestamp = "2026-01-10T12:00:00.000Z";
    const talk = session({ timestamp }).user("When?", { timestamp });
    talk.assistant("In January.", { timestamp }).writeUnder(root);
    const server = await serve(root, { env: { ...createNoSettings(), PIDEX_BUDGET: "1000/month" } });
    const { page } = await openPage(server, { path: "/usage?range=month&zone=UTC" });
    const card = page.getByRole("region", { name: "Cost of this month" });
    await card.getByText(/The last usage before it was on 10 Jan 2026/).waitFor();
    await card.getByRole("link", { name: "Show January 2026" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("since")).toBe("2026-01-01");
  });
});
