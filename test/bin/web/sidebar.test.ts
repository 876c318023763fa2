/** The sidebar of a session: its tabs, the list of changed files, and its width. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, type OpenPageOptions, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

async function opened(options: OpenPageOptions = {}) {
  const root = join(temporaryFolder(), "root");
  const talk = session({ id: "shop", cwd: "/home/ada/shop" }).user("Round the tax.");
  for (let n = 1; n <= 30; n++) {
    talk.assistant(`Step ${n}. ${"It goes on. ".repeat(60)}`);
    if (n === 5 || n === 20) {
      const edits = [{ oldText: "a", newText: `a${n}\nb` }];
      talk.tool("edit", { path: "/home/ada/shop/src/tax.ts", edits }, "ok", { say: `Edit ${n}.` });
    }
    if (n === 25) talk.tool("write", { path: "notes.md", content: "rounded" }, "ok", { say: "A note." });
  }
  talk.tool("write", { path: "denied.md", content: "x" }, "denied", { isError: true });
  talk.writeUnder(root);
  session({ id: "talk" }).user("Only words.").assistant("Yes.").writeUnder(root);
  return openPage(await serveSynced(root), { path: "/session/shop", ...options });
}

describeInBrowser("the sidebar of a session", () => {
  test("lists the files that were changed; each click goes to the next edit, which opens", async () => {
    const { page } = await opened();
    const tab = page.getByRole("tab", { name: "Files" });
    await expect.poll(() => tab.textContent()).toBe("Files2");
    await tab.click();
    const rows = page.locator(".file-row");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringMatching(/^notes\.md/), expect.stringMatching(/^tax\.ts src/)]);
    expect(await rows.nth(1).textContent()).toBe("tax.ts src/+4 lines added−2 lines removed2 edits");
    expect(await findViolations(page)).toEqual([]);
    const tax = rows.nth(1);
    const card = page.locator(".row-named details.call");
    await tax.click();
    await page.locator(".row-named", { hasText: "Edit 5." }).waitFor();
    await expect.poll(() => card.getAttribute("open")).not.toBeNull();
    await expect.poll(() => tax.innerText()).toMatch(/1 of 2/);
    await tax.click();
    await page.locator(".row-named", { hasText: "Edit 20." }).waitFor();
    await expect.poll(() => card.getAttribute("open")).not.toBeNull();
    await tax.click(); // wraps around
    await page.locator(".row-named", { hasText: "Edit 5." }).waitFor();
    // The keys move in the list while it has the focus.
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.locator(".row-named", { hasText: "A note." }).waitFor();
    // A file with one edit leads back to it after scrolling away.
    await page.mouse.move(800, 500);
    await page.mouse.wheel(0, -100_000);
    await page.locator(".row-named").waitFor({ state: "detached" });
    await rows.first().click();
    await page.locator(".row-named", { hasText: "A note." }).waitFor();
    // A filter that hides edits ends.
    await page.getByLabel("Show").selectOption("prompts");
    await page.locator(".row", { hasText: "A note." }).waitFor({ state: "detached" });
    await tax.click();
    await page.locator(".row-named", { hasText: "Edit 5." }).waitFor();
  });

  test("remembers the tab, and says that no files were changed, or has the tab disabled", async () => {
    const { page, served } = await opened();
    await page.getByRole("tab", { name: "Tree" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".file-row").first().waitFor();
    await page.goto(new URL("/session/talk", served.origin).href);
    await page.getByText("No files were changed.").waitFor();
    const files = page.getByRole("tab", { name: "Files" });
    await files.focus();
    await page.keyboard.press("ArrowLeft");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Tree");
    expect(await files.isDisabled()).toBe(true);
    expect(await files.getAttribute("title")).toBe("No files were changed with editing tools");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Tree");
    expect(await findViolations(page)).toEqual([]);
  });

  test("names the columns of the list of files, and the number of edits of each", async () => {
    const { page } = await opened();
    await page.getByRole("tab", { name: "Files" }).click();
    expect(await page.locator(".file-head span").allTextContents()).toEqual(["File", "Lines", "Edits"]);
    expect(await page.locator(".file-row .file-edits").first().getAttribute("title")).toMatch(/^\d+ edits?$/);
  });

  test("its width is changed by keys and by dragging, kept, and reset by a double click", async () => {
    const { page } = await opened();
    const edge = page.getByRole("separator", { name: "Width of the sidebar" });
    const sidebar = page.getByRole("navigation", { name: "Tree and files" });
    const width = async () => Math.round((await sidebar.boundingBox())?.width ?? 0);
    await sidebar.waitFor();
    const start = await width();
    expect(await edge.getAttribute("aria-valuenow")).toBe(String(start));
    await edge.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(width).toBe(start + 16);
    expect(await edge.getAttribute("aria-valuenow")).toBe(String(start + 16));
    await page.mouse.move(start + 16, 400);
    await page.mouse.down();
    await page.mouse.move(400, 400);
    await page.mouse.up();
    await expect.poll(width).toBe(400);
    await page.reload();
    await expect.poll(width).toBe(400);
    await page.keyboard.press("Home"); // not on the edge
    expect(await width()).toBe(400);
    await edge.focus();
    await page.keyboard.press("Home");
    await expect.poll(width).toBe(192);
    await edge.dblclick();
    await expect.poll(width).toBe(start);
    expect(await page.evaluate(() => localStorage.getItem("pidex-sidebar-width"))).toBeNull();
  });
});
