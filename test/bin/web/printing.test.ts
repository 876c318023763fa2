/** Printing a session, in a real browser. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { image, text, thinking } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, discardPage, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

/** Counts calls of `print()`, which opens no dialog in the headless browser. */
function countPrints(page: Page): Promise<unknown> {
  onTestFinished(() => discardPage(page)); // its `print()` is another one
  return page.addInitScript(() => {
    const counted = window as typeof window & { prints: number };
    counted.prints = 0;
    window.print = () => {
      counted.prints++;
    };
  });
}
const hasPrinted = (page: Page) => page.waitForFunction(() => (window as { prints?: number }).prints === 1);

describeInBrowser("printing", () => {
  test("prints all entries, in full width, without what surrounds them", async () => {
    const root = join(temporaryFolder(), "root");
    const talk = session({ id: "printed" }).user([text("See:"), image()]);
    talk.assistant([thinking("Hm."), text("I see.")]);
    for (let n = 1; n <= 120; n++)
      talk
        .user(`Question ${n}?`)
        .assistant(`Answer ${n}:\n\n\`\`\`ts\nconst ${"long".repeat(60)} = 1;\n\`\`\``);
    talk.writeUnder(root);
    const { page } = await openPage(await serveSynced(root), {
      path: "/session/printed",
      colorScheme: "dark",
    });
    await countPrints(page);
    await page.reload();
    await page.getByText("Question 120?").last().waitFor();
    await page.keyboard.press("Control+p");
    await hasPrinted(page);
    await page.emulateMedia({ media: "print" });
    const rows = page.locator(".transcript-printed > li");
    expect(await rows.count()).toBe(242);
    expect(await rows.nth(2).innerText()).toContain("Question 1?");
    expect(await rows.nth(1).innerText()).not.toContain("Thinking"); // folded: a line about nothing
    expect(await rows.first().getByRole("img").isVisible()).toBe(true);
    expect(await rows.locator(".code-keyword", { hasText: /^const$/ }).count()).toBe(120);
    for (const name of [
      ".bar",
      ".session-tree",
      ".transcript-bar",
      ".session-acts",
      ".session-back",
      ".dialog",
      ".transcript-scroller",
    ])
      expect([name, await page.locator(name).isVisible()]).toEqual([name, false]);
    const page_ = await page.evaluate(() => ({
      ink: getComputedStyle(document.body).color,
      // Nothing is cut off at the side, or scrolls.
      cut: [...document.querySelectorAll(".transcript-printed *")].filter(
        (element) =>
          element.clientWidth > 0 &&
          element.scrollWidth > element.clientWidth + 1 &&
          !element.closest(".unseen"),
      ).length,
    }));
    expect(page_).toEqual({ ink: "rgb(29, 27, 24)", cut: 0 });
    await page.pdf();
    // The browser reports the end of printing.
    await page.emulateMedia({ media: "screen" });
    await rows.first().waitFor({ state: "detached" });
    await page.getByText("Question 120?").last().waitFor();
  });

  test("the menu prints, too; what the browser prints by itself says that it is not all", async () => {
    const root = join(temporaryFolder(), "root");
    const talk = session({ id: "printed" });
    for (let n = 1; n <= 100; n++) talk.user(`Question ${n}?`);
    talk.writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/session/printed" });
    await countPrints(page);
    await page.reload();
    await page.getByText("Question 100?").last().waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByText("Only the entries on the screen are printed").isVisible()).toBe(true);
    expect(await page.getByText("Printed with the filter").isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("combobox", { name: "Show" }).selectOption("prompts");
    await page.emulateMedia({ media: "print" });
    await page.getByText("Printed with the filter “My prompts”.").waitFor();
    await page.emulateMedia({ media: "screen" });
    await page.getByLabel("More").click();
    await page.getByRole("button", { name: "Print…" }).click();
    await hasPrinted(page);
  });

  test("can be canceled, and says so if it fails", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "printed" }).user("hello").writeUnder(root);
    const { page, complaints } = await openPage(await serveSynced(root), { path: "/session/printed" });
    await page.locator(".row .entry", { hasText: "hello" }).waitFor(); // not the title alone
    await page.route("**/api/entries?**", (route) => route.abort());
    await page.keyboard.press("Control+p");
    const dialog = page.getByRole("dialog", { name: "Print" });
    await dialog.getByText("pidex serve does not respond").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.unroute("**/api/entries?**");
    complaints.length = 0; // the browser logs the failed request
  });
});
