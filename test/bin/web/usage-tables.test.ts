/** Tables of figures: sorting, the precision of costs, and the mark of hidden columns. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCostFormatter } from "../../../bin/format/numbers.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, openPage } from "./browser.ts";

describe("costs side by side", () => {
  test("have the same number of decimals", () => {
    expect([0, 0.0041, 0.05, 12.3].map(createCostFormatter(12.3))).toEqual([
      ...["$0.00", "<$0.01", "$0.05", "$12.30"],
    ]);
    expect([0, 0.00001, 0.0041, 0.05, 12.3].map(createCostFormatter(0.05))).toEqual([
      ...["$0.0000", "<$0.0001", "$0.0041", "$0.0500", "$12.3000"],
    ]);
    expect(createCostFormatter(0)(0)).toBe("$0.00");
  });
});

describeInBrowser("a table of the usage view", () => {
  test("is sorted by any column, and marks that columns are hidden", async () => {
    const root = join(temporaryFolder(), "sessions");
    const write = (day: number, model: string, output: number, total: number) =>
      session({ id: `${model}-${day}`, timestamp: `2026-01-0${day}T09:00:00.000Z` })
        .user("Hello")
        .assistant("Yes.", { model, provider: "lab", usage: { input: 10, output, cost: { total } } })
        .writeUnder(root);
    write(1, "beta", 500, 0.004);
    write(2, "alpha", 20, 12.3);
    write(3, "gamma", 100, 1);
    const { page } = await openPage(root, { path: "/usage?range=all&zone=UTC" });
    await expect.poll(() => page.title()).toBe("Usage · pidex");
    await page.getByRole("button", { name: "By model: table" }).click();
    const table = page.getByRole("table", { name: "By model", exact: true });
    const header = (name: string) => table.getByRole("columnheader", { name });
    const column = (n: number) => table.locator(`tbody tr > :nth-child(${n})`).allTextContents();
    expect(await column(1)).toEqual(["lab/alpha", "lab/gamma", "lab/beta"]);
    expect(await column(2)).toEqual(["$12.30", "$1.00", "<$0.01"]);
    expect(await header("Cost").getAttribute("aria-sort")).toBe("descending");
    await header("Output").getByRole("button").click();
    await expect.poll(() => column(5)).toEqual(["500", "100", "20"]);
    expect(await header("Output").getAttribute("aria-sort")).toBe("descending");
    expect(await header("Cost").getAttribute("aria-sort")).toBe(null);
    await page.keyboard.press("Enter"); // the heading has the focus
    await expect.poll(() => column(5)).toEqual(["20", "100", "500"]);
    await header("Model").first().getByRole("button").click();
    await expect.poll(() => column(1)).toEqual(["lab/alpha", "lab/beta", "lab/gamma"]);
    expect(await table.locator("tfoot td").first().textContent()).toBe("$13.30");
    const aligned = await table
      .locator("tbody td")
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).textAlign));
    expect(new Set(aligned)).toEqual(new Set(["right"]));

    await page.setViewportSize({ width: 390, height: 844 });
    const frame = page.locator(".scroll-frame", { has: table });
    await expect.poll(() => frame.getAttribute("data-more-right")).toBe("");
    expect(await frame.getAttribute("data-more-left")).toBe(null);
    await table.evaluate((element) => element.parentElement?.scrollTo({ left: 9999 }));
    await expect.poll(() => frame.getAttribute("data-more-left")).toBe("");
    expect(await frame.getAttribute("data-more-right")).toBe(null);
  });

  test("a model without recorded costs is listed last, and a session without one has a dash, not $0.00", async () => {
    const root = join(temporaryFolder(), "sessions");
    const write = (id: string, model: string, total: number) =>
      session({ id, timestamp: "2026-01-01T09:00:00.000Z" })
        .user(`About ${id}`)
        .assistant("Yes.", { model, provider: "lab", usage: { input: 10, output: 10, cost: { total } } })
        .writeUnder(root);
    write("paid", "dear", 2);
    write("free", "local", 0);
    const { page } = await openPage(root, { path: "/usage?range=all&zone=UTC" });
    const rowsOf = (name: string) => page.getByRole("list", { name }).getByRole("listitem");
    await expect.poll(() => rowsOf("By model").count()).toBe(2);
    expect(await rowsOf("By model").allTextContents()).toEqual([
      expect.stringContaining("lab/dear$2.00100% · 1 model response"),
      expect.stringContaining("lab/local–no cost recorded1 model response"),
    ]);
    await expect.poll(() => rowsOf("Costliest sessions").count()).toBe(2);
    expect(await rowsOf("Costliest sessions").locator(".ranking-value").allTextContents()).toEqual([
      "$2.00",
      "–no cost recorded",
    ]);

    // In tables, too; sorted by cost, unknown ones are last in both directions.
    await page.getByRole("button", { name: "Cost by hour and model: table" }).click();
    const costs = page.getByRole("table", { name: "Cost by hour and model", exact: true });
    const costOf = (model: string) =>
      costs.getByRole("row", { name: model }).locator("td.number").first().textContent();
    expect([await costOf("lab/dear"), await costOf("lab/local")]).toEqual(["$2.00", "–no cost recorded"]);
    for (const _ of ["desc", "asc"]) {
      await costs.getByRole("button", { name: "Cost" }).click();
      await expect
        .poll(() => costs.locator("tbody tr > :nth-child(2)").allTextContents())
        .toEqual(["lab/dear", "lab/local"]);
    }
    await page.goto(`${new URL(page.url()).origin}/usage?range=all&zone=UTC&model=lab%2Flocal`);
    const figure = page.locator('[data-figure="Cost"]');
    await expect.poll(() => figure.textContent()).toBe("–no cost recorded");
    await page.goto(`${new URL(page.url()).origin}/usage?range=all&zone=UTC`);

    // A session leads back to the usage that it was reached from, past other sessions.
    await page.getByRole("link", { name: "About free" }).click();
    await page.getByRole("link", { name: "Usage" }).and(page.locator(".back-link")).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?range=all&zone=UTC");
    await rowsOf("By model").first().waitFor();
  });

  test("a model has the same color in every range", async () => {
    const root = join(temporaryFolder(), "sessions");
    const write = (day: number, model: string, total: number) =>
      session({ id: `${model}-${day}`, timestamp: `2026-01-0${day}T09:00:00.000Z` })
        .user("Hello")
        .assistant("Yes.", { model, provider: "lab", usage: { input: 10, output: 10, cost: { total } } })
        .writeUnder(root);
    write(1, "old", 9);
    write(2, "new", 3);
    write(2, "newest", 4);
    write(2, "old", 1);
    const { page, served } = await openPage(root, { path: "/usage?range=all&zone=UTC" });
    const colors = async () => {
      const items = await page
        .locator(".legend-item")
        .evaluateAll((all) =>
          all.map((item) => [
            item.querySelector(".legend-name")?.textContent,
            getComputedStyle(item.querySelector(".swatch") as Element).backgroundColor,
          ]),
        );
      return Object.fromEntries(items) as Record<string, string>;
    };
    await expect.poll(async () => Object.keys(await colors())).toEqual(["lab/old", "lab/newest", "lab/new"]);
    const all = await colors();
    expect(new Set(Object.values(all)).size).toBe(3);
    await page.goto(`${served.origin}/usage?since=2026-01-02&until=2026-01-03&zone=UTC`);
    await expect.poll(async () => Object.keys(await colors())).toEqual(["lab/newest", "lab/new", "lab/old"]);
    expect(await colors()).toEqual(all);
    const bars = await page
      .getByRole("list", { name: "By model" })
      .locator(".ranking-bar span")
      .evaluateAll((each) => each.map((bar) => getComputedStyle(bar).backgroundColor));
    expect(bars).toEqual([all["lab/newest"], all["lab/new"], all["lab/old"]]);
  });
});
