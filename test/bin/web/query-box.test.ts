/** The search field: suggestions, clearing it, and half-typed fields. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

/** The page with twelve sessions of the project "shop" and two of "blog". */
async function opened(path = "/") {
  const root = join(temporaryFolder(), "sessions");
  for (let n = 0; n < 14; n++) {
    const timestamp = `2026-01-${30 - n}T09:00:00.000Z`;
    const talk = session({ id: `id-${n}`, timestamp, cwd: `/home/ada/${n < 12 ? "shop" : "blog"}` });
    talk.user(`Question ${n}`, { timestamp }).assistant("The till.", { timestamp }).writeUnder(root);
  }
  return openPage(await serveSynced(root), { path });
}

const field = (page: Page) => page.getByRole("combobox", { name: "Search sessions" });
const options = (page: Page) => page.getByRole("listbox", { name: "Completions" }).getByRole("option");
const rows = (page: Page) => page.locator(".result-title");

describeInBrowser("the search field", () => {
  test("Escape leaves the empty field, so that keys are commands", async () => {
    const { page } = await opened();
    await rows(page).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Question 0");
    expect(await field(page).inputValue()).toBe("");
  });

  test("suggests fields with their meaning, and values with their sessions", async () => {
    const { page } = await opened();
    await field(page).pressSequentially("pro");
    await options(page).filter({ hasText: "project:" }).getByText("sessions of a project").waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => options(page).allTextContents()).toEqual(["shop12", "blog2"]);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    expect(await field(page).inputValue()).toBe("project:blog ");
    await expect.poll(() => rows(page).count()).toBe(2);
  });

  test("a suggestion counts the sessions that it finds in this view", async () => {
    const root = join(temporaryFolder(), "sessions");
    const at = (n: number) => ({
      id: `id-${n}`,
      timestamp: `2026-01-0${n}T09:00:00.000Z`,
      cwd: "/home/ada/shop",
    });
    session(at(1)).user("One").assistant("a").writeUnder(root);
    session(at(2)).user("Two").assistant("a").custom("pidex", { archived: true }).writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/" });
    await field(page).pressSequentially("project:");
    await expect.poll(() => options(page).allTextContents()).toEqual(["shop1"]);
    await page.keyboard.press("Tab");
    await page.getByTitle("1 session", { exact: true }).waitFor();
    await page.getByLabel("Include archived").check();
    await page.getByTitle("2 sessions", { exact: true }).waitFor();
    await field(page).fill("");
    await field(page).pressSequentially("project:");
    await expect.poll(() => options(page).allTextContents()).toEqual(["shop2"]);
  });

  test("Escape closes the suggestions, then clears the query, and Ctrl+Z or Undo brings it back", async () => {
    const { page } = await opened();
    await field(page).pressSequentially("till project:sh");
    await options(page).first().waitFor();
    await page.keyboard.press("Escape");
    await options(page).first().waitFor({ state: "hidden" });
    expect(await field(page).inputValue()).toBe("till project:sh");
    await page.keyboard.press("Escape");
    expect(await field(page).inputValue()).toBe("");
    await page.keyboard.press("Control+z");
    expect(await field(page).inputValue()).toBe("till project:sh");
    await page.getByRole("button", { name: "Clear the search" }).click();
    await expect.poll(() => rows(page).count()).toBe(14);
    await page.getByRole("button", { name: "Bring back till project:sh" }).click();
    expect(await field(page).inputValue()).toBe("till project:sh");
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test("a half-typed field never empties the list: all requests are of its first completion", async () => {
    const { page } = await opened();
    await rows(page).first().waitFor();
    const queries = new Set<string | null>();
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (/search|facets/.test(url.pathname)) queries.add(url.searchParams.get("query"));
    });
    await page.evaluate(() => {
      const seen = { rows: Number.POSITIVE_INFINITY, alerts: 0 };
      Object.assign(globalThis, { seen });
      new MutationObserver(() => {
        seen.rows = Math.min(seen.rows, document.querySelectorAll(".result-title").length);
        seen.alerts += document.querySelectorAll("[role=alert]").length;
      }).observe(document.body, { childList: true, subtree: true });
    });
    await field(page).pressSequentially("till project:sh", { delay: 30 });
    await page.getByText("Searched: till project:shop").waitFor();
    await page.waitForURL("**/?q=till+project%3Ash");
    await page.locator(".facet", { hasText: "Project" }).getByText("12").waitFor();
    expect(queries.has("till project:shop")).toBe(true);
    expect(
      [...queries].filter((query) => query?.endsWith("project:s") || query?.endsWith("project:sh")),
    ).toEqual([]);
    // Further pages are of the same query.
    await rows(page).nth(7).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 5000);
    await expect.poll(() => rows(page).count()).toBe(12);
    expect(await page.evaluate("seen")).toMatchObject({ alerts: 0 });
    expect(await page.evaluate("seen.rows > 0")).toBe(true);
  });

  test("a field that would be an error is ignored while it is typed, which the page says", async () => {
    const { page } = await opened();
    await field(page).fill("till cost:>");
    await page.getByText("cost:> is incomplete and ignored").waitFor();
    await expect.poll(() => rows(page).count()).toBeGreaterThan(0);
    await field(page).fill("till cost:>abc");
    await page.getByText("Ignored: cost:>abc is not an amount, try cost:>1.50").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});
