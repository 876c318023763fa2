/** Help with keys, on every view. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

describeInBrowser("the help", () => {
  test("lists the keys of the current view first, and queries; ? and a button open it", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
    const { page, complaints } = await openPage(await serveSynced(root));
    const help = page.getByRole("dialog", { name: "Keys and queries" });
    const groups = () => help.getByRole("heading", { level: 3 }).allTextContents();
    for (const [view, first] of [
      ["/", "List"],
      ["/session/one", "Open session"],
      ["/trash", "Trash"],
    ] as const) {
      await page.goto(new URL(view, page.url()).href);
      await page.getByRole("button", { name: "Help" }).waitFor();
      await page.locator("#view main").first().waitFor();
      await page.keyboard.press("?");
      await help.waitFor();
      expect((await groups())[0]).toBe(first);
      expect([...(await groups())].sort()).toEqual([
        "Everywhere",
        "Filters",
        "List",
        "Open session",
        "Queries",
        "Search field",
        "Selected or open session",
        "Trash",
      ]);
      const lines = await help.locator(".keys > div > dd").allTextContents();
      expect(await help.locator("kbd", { hasText: /^Esc$/ }).count()).toBe(1);
      expect(await help.getByText("machine:", { exact: true }).count()).toBe(0); // only on a hub
      expect(lines.filter((line, n) => lines.indexOf(line) !== n)).toEqual([]);
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "hidden" });
    }
    // One line for a command and its opposite, with the keys of both.
    await page.keyboard.press("?");
    const line = help.locator(".keys > div", { hasText: "Next or previous prompt" });
    expect(await line.locator("kbd").allTextContents()).toEqual(["]", "["]);
    expect(await help.getByText("Previous prompt", { exact: true }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Help" }).click();
    await help.getByText("both words").waitFor();
    expect(complaints).toEqual([]);
  });

  test("fills its columns evenly", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { viewport: { width: 1440, height: 900 } });
    await page.locator(".result").waitFor();
    await page.keyboard.press("?");
    const ends = await page.locator(".help .keys > div").evaluateAll((all) => {
      const columns = new Map<number, number>();
      for (const each of all) {
        const { left, bottom } = each.getBoundingClientRect();
        columns.set(Math.round(left), Math.max(columns.get(Math.round(left)) ?? 0, bottom));
      }
      return [...columns.values()];
    });
    expect(ends.length).toBe(3);
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(160);
  });

  test("begins with the queries on a touch screen", async () => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await openPage(await serveSynced(root), phone);
    await page.getByRole("button", { name: "Help" }).click();
    const headings = page.getByRole("dialog").getByRole("heading", { level: 3 });
    expect((await headings.allTextContents()).slice(0, 3)).toEqual(["Queries", "Filters", "List"]);
  });
});
