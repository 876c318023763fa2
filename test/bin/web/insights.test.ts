import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";

/** Sessions of two projects; those of `shop` fail in the same way. */
function writeSessions(): string {
  const root = join(temporaryFolder(), "sessions");
  const yesterday = Date.now() - 86_400_000;
  for (const n of [1, 2]) {
    const timestamp = new Date(yesterday + n * 3_600_000).toISOString();
    const talk = session({ id: `shop-${n}`, cwd: "/home/ada/shop", timestamp }).user(`Build <it> ${n}.`);
    for (const id of ["a", "b"]) {
      talk.assistant([toolCall(id, "bash", { command: "make" })], { usage: { cost: { total: 1 } } });
      talk.toolResult(id, "bash", `/tmp/${id}${n}: fatal error: <foo.h>: No such file`, {
        isError: true,
      });
    }
    talk.writeUnder(root);
  }
  const timestamp = new Date(yesterday).toISOString();
  session({ id: "blog", cwd: "/home/ada/blog", timestamp })
    .user("Hello.")
    .assistant("Hello.")
    .writeUnder(root);
  return root;
}

const findings = (page: Page) => page.getByRole("region", { name: "Findings" }).getByRole("listitem");
const cells = (page: Page, table: string) =>
  page
    .getByRole("table", { name: table, exact: true })
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

describeInBrowser("the insights view", () => {
  test("shows findings, figures and tables, and links findings to their entries", async () => {
    const { page } = await openPage(writeSessions(), { path: "/" });
    await page.getByRole("link", { name: "Insights", exact: true }).click();
    const error = "bash failed 4 times in 2 sessions: <path>: fatal error: <foo.h>: No such file";
    await page.getByRole("heading", { name: error, exact: true }).waitFor();
    expect(await page.title()).toBe("Insights · pidex");
    await page.getByText("$4.00 · ").first().waitFor();
    const totals = await cells(page, "Compared with the period before");
    expect(totals).toContainEqual(["sessions", "3", "0", ""]);
    const projects = await cells(page, "Projects");
    expect(projects.map(([name, sessions]) => [name, sessions])).toEqual([
      ["shop", "2"],
      ["blog", "1"],
    ]);
    expect(await findViolations(page)).toEqual([]);

    const example = findings(page).getByRole("link", { name: "Build <it> 1." }).first();
    await example.click();
    await page.waitForURL(
      (url) => url.pathname === "/session/shop-1" && url.searchParams.get("line") === "6",
    );
    await page.getByText("/tmp/b1: fatal error").first().waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: error, exact: true }).waitFor();
  });

  test("keeps its options in the address, and says when there is nothing", async () => {
    const { page } = await openPage(writeSessions(), { path: "/insights?project=blog" });
    await page.getByText("Nothing recurs often enough in this period.").waitFor();
    await page.getByRole("textbox", { name: "Project" }).fill("garden");
    await page.getByRole("textbox", { name: "Project" }).press("Enter");
    await page.getByText('No model responses of "garden" in this period.').waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show the last 365 days" }).click();
    await page.waitForURL((url) => url.searchParams.get("since") === "365d");
    await page.getByRole("button", { name: "Show all projects" }).click();
    await page.getByRole("combobox", { name: "Findings" }).selectOption("repeated-errors");
    await page.waitForURL((url) => url.search === "?since=365d&kind=repeated-errors");
    await expect.poll(() => page.locator(".insight").count()).toBe(1);
  });

  test("explains wrong options", async () => {
    const { page, complaints } = await openPage(writeSessions(), { path: "/insights?since=never" });
    await page.locator(".load-error").getByText("never").waitFor();
    expect(complaints.splice(0)).toEqual([expect.stringContaining("400")]);
  });

  test.each(["light", "dark"] as const)("fits phones and large windows, in %s", async (colorScheme) => {
    const root = writeSessions();
    const { page } = await openPage(root, { path: "/insights", colorScheme });
    await page.locator(".insight").first().waitFor();
    for (const width of [360, 390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await findViolations(page)).toEqual([]);
    }
  });
});
