/** Hits in the results: opened in place, and as plain text. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

async function opened(path: string): Promise<Page> {
  const root = join(temporaryFolder(), "sessions");
  const talk = session({ id: "till", timestamp: "2026-01-08T09:00:00.000Z" }).user("The rounding");
  for (let n = 1; n <= 5; n++) talk.assistant(`## Step ${n}: the **rounding** of \`a*b*c\``);
  talk.bash("echo rounding **/*.ts", "rounding").writeUnder(root);
  session({ id: "other", timestamp: "2026-01-07T09:00:00.000Z" }).user("Another rounding").writeUnder(root);
  const { page } = await openPage(await serveSynced(root), { path });
  await page.locator(".hit").first().waitFor();
  return page;
}

const row = (page: Page) => page.locator(".result", { hasText: "The rounding" });
const hits = (page: Page) => row(page).locator(".hit");

describeInBrowser("the hits of a session", () => {
  test("are opened in place, with the filters of the search, and closed", async () => {
    const page = await opened("/?q=rounding&role=assistant");
    expect(await hits(page).count()).toBe(2);
    await row(page).getByRole("button", { name: "3 more hits" }).click();
    await expect.poll(() => hits(page).count()).toBe(5);
    expect(await findViolations(page)).toEqual([]);
    expect(new URL(page.url()).pathname).toBe("/");
    await row(page).getByRole("button", { name: "Fewer hits" }).click();
    await expect.poll(() => hits(page).count()).toBe(2);
  });

  test("of a search of the files are opened in place, too", async () => {
    const page = await opened(`/?q=${encodeURIComponent("re:ounding")}`);
    await expect.poll(() => hits(page).count()).toBe(2);
    const [all] = [await row(page).getByRole("button", { name: "more hit" }).textContent()];
    await row(page).getByRole("button", { name: "more hit" }).click();
    await expect.poll(() => hits(page).count()).toBe(2 + Number.parseInt(all ?? "", 10));
    expect(new URL(page.url()).pathname).toBe("/");
    await row(page).getByRole("button", { name: "Fewer hits" }).click();
    await expect.poll(() => hits(page).count()).toBe(2);
  });

  test("that were opened are so again after going back, with the focus on the one that was left", async () => {
    const page = await opened("/?q=rounding&role=assistant");
    await row(page).getByRole("button", { name: "3 more hits" }).click();
    await expect.poll(() => hits(page).count()).toBe(5);
    const left = hits(page).nth(4);
    const text = await left.textContent();
    await left.click();
    await page.locator(".row", { hasText: "Step 5" }).waitFor();
    await page.goBack();
    await expect.poll(() => hits(page).count()).toBe(5);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(text);
    // Closed ones stay closed.
    await row(page).getByRole("button", { name: "Fewer hits" }).click();
    await hits(page).first().click();
    await page.locator(".transcript-scroller").waitFor();
    await page.goBack();
    await row(page).getByRole("button", { name: "3 more hits" }).waitFor();
  });

  test("are plain text: marks of Markdown are gone from messages, and stay in code and commands", async () => {
    const page = await opened("/?q=rounding");
    await row(page).getByRole("button", { name: "more hits" }).click();
    await expect.poll(() => hits(page).count()).toBe(7);
    const texts = await hits(page).allTextContents();
    expect(texts).toContain("assistantStep 1: the rounding of a*b*c");
    expect(texts.find((text) => text.startsWith("user bash"))).toContain("**/*.ts");
    expect(await hits(page).nth(2).locator("mark").first().textContent()).toBe("rounding");
  });

  test("commands of the user and the tool bash have different names in the filters", async () => {
    const page = await opened("/?q=rounding");
    await page.getByRole("region", { name: "Role" }).getByRole("button", { name: "user bash" }).click();
    await page.getByRole("list", { name: "Active filters" }).getByText("Role: user bash").waitFor();
    await expect.poll(() => page.locator(".result").count()).toBe(1);
  });

  test("have the whole width on a phone, below their source", async () => {
    const page = await opened("/?q=rounding");
    await page.setViewportSize({ width: 390, height: 844 });
    const widths = await hits(page)
      .first()
      .evaluate((hit) => [hit.clientWidth, hit.querySelector(".hit-text")?.clientWidth ?? 0]);
    expect((widths[0] as number) - (widths[1] as number)).toBeLessThan(24);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
