/** The dialog for tags. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

/** The page with three sessions: "tax" is on two of them, "a, b" on one. */
async function opened() {
  const root = join(temporaryFolder(), "sessions");
  const all = [
    ["One", ["tax"]],
    ["Two", ["tax", "a b"]],
    ["Three", []],
  ] as const;
  for (const [n, [title]] of all.entries()) {
    const timestamp = `2026-01-0${8 - n}T09:00:00.000Z`;
    session({ id: title.toLowerCase(), timestamp }).user(title, { timestamp }).writeUnder(root);
  }
  const server = await serveSynced(root);
  for (const [title, tags] of all)
    if (tags.length > 0) await server.act("/api/tag", { session: title.toLowerCase(), tags });
  const { page } = await openPage(server);
  await page.locator(".chip-tag").first().waitFor();
  return page;
}

const options = (page: Page) => page.getByRole("listbox", { name: "Tags" }).getByRole("option");
const texts = (page: Page) => options(page).allTextContents();
const field = (page: Page) => page.getByRole("combobox", { name: "Find or create a tag" });
const tagsOf = (page: Page, title: string) =>
  page.locator(".result", { hasText: title }).locator(".chip-tag").allTextContents();

describeInBrowser("the tag dialog", () => {
  test("offers the tags that exist with their sessions, filtered while typing, and takes several", async () => {
    const page = await opened();
    await page.getByRole("link", { name: "Three" }).focus();
    await page.keyboard.press("t");
    await expect.poll(() => texts(page)).toEqual(["tax2", "a b1"]);
    await page.keyboard.type("A");
    await expect.poll(() => texts(page)).toEqual(["tax2", "a b1", "Create “A”"]);
    await page.keyboard.type(" b");
    await expect.poll(() => texts(page)).toEqual(["a b1"]);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    expect(await field(page).inputValue()).toBe("");
    await page.keyboard.type("new");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect.poll(() => tagsOf(page, "Three")).toEqual(["a b", "new"]);
    await page.getByText("Tagged 1 session.").waitFor();
  });

  test("of several sessions shows what only some have, adds to all and removes from all", async () => {
    const page = await opened();
    for (const title of ["One", "Two", "Three"]) await page.getByLabel(`Select ${title}`).click();
    await page.keyboard.press("t");
    await expect.poll(() => texts(page)).toEqual(["taxon some2", "a bon some1"]);
    await options(page).nth(0).click();
    await options(page).nth(1).click();
    await options(page).nth(1).click();
    await page.getByRole("button", { name: "Save" }).click();
    for (const title of ["One", "Two", "Three"])
      await expect.poll(() => tagsOf(page, title)).toEqual(["tax"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => tagsOf(page, "Two")).toEqual(["tax", "a b"]);
    expect(await tagsOf(page, "Three")).toEqual([]);
  });
});
